// cilk5-mt of paper 002, table III: a matrix copied with rows and columns exchanged, by divide and conquer. Elements
// are of 32 bits.

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"

namespace {

using namespace programs;
using element = std::uint32_t;

struct unmap {
    std::size_t bytes = 0;
    void operator()(element* at) const { ::munmap(at, bytes); }
};
using matrix = std::unique_ptr<element[], unmap>;

// A part of the matrix, and where its transpose goes.
struct part {
    const element* from;
    element* to;
    std::size_t rows, columns, size;
};

void transpose_here(const part& p) {
    for (std::size_t i = 0; i < p.rows; ++i)
        for (std::size_t j = 0; j < p.columns; ++j) p.to[j * p.size + i] = p.from[i * p.size + j];
}

template <class Forks>
void transpose(const part& p, std::size_t grain) {
    if (p.rows <= grain && p.columns <= grain) return transpose_here(p);
    part first = p, second = p;
    if (p.rows >= p.columns) {
        first.rows = p.rows / 2;
        second.rows -= first.rows;
        second.from += first.rows * p.size;
        second.to += first.rows;
    } else {
        first.columns = p.columns / 2;
        second.columns -= first.columns;
        second.from += first.columns;
        second.to += first.columns * p.size;
    }
    Forks::invoke([&] { transpose<Forks>(first, grain); }, [&] { transpose<Forks>(second, grain); });
}

class kernel {
public:
    static constexpr const char* name = "cilk5-mt";
    static constexpr const char* purpose = "Transposes a matrix by divide and conquer (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 1, 32768, "rows, columns");
        line.number<std::size_t>("--grain", grain_, 1, 32768, "what one task transposes has no more rows or columns");
    }
    // One element in many is its place: to write all of them would take a simulated machine as long as the
    // transposition.
    void prepare() {
        from_ = zeros(size_ * size_);
        to_ = zeros(size_ * size_);
        for (std::size_t i = 0; i < size_ * size_; i += apart) from_[i] = static_cast<element>(i + 1);
    }
    template <class Runtime>
    void parallel() {
        transpose<by_tasks<Runtime>>(whole(), grain_);
    }
    void serial() { transpose<in_sequence>(whole(), grain_); }

    void check(verification how) const {
        const std::size_t all = size_ * size_;
        if (how == verification::full) {
            for (std::size_t i = 0; i < all; ++i) check(i);
        } else {
            for (std::size_t i = 0, step = apart * (all / apart / 65536 + 1); i < all; i += step)
                check(i % size_ * size_ + i / size_);
        }
    }
    std::string numbers() const { return "size=" + std::to_string(size_) + " grain=" + std::to_string(grain_) + " "; }

private:
    static constexpr std::size_t apart = 61;
    // Which the system has as such: nobody writes them. (A C library's calloc may.)
    static matrix zeros(std::size_t count) {
        const std::size_t bytes = count * sizeof(element);
        void* const made = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (made == MAP_FAILED) throw std::bad_alloc();
        return matrix(static_cast<element*>(made), unmap{bytes});
    }
    part whole() { return {from_.get(), to_.get(), size_, size_, size_}; }
    void check(std::size_t i) const {
        const std::size_t row = i / size_, column = i % size_;
        const std::size_t came_from = column * size_ + row;
        if (to_[i] != (came_from % apart ? 0 : static_cast<element>(came_from + 1)))
            throw std::runtime_error("element " + std::to_string(row) + ", " + std::to_string(column) +
                                     " of the transpose is wrong");
    }

    std::size_t size_ = 8000, grain_ = 256;
    matrix from_, to_;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
