// cilk5-nq of paper 002, table III: in how many ways N queens can stand on a board of N x N so that none attacks
// another (as Cilk-5's queens). A row's columns are tried at the same time, down to the last `grain` rows, which one
// task does.

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "../common/forks.hpp"
#include "../common/kernel.hpp"

namespace {

using namespace programs;

constexpr std::size_t most = 16;

// Of the rows so far: in which column the queen is.
using board = std::array<std::int8_t, most>;

// Whether none of the first `rows` queens attacks another.
bool is_safe(const board& queens, std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t j = i + 1; j < rows; ++j) {
            const int apart = queens[j] - queens[i], distance = static_cast<int>(j - i);
            if (apart == 0 || apart == distance || apart == -distance) return false;
        }
    return true;
}

struct search {
    std::size_t size, grain;

    // In how many ways the rows from `row` on can be filled.
    template <class Forks>
    std::uint64_t count(const board& queens, std::size_t row) const {
        if (row == size) return 1;
        std::array<std::uint64_t, most> found{};
        const auto with_queen_at = [&](std::size_t column) {
            board next = queens;
            next[row] = static_cast<std::int8_t>(column);
            if (is_safe(next, row + 1)) found[column] = count<Forks>(next, row + 1);
        };
        if (size - row > grain)
            Forks::for_each(std::size_t{0}, size, with_queen_at, 1);
        else
            in_sequence::for_each(std::size_t{0}, size, with_queen_at, 1);
        std::uint64_t all = 0;
        for (std::size_t column = 0; column < size; ++column) all += found[column];
        return all;
    }
};

class kernel {
public:
    static constexpr const char* name = "cilk5-nq";
    static constexpr const char* purpose = "Counts solutions of the queens problem (paper 002, table III).";

    void declare(options& line) {
        line.number<std::size_t>("--size", size_, 1, most, "rows, columns, queens");
        line.number<std::size_t>("--grain", grain_, 0, most, "the last rows, which are one task");
    }
    void prepare() {}
    template <class Runtime>
    void parallel() {
        found_ = search{size_, grain_}.count<by_tasks<Runtime>>({}, 0);
    }
    void serial() { found_ = search{size_, grain_}.count<in_sequence>({}, 0); }

    void check(verification how) const {
        constexpr std::array<std::uint64_t, most + 1> known{0,   1,   0,    0,     2,     10,     4,       40,      92,
                                                            352, 724, 2680, 14200, 73712, 365596, 2279184, 14772512};
        check(known[size_]);
        if (how == verification::full) check(by_masks((1u << size_) - 1, 0, 0, 0));
    }
    std::string numbers() const { return "size=" + std::to_string(size_) + " grain=" + std::to_string(grain_) + " "; }

private:
    void check(std::uint64_t expected) const {
        if (found_ != expected)
            throw std::runtime_error("found " + std::to_string(found_) + " solutions instead of " +
                                     std::to_string(expected));
    }
    // Another program: columns and diagonals under attack as bits.
    static std::uint64_t by_masks(unsigned all, unsigned columns, unsigned left, unsigned right) {
        if (columns == all) return 1;
        std::uint64_t found = 0;
        for (unsigned free = all & ~(columns | left | right); free != 0; free &= free - 1) {
            const unsigned at = free & -free;
            found += by_masks(all, columns | at, (left | at) << 1, (right | at) >> 1);
        }
        return found;
    }

    std::size_t size_ = 10, grain_ = 3;
    std::uint64_t found_ = 0;
};

}  // namespace

int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
