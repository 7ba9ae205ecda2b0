#pragma once
// How much of a program's tables may be read to answer one question.

#include <cstdint>

namespace croftsim::debug_info {

// A table does not hold what it should. No run depends on tables: whoever looks something up catches it and has found
// nothing.
struct Damaged {};

// Entries of one table name places in others. In sound tables all of these together are read a few times over. In
// damaged ones every entry may name the same megabyte: reading would take hours although no single table is too long.
class Budget {
public:
    explicit Budget(std::uint64_t file_bytes) : most_(file_bytes * 16 + (1 << 20)), left_(most_) {}

    // Each question has all of it: answers that are not kept are read anew.
    void renew() { left_ = most_; }

    // In bytes, or in whatever else takes about as long as reading one. Throws Damaged when nothing is left.
    void spend(std::uint64_t bytes) {
        if (bytes > left_) {
            left_ = 0;
            throw Damaged{};
        }
        left_ -= bytes;
    }

private:
    std::uint64_t most_, left_;
};

}  // namespace croftsim::debug_info
