#pragma once
// How values stand in the tables. DWARF 5, 7.5.6; DWARF 4, 7.5.4.

#include <cstdint>

#include "debug_info/reader.hpp"

namespace croftsim::debug_info {

enum class Form : std::uint16_t {
    none = 0,
    addr = 0x01,
    block2 = 0x03,
    block4 = 0x04,
    data2 = 0x05,
    data4 = 0x06,
    data8 = 0x07,
    string = 0x08,
    block = 0x09,
    block1 = 0x0a,
    data1 = 0x0b,
    flag = 0x0c,
    sdata = 0x0d,
    strp = 0x0e,
    udata = 0x0f,
    ref_addr = 0x10,
    ref1 = 0x11,
    ref2 = 0x12,
    ref4 = 0x13,
    ref8 = 0x14,
    ref_udata = 0x15,
    indirect = 0x16,
    sec_offset = 0x17,
    exprloc = 0x18,
    flag_present = 0x19,
    strx = 0x1a,
    addrx = 0x1b,
    ref_sup4 = 0x1c,
    strp_sup = 0x1d,
    data16 = 0x1e,
    line_strp = 0x1f,
    ref_sig8 = 0x20,
    implicit_const = 0x21,
    loclistx = 0x22,
    rnglistx = 0x23,
    ref_sup8 = 0x24,
    strx1 = 0x25,
    strx2 = 0x26,
    strx3 = 0x27,
    strx4 = 0x28,
    addrx1 = 0x29,
    addrx2 = 0x2a,
    addrx3 = 0x2b,
    addrx4 = 0x2c,
    // GNU's, for what a program shares with others
    gnu_ref_alt = 0x1f20,
    gnu_strp_alt = 0x1f21,
};

// A value as it stands there: a number, or an offset into the table that its form names. A text in place has its offset
// in the table that was read. A value of more bytes than a number is passed over, and is 0.
struct Value {
    Form form = Form::none;
    std::uint64_t number = 0;

    explicit operator bool() const { return form != Form::none; }
};

struct Encoding {
    std::uint16_t version = 5;
    std::uint8_t offset_size = 4;

    static constexpr std::uint8_t address_size = 8;  // of all programs here
};

// The form with that number. Throws Damaged if the number is larger than those of all forms.
inline Form form_of(std::uint64_t number) {
    if (number > 0xffff) throw Damaged{};
    return static_cast<Form>(number);
}

// Throws Damaged, also for a form that no version of DWARF has. `implicit` is the value of implicit_const.
Value read_value(Reader& from, Form form, const Encoding& encoding, std::int64_t implicit = 0);

}  // namespace croftsim::debug_info
