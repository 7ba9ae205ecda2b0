#pragma once
// Reads numbers and texts of one table of a program's file, nothing behind its end and no more than a budget allows.

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "debug_info/budget.hpp"

namespace croftsim::debug_info {

static_assert(std::endian::native == std::endian::little, "tables are read as they lie in the file");

using Bytes = std::span<const std::uint8_t>;

class Reader {
public:
    Reader() = default;
    // Without a budget what is read has been paid for, or is read once.
    explicit Reader(Bytes table, std::uint64_t at = 0, Budget* budget = nullptr)
        : table_(table), at_(at), budget_(budget) {
        if (at > table.size()) throw Damaged{};
    }

    std::uint64_t at() const { return at_; }
    std::uint64_t left() const { return table_.size() - at_; }
    Bytes table() const { return table_; }

    Bytes bytes(std::uint64_t count) {
        if (count > left()) throw Damaged{};
        if (budget_ != nullptr) budget_->spend(count);
        at_ += count;
        return table_.subspan(at_ - count, count);
    }
    void skip(std::uint64_t count) { bytes(count); }

    // It has `size` bytes, at most eight.
    std::uint64_t number(std::uint64_t size) {
        if (size > sizeof(std::uint64_t)) throw Damaged{};
        std::uint64_t value = 0;
        std::memcpy(&value, bytes(size).data(), size);
        return value;
    }
    std::uint8_t u8() { return bytes(1)[0]; }

    // LEB128. A number of more than 64 bits is damage, and so is one that is padded to more than ten bytes.
    std::uint64_t uleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            const std::uint64_t byte = u8();
            if (shift == 63 && (byte & 0x7f) > 1) break;
            value |= (byte & 0x7f) << shift;
            if (byte < 0x80) return value;
        }
        throw Damaged{};
    }
    std::int64_t sleb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            const std::uint64_t byte = u8();
            if (shift == 63 && byte != 0 && byte != 0x7f) break;
            value |= (byte & 0x7f) << shift;
            if (byte >= 0x80) continue;
            if (shift < 63 && byte & 0x40) value |= ~std::uint64_t{0} << (shift + 7);
            return static_cast<std::int64_t>(value);
        }
        throw Damaged{};
    }

    // Up to the zero that ends it, which is skipped.
    std::string_view text() {
        const auto* const begin = table_.data() + at_;
        const auto* const end = left() ? static_cast<const std::uint8_t*>(std::memchr(begin, 0, left())) : nullptr;
        const std::uint64_t count = end == nullptr ? left() : static_cast<std::uint64_t>(end - begin);
        if (budget_ != nullptr) budget_->spend(count);
        if (end == nullptr) throw Damaged{};
        at_ += count + 1;
        return {reinterpret_cast<const char*>(begin), count};
    }

private:
    Bytes table_;
    std::uint64_t at_ = 0;
    Budget* budget_ = nullptr;
};

// The length that units of most tables begin with, and how many bytes an offset has in them (DWARF 5, 7.4).
struct UnitLength {
    std::uint64_t bytes = 0;
    std::uint8_t offset_size = 4;

    explicit UnitLength(Reader& from) : bytes(from.number(4)) {
        if (bytes == 0xffffffff) {
            bytes = from.number(8);
            offset_size = 8;
        } else if (bytes >= 0xfffffff0) {
            throw Damaged{};
        }
        if (bytes > from.left()) throw Damaged{};
    }
};

}  // namespace croftsim::debug_info
