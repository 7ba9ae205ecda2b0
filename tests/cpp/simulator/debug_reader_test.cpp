#include <doctest/doctest.h>

#include <limits>

#include "debug_image.hpp"
#include "debug_info/form.hpp"

using namespace croftsim;
using namespace croftsim::debug_info;

namespace {

std::uint64_t uleb_of(std::vector<std::uint8_t> bytes) { return Reader(bytes).uleb(); }
std::int64_t sleb_of(std::vector<std::uint8_t> bytes) { return Reader(bytes).sleb(); }

std::vector<std::uint8_t> continued(unsigned count, std::uint8_t last) {
    std::vector<std::uint8_t> bytes(count, 0x80);
    bytes.push_back(last);
    return bytes;
}

}  // namespace

TEST_CASE("LEB128 has 64 bits in ten bytes, and anything else is damage") {
    CHECK(uleb_of({0}) == 0);
    CHECK(uleb_of({0xe5, 0x8e, 0x26}) == 624485);
    CHECK(uleb_of(continued(9, 1)) == std::uint64_t{1} << 63);
    CHECK(uleb_of(continued(9, 0)) == 0);  // padded
    CHECK_THROWS_AS(uleb_of(continued(9, 2)), Damaged);
    CHECK_THROWS_AS(uleb_of(continued(10, 0)), Damaged);
    CHECK_THROWS_AS(uleb_of(std::vector<std::uint8_t>(64, 0xff)), Damaged);
    CHECK_THROWS_AS(uleb_of({0x80}), Damaged);
    CHECK_THROWS_AS(uleb_of({}), Damaged);

    CHECK(sleb_of({2}) == 2);
    CHECK(sleb_of({0x7e}) == -2);
    CHECK(sleb_of({0xff, 0x00}) == 127);
    CHECK(sleb_of({0x80, 0x7f}) == -128);
    CHECK(sleb_of(continued(9, 0x7f)) == std::numeric_limits<std::int64_t>::min());
    CHECK(sleb_of(continued(9, 0)) == 0);
    CHECK_THROWS_AS(sleb_of(continued(9, 1)), Damaged);
    CHECK_THROWS_AS(sleb_of(continued(10, 0)), Damaged);
    CHECK_THROWS_AS(sleb_of({0xff}), Damaged);
}

TEST_CASE("a reader stays within its table") {
    const std::vector<std::uint8_t> bytes{1, 2, 3, 'a', 'b', 0, 'c'};
    CHECK(Reader(bytes).number(3) == 0x030201);
    CHECK(Reader(bytes, 3).text() == "ab");
    CHECK(Reader(bytes, 5).text().empty());
    CHECK_THROWS_AS(Reader(bytes, 6).text(), Damaged);
    CHECK_THROWS_AS(Reader(bytes, 7).text(), Damaged);
    CHECK_THROWS_AS(Reader(bytes, 8), Damaged);
    CHECK_THROWS_AS(Reader(bytes).number(8), Damaged);
    CHECK_THROWS_AS(Reader(bytes).number(9), Damaged);
    CHECK_THROWS_AS(Reader(bytes, 3).skip(~std::uint64_t{0}), Damaged);
    Reader at_end(bytes, 7);
    CHECK(at_end.left() == 0);
    CHECK(at_end.bytes(0).empty());
}

TEST_CASE("the length of a unit has four bytes, or eight behind a mark, and no more is said than there is") {
    const auto read = [](const TableBytes& table) {
        Reader from(table.bytes);
        return UnitLength(from);
    };
    CHECK(read(TableBytes().u32(1).u8(0)).bytes == 1);
    CHECK(read(TableBytes().u32(1).u8(0)).offset_size == 4);
    CHECK(read(TableBytes().u32(0xffffffff).u64(1).u8(0)).offset_size == 8);
    CHECK_THROWS_AS(read(TableBytes().u32(2).u8(0)), Damaged);
    CHECK_THROWS_AS(read(TableBytes().u32(0xfffffff0)), Damaged);
    CHECK_THROWS_AS(read(TableBytes().u32(0xffffffff).u64(~std::uint64_t{0})), Damaged);
}

TEST_CASE("each form is as long as DWARF says, and cut anywhere it is damage") {
    struct Case {
        int form;
        TableBytes bytes;
        std::uint64_t number;
        Encoding encoding = {};
    };
    const TableBytes four = TableBytes().u32(0x04030201), eight = TableBytes().u64(0x0807060504030201);
    const TableBytes leb = TableBytes().all({0xe5, 0x8e, 0x26});
    const Encoding long_offsets{5, 8}, oldest{2, 4};
    const Case cases[] = {
        {0x01, eight, 0x0807060504030201},
        {0x03, TableBytes().u16(3).all({1, 2, 3}), 0},
        {0x04, TableBytes().u32(3).all({1, 2, 3}), 0},
        {0x05, TableBytes().u16(0x0201), 0x0201},
        {0x06, four, 0x04030201},
        {0x07, eight, 0x0807060504030201},
        {0x08, TableBytes().text("text"), 0},
        {0x09, TableBytes().all({2, 7, 7}), 0},
        {0x0a, TableBytes().all({2, 7, 7}), 0},
        {0x0b, TableBytes().u8(200), 200},
        {0x0c, TableBytes().u8(1), 1},
        {0x0d, TableBytes().u8(0x7f), ~std::uint64_t{0}},
        {0x0e, four, 0x04030201},
        {0x0e, eight, 0x0807060504030201, long_offsets},
        {0x0f, leb, 624485},
        {0x10, four, 0x04030201},
        {0x10, eight, 0x0807060504030201, oldest},
        {0x11, TableBytes().u8(9), 9},
        {0x12, TableBytes().u16(9), 9},
        {0x13, four, 0x04030201},
        {0x14, eight, 0x0807060504030201},
        {0x15, leb, 624485},
        {0x16, TableBytes().all({0x16, 0x0b, 5}), 5},
        {0x17, four, 0x04030201},
        {0x18, TableBytes().all({1, 7}), 0},
        {0x19, TableBytes(), 1},
        {0x1a, leb, 624485},
        {0x1b, leb, 624485},
        {0x1c, four, 0x04030201},
        {0x1d, four, 0x04030201},
        {0x1e, TableBytes().table(eight).table(eight), 0},
        {0x1f, four, 0x04030201},
        {0x20, eight, 0x0807060504030201},
        {0x22, leb, 624485},
        {0x23, leb, 624485},
        {0x24, eight, 0x0807060504030201},
        {0x25, TableBytes().u8(9), 9},
        {0x26, TableBytes().u16(9), 9},
        {0x27, TableBytes().number(0x030201, 3), 0x030201},
        {0x28, four, 0x04030201},
        {0x29, TableBytes().u8(9), 9},
        {0x2a, TableBytes().u16(9), 9},
        {0x2b, TableBytes().number(0x030201, 3), 0x030201},
        {0x2c, four, 0x04030201},
        {0x1f20, four, 0x04030201},
        {0x1f21, eight, 0x0807060504030201, long_offsets},
    };
    for (const Case& one : cases) {
        CAPTURE(one.form);
        Reader whole(one.bytes.bytes);
        const Value value = read_value(whole, static_cast<Form>(one.form), one.encoding);
        CHECK(value.number == one.number);
        CHECK(whole.left() == 0);
        for (std::size_t size = 0; size < one.bytes.bytes.size(); ++size) {
            Reader cut(Bytes(one.bytes.bytes).first(size));
            CHECK_THROWS_AS(read_value(cut, static_cast<Form>(one.form), one.encoding), Damaged);
        }
    }
    Reader nothing;
    CHECK(read_value(nothing, Form::implicit_const, {}, -3).number == static_cast<std::uint64_t>(-3));
    for (const int unknown : {0, 2, 0x2d, 0x1f01, 0xffff}) {
        Reader from(eight.bytes);
        CHECK_THROWS_AS(read_value(from, static_cast<Form>(unknown), {}), Damaged);
    }
    const TableBytes too_large = TableBytes().all({0x81, 0x80, 0x04});  // would be DW_FORM_addr in 16 bits
    Reader from(too_large.bytes);
    CHECK_THROWS_AS(read_value(from, Form::indirect, {}), Damaged);
}
