#include "debug_info/form.hpp"

namespace croftsim::debug_info {
namespace {

std::uint64_t read_number(Reader& from, Form form, const Encoding& encoding) {
    const auto passed_over = [&](std::uint64_t bytes) {
        from.skip(bytes);
        return std::uint64_t{0};
    };
    switch (form) {
        case Form::addr:
            return from.number(Encoding::address_size);
        case Form::data1:
        case Form::flag:
        case Form::ref1:
        case Form::strx1:
        case Form::addrx1:
            return from.number(1);
        case Form::data2:
        case Form::ref2:
        case Form::strx2:
        case Form::addrx2:
            return from.number(2);
        case Form::strx3:
        case Form::addrx3:
            return from.number(3);
        case Form::data4:
        case Form::ref4:
        case Form::ref_sup4:
        case Form::strx4:
        case Form::addrx4:
            return from.number(4);
        case Form::data8:
        case Form::ref8:
        case Form::ref_sup8:
        case Form::ref_sig8:
            return from.number(8);
        case Form::sdata:
            return static_cast<std::uint64_t>(from.sleb());
        case Form::udata:
        case Form::ref_udata:
        case Form::strx:
        case Form::addrx:
        case Form::loclistx:
        case Form::rnglistx:
            return from.uleb();
        case Form::strp:
        case Form::line_strp:
        case Form::sec_offset:
        case Form::strp_sup:
        case Form::gnu_ref_alt:
        case Form::gnu_strp_alt:
            return from.number(encoding.offset_size);
        case Form::ref_addr:
            return from.number(encoding.version < 3 ? Encoding::address_size : encoding.offset_size);
        case Form::string: {
            const std::uint64_t begin = from.at();
            from.text();
            return begin;
        }
        case Form::flag_present:
            return 1;
        case Form::block1:
            return passed_over(from.number(1));
        case Form::block2:
            return passed_over(from.number(2));
        case Form::block4:
            return passed_over(from.number(4));
        case Form::block:
        case Form::exprloc:
            return passed_over(from.uleb());
        case Form::data16:
            return passed_over(16);
        case Form::none:
        case Form::indirect:
        case Form::implicit_const:
            break;
    }
    throw Damaged{};
}

}  // namespace

Value read_value(Reader& from, Form form, const Encoding& encoding, std::int64_t implicit) {
    if (form == Form::implicit_const) return {form, static_cast<std::uint64_t>(implicit)};
    while (form == Form::indirect) form = form_of(from.uleb());
    return {form, read_number(from, form, encoding)};
}

}  // namespace croftsim::debug_info
