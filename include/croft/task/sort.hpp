#pragma once
// Sorts a range: a merge sort, whose merges are cut among the workers as well.
//
//     croft::sort(v.begin(), v.end());
//     croft::sort(v.begin(), v.end(), std::greater<>());
//
// As std::sort: `comp(a, b)` is whether a comes before b, a strict weak order, called by several workers at once, and
// equal elements may change places. It needs room for as many elements again (else std::bad_alloc), and moving them
// must not throw. If `comp` throws, that is thrown here once nothing is running any more; then the elements are valid,
// and some have been moved from. Called outside of a scheduler's run() it uses task_scheduler::common().

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

#include <croft/task/loop.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>

namespace croft {

namespace detail {

// The elements are moved to a room of their own. Pieces are sorted there; then pairs of pieces are merged to and fro,
// an odd number of times, so that they end where they were.
template <class Runtime, class Iterator, class Comp>
class merge_sort {
    using element = std::iter_value_t<Iterator>;
    static_assert(std::is_nothrow_move_constructible_v<element> && std::is_nothrow_move_assignable_v<element>,
                  "croft::sort: moving an element must not throw");

public:
    // Fewer are not worth a merge.
    static constexpr std::size_t least_piece = 1024;
    // A level of merges is faster than one of std::sort where elements are small, and slower where they are not.
    static constexpr bool small = std::is_trivially_copyable_v<element> && sizeof(element) <= 16;

    merge_sort(Iterator first, std::size_t count, Comp& comp)
        : first_(first), count_(count), comp_(comp), room_(std::allocator<element>().allocate(count)) {
        parallel_for_intervals<Runtime>(std::size_t{0}, count, [this](std::size_t from, std::size_t to) {
            std::uninitialized_move(at(first_, from), at(first_, to), room_ + from);
        });
    }
    ~merge_sort() {
        std::destroy_n(room_, count_);
        std::allocator<element>().deallocate(room_, count_);
    }
    merge_sort(const merge_sort&) = delete;
    merge_sort& operator=(const merge_sort&) = delete;

    void run() {
        const std::size_t enough = small ? count_ : 4 * workers_of<Runtime>();
        int levels = 1;
        while (count_ >> (levels + 2) >= least_piece && std::size_t{1} << levels < enough) levels += 2;
        sort(0, count_, levels);
    }

private:
    template <class At>
    static At at(At first, std::size_t offset) {
        return first + static_cast<std::iter_difference_t<At>>(offset);
    }
    void sort(std::size_t from, std::size_t to, int level) {
        if (level == 0) return std::sort(room_ + from, room_ + to, std::ref(comp_));
        const std::size_t middle = from + (to - from) / 2;
        parallel_invoke<Runtime>([=, this] { sort(from, middle, level - 1); },
                                 [=, this] { sort(middle, to, level - 1); });
        if (level % 2 == 1)
            merge(room_ + from, room_ + middle, room_ + middle, room_ + to, at(first_, from));
        else
            merge(at(first_, from), at(first_, middle), at(first_, middle), at(first_, to), room_ + from);
    }
    // Two sorted ranges to one. The longer one is cut in the middle, the other one where that element belongs.
    template <class From, class To>
    void merge(From a, From a_end, From b, From b_end, To out) {
        if (a_end - a < b_end - b) {
            std::swap(a, b);
            std::swap(a_end, b_end);
        }
        if (static_cast<std::size_t>(a_end - a) <= 4 * least_piece) return merge_here(a, a_end, b, b_end, out);
        const From a_middle = a + (a_end - a) / 2;
        const From b_middle = std::lower_bound(b, b_end, *a_middle, std::ref(comp_));
        const To out_middle = out + ((a_middle - a) + (b_middle - b));
        parallel_invoke<Runtime>([=, this] { merge(a, a_middle, b, b_middle, out); },
                                 [=, this] { merge(a_middle, a_end, b_middle, b_end, out_middle); });
    }
    // Small elements are merged without a branch on which comes first, because nobody could predict it. Where comparing
    // them takes long there is a branch, because a guess that is right lets the next comparison begin before.
    template <class From, class To>
    void merge_here(From a, From a_end, From b, From b_end, To out) {
        while (a != a_end && b != b_end) {
            const bool takes_b = comp_(std::as_const(*b), std::as_const(*a));
            if constexpr (small) {
                *out++ = std::move(takes_b ? *b : *a);
                b += takes_b;
                a += !takes_b;
            } else {
                *out++ = takes_b ? std::move(*b++) : std::move(*a++);
            }
        }
        std::move(b, b_end, std::move(a, a_end, out));
    }

    Iterator first_;
    std::size_t count_;
    Comp& comp_;
    element* room_;
};

}  // namespace detail

template <class Runtime = detail::default_task_runtime, std::random_access_iterator Iterator, class Comp = std::less<>>
void sort(Iterator first, Iterator last, Comp comp = {}) {
    using merge_sort = detail::merge_sort<Runtime, Iterator, Comp>;
    const auto count = static_cast<std::size_t>(last - first);
    if (count < 4 * merge_sort::least_piece) return std::sort(first, last, std::ref(comp));
    if (std::is_sorted(first, last, std::ref(comp))) return;  // which of others is known after a few elements
    detail::as_worker<Runtime>([&] {
        if (!merge_sort::small && detail::workers_of<Runtime>() == 1)
            std::sort(first, last, std::ref(comp));
        else
            merge_sort(first, count, comp).run();
    });
}

}  // namespace croft
