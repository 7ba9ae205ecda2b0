// cilk5-cs of paper 002, table III: merge sort whose merges are parallel too, and whose leaves are quicksorts. (As
// Cilk-5's cilksort; Frigo, Leiserson and Randall, PLDI 1998.) Elements are of 64 bits.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"
#include "../common/random.hpp"

namespace {

using namespace programs;
using element = std::int64_t;

void insertion_sort(element* first, element* last) {
    for (element* next = first + 1; next < last; ++next) {
        const element moved = *next;
        element* to = next;
        for (; to > first && to[-1] > moved; --to) *to = to[-1];
        *to = moved;
    }
}

element median(element a, element b, element c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

void quicksort(element* first, element* last) {
    constexpr std::ptrdiff_t few = 20;
    while (last - first > few) {
        const element pivot = median(first[0], first[(last - first) / 2], last[-1]);
        element *left = first, *right = last - 1;
        while (true) {  // neither side runs out: the pivot, or what was swapped, is in its way
            while (*left < pivot) ++left;
            while (pivot < *right) --right;
            if (left >= right) break;
            std::swap(*left++, *right--);
        }
        // The longer part next, the shorter one by a call, so that calls stay shallow.
        element* const middle = left;
        if (middle - first < last - middle) {
            quicksort(first, middle);
            first = middle;
        } else {
            quicksort(middle, last);
            last = middle;
        }
    }
    insertion_sort(first, last);
}

struct range {
    element *first, *last;
    std::size_t size() const { return static_cast<std::size_t>(last - first); }
};

void merge_here(range a, range b, element* to) {
    if (a.first != a.last && b.first != b.last) {
        element x = *a.first, y = *b.first;
        while (true) {
            if (x < y) {
                *to++ = x;
                if (++a.first == a.last) break;
                x = *a.first;
            } else {
                *to++ = y;
                if (++b.first == b.last) break;
                y = *b.first;
            }
        }
    }
    std::copy(b.first, b.last, std::copy(a.first, a.last, to));
}

// The first of a sorted range that is not less.
element* lower_bound(range in, element bound) {
    while (in.first != in.last) {
        element* const middle = in.first + in.size() / 2;
        if (*middle < bound)
            in.first = middle + 1;
        else
            in.last = middle;
    }
    return in.first;
}

// In parts until the shorter range has fewer than `grain` elements.
template <class Forks>
void merge(range a, range b, element* to, std::size_t grain) {
    if (a.size() < b.size()) std::swap(a, b);
    if (b.size() < grain) return merge_here(a, b, to);
    element* const cut_a = a.first + a.size() / 2;
    element* const cut_b = lower_bound(b, *cut_a);
    Forks::invoke(
        [=] { merge<Forks>({a.first, cut_a}, {b.first, cut_b}, to, grain); },
        [=] { merge<Forks>({cut_a, a.last}, {cut_b, b.last}, to + (cut_a - a.first) + (cut_b - b.first), grain); });
}

// Four quarters, then two halves in `spare`, then back.
template <class Forks>
void sort(element* first, std::size_t size, element* spare, std::size_t grain) {
    if (size < grain) return quicksort(first, first + size);
    const std::size_t quarter = size / 4;
    const auto part = [=](std::size_t i) {
        return range{first + i * quarter, i == 3 ? first + size : first + (i + 1) * quarter};
    };
    const auto sort_part = [=](std::size_t i) {
        sort<Forks>(part(i).first, part(i).size(), spare + i * quarter, grain);
    };
    Forks::invoke([=] { sort_part(0); }, [=] { sort_part(1); }, [=] { sort_part(2); }, [=] { sort_part(3); });
    Forks::invoke([=] { merge<Forks>(part(0), part(1), spare, grain); },
                  [=] { merge<Forks>(part(2), part(3), spare + 2 * quarter, grain); });
    merge<Forks>({spare, spare + 2 * quarter}, {spare + 2 * quarter, spare + size}, first, grain);
}

class kernel {
public:
    static constexpr const char* name = "cilk5-cs";
    static constexpr const char* purpose = "Sorts random numbers by parallel merges (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 1, 1'000'000'000, "numbers");
        line.number<std::size_t>("--grain", grain_, 4, 1'000'000'000, "sorts and merges of fewer are one task");
        line.number<std::uint64_t>("--seed", seed_, 0, 1'000'000, "of the numbers");
    }
    void prepare() {
        numbers_.resize(size_);
        spare_ = std::make_unique_for_overwrite<element[]>(size_);
        for (std::size_t i = 0; i < size_; ++i) numbers_[i] = input(i);
    }
    template <class Runtime>
    void parallel() {
        sort<by_tasks<Runtime>>(numbers_.data(), size_, spare_.get(), grain_);
    }
    void serial() { sort<in_sequence>(numbers_.data(), size_, spare_.get(), grain_); }

    void check(verification how) const {
        for (std::size_t i = 1; i < size_; ++i)
            if (numbers_[i] < numbers_[i - 1])
                throw std::runtime_error("number " + std::to_string(i) + " is less than the one before it");
        std::uint64_t input_sum = 0, sum = 0;
        for (std::size_t i = 0; i < size_; ++i) {
            input_sum += static_cast<std::uint64_t>(input(i));
            sum += static_cast<std::uint64_t>(numbers_[i]);
        }
        if (sum != input_sum) throw std::runtime_error("the sorted numbers are not those of the input");
        if (how != verification::full) return;
        std::vector<element> expected(size_);
        for (std::size_t i = 0; i < size_; ++i) expected[i] = input(i);
        std::sort(expected.begin(), expected.end());
        if (numbers_ != expected) throw std::runtime_error("the sorted numbers are not those of std::sort");
    }
    std::string numbers() const { return "size=" + std::to_string(size_) + " grain=" + std::to_string(grain_) + " "; }

private:
    element input(std::size_t i) const { return static_cast<element>(random_number(seed_, i)); }

    std::size_t size_ = 3'000'000, grain_ = 4096;
    std::uint64_t seed_ = 1;
    std::vector<element> numbers_;
    std::unique_ptr<element[]> spare_;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
