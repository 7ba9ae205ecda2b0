#include "debug_info/call_frames.hpp"

#include <algorithm>
#include <tuple>

namespace croftsim::debug_info {
namespace {

// An address or a length in one of the encodings DW_EH_PE_....
std::uint64_t read_pointer(Reader& from, std::uint8_t encoding) {
    switch (encoding & 0x0f) {
        case 0x00:
        case 0x04:
        case 0x0c:
            return from.number(8);
        case 0x01:
            return from.uleb();
        case 0x02:
            return from.number(2);
        case 0x03:
            return from.number(4);
        case 0x09:
            return static_cast<std::uint64_t>(from.sleb());
        case 0x0a:
            return static_cast<std::uint64_t>(static_cast<std::int16_t>(from.number(2)));
        case 0x0b:
            return static_cast<std::uint64_t>(static_cast<std::int32_t>(from.number(4)));
        default:
            throw Damaged{};
    }
}

// The rest of an entry, behind the length with which it begins.
Reader entry_at(Bytes table, std::uint64_t offset, UnitLength& length) {
    Reader from(table, offset);
    length = UnitLength(from);
    return Reader(table.first(from.at() + length.bytes), from.at());
}

}  // namespace

// While instructions are carried out, up to an address.
struct CallFrames::State {
    std::uint64_t wanted = 0;
    std::uint64_t address = 0;
    const Common& common;
    FrameRules rules{};
    FrameRules initial{};  // those of `common`, to which registers are restored
    std::vector<FrameRules> remembered{};
};

CallFrames::CallFrames(const Section& section, Budget& budget) : budget_(budget) {
    try {
        read(section);
    } catch (const Damaged&) {
        functions_.clear();
    }
    std::ranges::sort(functions_, {}, [](const Function& of) { return std::tuple(of.begin, of.end); });
}

void CallFrames::read(const Section& section) {
    for (std::uint64_t offset = 0; offset < section.bytes.size();) {
        Reader start(section.bytes, offset);
        UnitLength length(start);
        if (length.bytes == 0) {  // the mark of an end, behind which another object's may go on
            offset = start.at();
            continue;
        }
        Reader from = entry_at(section.bytes, offset, length);
        const std::uint64_t end = from.at() + length.bytes;
        const std::uint64_t distance_from = from.at();
        const std::uint64_t distance = from.number(length.offset_size);
        offset = end;
        if (distance == 0) continue;  // common parts are read where they are referred to
        Function function;
        function.common = &common(section.bytes, distance_from - distance);
        const std::uint8_t encoding = function.common->pointers;
        const std::uint64_t here = section.address + from.at();
        function.begin = read_pointer(from, encoding);
        constexpr std::uint8_t relative = 0x10;  // DW_EH_PE_pcrel
        if ((encoding & 0xf0) == relative)
            function.begin += here;
        else if ((encoding & 0xf0) != 0)
            throw Damaged{};
        function.end = function.begin + read_pointer(from, encoding);
        if (function.common->has_augmentation) from.skip(from.uleb());
        function.instructions = from.bytes(from.left());
        functions_.push_back(function);
    }
}

const CallFrames::Common& CallFrames::common(Bytes table, std::uint64_t offset) {
    const auto known = common_.find(offset);
    if (known != common_.end()) return known->second;
    UnitLength length = [&] {
        Reader from(table, offset);
        return UnitLength(from);
    }();
    Reader from = entry_at(table, offset, length);
    budget_.spend(length.bytes);
    if (from.number(length.offset_size) != 0) throw Damaged{};
    const std::uint8_t version = from.u8();
    const std::string_view augmentation = from.text();
    Common read;
    read.code_step = from.uleb();
    read.data_step = from.sleb();
    version == 1 ? from.u8() : from.uleb();  // the register of the return address: RISC-V's ra
    if (augmentation.starts_with('z')) {
        read.has_augmentation = true;
        Reader data(from.bytes(from.uleb()));
        for (const char what : augmentation.substr(1)) {
            if (what == 'R') {
                read.pointers = data.u8();
            } else if (what == 'P') {
                const std::uint8_t encoding = data.u8();
                read_pointer(data, encoding);
            } else if (what == 'L') {
                data.u8();
            } else if (what != 'S' && what != 'B') {
                break;  // newer than this; its data are passed over
            }
        }
    } else if (!augmentation.empty()) {
        throw Damaged{};
    }
    read.instructions = from.bytes(from.left());
    return common_[offset] = read;
}

std::optional<FrameRules> CallFrames::rules(std::uint64_t address) {
    const auto after = std::ranges::upper_bound(functions_, address, {}, &Function::begin);
    if (after == functions_.begin() || address >= std::prev(after)->end) return {};
    const Function& function = *std::prev(after);
    try {
        State state{.wanted = address, .address = function.begin, .common = *function.common};
        carry_out(function.common->instructions, state);
        state.initial = state.rules;
        carry_out(function.instructions, state);
        return state.rules;
    } catch (const Damaged&) {
        return {};
    }
}

void CallFrames::carry_out(Bytes instructions, State& state) const {
    // Compilers remember one. A damaged table may ask for as many as it has bytes.
    constexpr std::size_t most_remembered = 64;
    budget_.spend(instructions.size());
    FrameRules& rules = state.rules;
    Reader from(instructions);
    const auto offset = [&](std::int64_t steps) {
        return static_cast<std::int64_t>(static_cast<std::uint64_t>(steps) *
                                         static_cast<std::uint64_t>(state.common.data_step));
    };
    const auto keep = [&](std::uint64_t number, std::optional<std::int64_t> at) {
        if (number < FrameRules::registers) rules.kept[number] = at;
    };
    const auto restore = [&](std::uint64_t number) {
        if (number < FrameRules::registers) rules.kept[number] = state.initial.kept[number];
    };
    const auto advance = [&](std::uint64_t steps) {
        state.address += steps * state.common.code_step;
        return state.address > state.wanted;  // what comes holds further on only
    };
    const auto define_frame = [&](std::uint64_t number, std::int64_t distance) {
        rules.frame_register = number;
        rules.offset = distance;
    };
    while (from.left() != 0) {
        const std::uint8_t operation = from.u8();
        const std::uint8_t low = operation & 0x3f;
        switch (operation & 0xc0) {
            case 0x40:  // DW_CFA_advance_loc
                if (advance(low)) return;
                continue;
            case 0x80:  // DW_CFA_offset
                keep(low, offset(static_cast<std::int64_t>(from.uleb())));
                continue;
            case 0xc0:  // DW_CFA_restore
                restore(low);
                continue;
        }
        switch (operation) {
            case 0x00:  // DW_CFA_nop
                break;
            case 0x01:  // DW_CFA_set_loc
                state.address = from.number(8);
                if (advance(0)) return;
                break;
            case 0x02:  // DW_CFA_advance_loc1
                if (advance(from.number(1))) return;
                break;
            case 0x03:  // DW_CFA_advance_loc2
                if (advance(from.number(2))) return;
                break;
            case 0x04:  // DW_CFA_advance_loc4
                if (advance(from.number(4))) return;
                break;
            case 0x05: {  // DW_CFA_offset_extended
                const std::uint64_t number = from.uleb();
                keep(number, offset(static_cast<std::int64_t>(from.uleb())));
                break;
            }
            case 0x06:  // DW_CFA_restore_extended
                restore(from.uleb());
                break;
            case 0x07:  // DW_CFA_undefined
            case 0x08:  // DW_CFA_same_value
                keep(from.uleb(), {});
                break;
            case 0x09:  // DW_CFA_register
            case 0x14:  // DW_CFA_val_offset
                keep(from.uleb(), {});
                from.uleb();
                break;
            case 0x0a:  // DW_CFA_remember_state
                if (state.remembered.size() == most_remembered) throw Damaged{};
                state.remembered.push_back(rules);
                break;
            case 0x0b:  // DW_CFA_restore_state
                if (state.remembered.empty()) throw Damaged{};
                rules = state.remembered.back();
                state.remembered.pop_back();
                break;
            case 0x0c: {  // DW_CFA_def_cfa
                const std::uint64_t number = from.uleb();
                define_frame(number, static_cast<std::int64_t>(from.uleb()));
                break;
            }
            case 0x0d:  // DW_CFA_def_cfa_register
                define_frame(from.uleb(), rules.offset);
                break;
            case 0x0e:  // DW_CFA_def_cfa_offset
                rules.offset = static_cast<std::int64_t>(from.uleb());
                break;
            case 0x0f:  // DW_CFA_def_cfa_expression
                from.skip(from.uleb());
                rules.frame_register.reset();
                break;
            case 0x10:  // DW_CFA_expression
            case 0x16:  // DW_CFA_val_expression
                keep(from.uleb(), {});
                from.skip(from.uleb());
                break;
            case 0x11: {  // DW_CFA_offset_extended_sf
                const std::uint64_t number = from.uleb();
                keep(number, offset(from.sleb()));
                break;
            }
            case 0x12: {  // DW_CFA_def_cfa_sf
                const std::uint64_t number = from.uleb();
                define_frame(number, offset(from.sleb()));
                break;
            }
            case 0x13:  // DW_CFA_def_cfa_offset_sf
                rules.offset = offset(from.sleb());
                break;
            case 0x15:  // DW_CFA_val_offset_sf
                keep(from.uleb(), {});
                from.sleb();
                break;
            case 0x2e:  // DW_CFA_GNU_args_size
                from.uleb();
                break;
            default:
                throw Damaged{};
        }
    }
}

}  // namespace croftsim::debug_info
