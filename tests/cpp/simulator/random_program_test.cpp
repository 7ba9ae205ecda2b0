// Random programs on an in-order core and on an out-of-order one: the same registers and memory in the end.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "isa/disassemble.hpp"
#include "isa/encoding.hpp"
#include "machine/probe.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t code_at = 0x100000, page_at = 0x20000, scratch_bytes = 4096;

// Three registers point into the scratch memory and keep their values, x31 counts rounds; everything else is random.
constexpr std::uint32_t pointers[] = {2, 8, 9}, counter = 31;

class Generator {
public:
    explicit Generator(std::uint64_t seed) : random_(seed) {
        for (std::uint32_t i = 0; i < encodings.size(); ++i) {
            const auto opcode = static_cast<Opcode>(i);
            switch (cost_of(opcode)) {
                case Cost::system:
                case Cost::fence:
                case Cost::send:
                case Cost::push:
                case Cost::receive:
                case Cost::csr:
                case Cost::jump:
                    continue;
                case Cost::atomic: {
                    const std::string name = name_of(opcode);
                    if (!name.starts_with("amo")) continue;
                    atomics_.push_back(opcode);
                    continue;
                }
                case Cost::branch:
                    branches_.push_back(opcode);
                    continue;
                case Cost::load:
                    loads_.push_back(opcode);
                    continue;
                case Cost::store:
                    if (opcode != Opcode::cbo_zero) stores_.push_back(opcode);
                    continue;
                default:
                    computes_.push_back(opcode);
            }
        }
    }

    // A loop of some rounds around `length` instructions or so, with branches forward, calls, loads whose values
    // decide, and addresses that are computed late.
    std::vector<std::uint32_t> program(std::size_t length) {
        std::vector<std::uint32_t> code;
        std::vector<bool> inside;  // a sequence, where nobody may jump to
        std::vector<Transfer> transfers;
        while (code.size() < length) {
            inside.resize(code.size(), true);
            inside.push_back(false);
            switch (const std::uint32_t choice = below(100); choice) {
                case 0:
                    code.push_back(match(Opcode::fence) | 0xff << 20);
                    break;
                case 1:  // frm to something that is a rounding mode; fflags read and cleared
                    code.push_back(match(Opcode::csrrwi) | below(5) << 15 | 2 << 20);
                    code.push_back(match(Opcode::csrrwi) | result() << 7 | 1 << 20);
                    break;
                case 2:
                case 3: {  // an address in a register of its own: aligned
                    const std::uint32_t base = temporary();
                    code.push_back(match(Opcode::addi) | base << 7 | pointer() << 15 | below(64) * 16 << 20);
                    const Encoding& atomic = encoding_of(pick(atomics_));
                    const bool is_pair = atomic.match == match(Opcode::amocas_q);
                    code.push_back(atomic.match | (((is_pair ? pair() : result()) << 7 | base << 15 | below(32) << 20 |
                                                    below(4) << 25) &
                                                   ~atomic.mask));
                    break;
                }
                case 4: {  // a call over a few instructions, to a place found by register
                    const std::uint32_t base = temporary();
                    code.push_back(match(Opcode::auipc) | base << 7);
                    transfers.push_back({code.size(), code.size() - 1, code.size() + 1 + below(6)});
                    code.push_back(match(Opcode::jalr) | (below(2) ? 1u : result()) << 7 | base << 15);
                    break;
                }
                default:
                    if (choice < 15) {
                        transfers.push_back({code.size(), code.size(), code.size() + 1 + below(8)});
                        code.push_back(match(pick(branches_)) | result() << 15 | below(32) << 20);
                    } else if (choice < 33) {
                        code.push_back(load(pick(loads_), pointer(), offset()));
                    } else if (choice < 46) {
                        code.push_back(store(pick(stores_), pointer(), offset()));
                    } else if (choice <
                               50) {  // at an address that depends on what another load brings; then near there
                        const std::uint32_t base = temporary(), near = pointer();
                        code.push_back(match(Opcode::lwu) | base << 7 | pointer() << 15 | below(2048) << 20);
                        code.push_back(match(Opcode::andi) | base << 7 | base << 15 | 31 << 20);
                        code.push_back(match(Opcode::add) | base << 7 | base << 15 | near << 20);
                        code.push_back(below(4) ? store(pick(stores_), base, below(8))
                                                : load(pick(loads_), base, below(8)));
                        code.push_back(below(4) ? load(pick(loads_), near, below(40))
                                                : store(pick(stores_), near, below(40)));
                    } else {
                        code.push_back(compute(pick(computes_)));
                    }
            }
        }
        inside.resize(code.size(), true);
        for (Transfer transfer : transfers) {
            while (transfer.to < inside.size() && inside[transfer.to]) ++transfer.to;
            const auto offset = static_cast<std::uint32_t>(transfer.to - transfer.from) * 4;
            code[transfer.at] |= transfer.from == transfer.at ? branch_offset(offset) : offset << 20;
        }
        code.insert(code.end(), 12, match(Opcode::addi));  // where transfers may lead beyond the last
        code.push_back(match(Opcode::addi) | counter << 7 | counter << 15 | 0xfffu << 20);
        const auto back = static_cast<std::uint32_t>(code.size() + 1) * 4;
        code.push_back(match(Opcode::beq) | counter << 15 | 8 << 7);
        code.push_back(match(Opcode::jal) | jump_offset(0u - back));
        if (below(4) == 0) code[below(code.size())] = 0;  // illegal: a fault in the middle, if control gets there
        code.push_back(0x00100073);                       // ebreak
        return code;
    }

    std::uint64_t value() {
        constexpr std::uint64_t special[] = {0,
                                             1,
                                             2,
                                             ~std::uint64_t{0},
                                             0x8000000000000000u,
                                             0x3ff0000000000000u,
                                             0xffffffff3f800000u,
                                             0x7ff0000000000000u,
                                             0xffffffff7fc00000u,
                                             0xffffffffffff3c00u};
        return below(3) ? random_() : special[below(std::size(special))];
    }
    std::uint32_t below(std::uint64_t end) { return static_cast<std::uint32_t>(random_() % end); }

private:
    static std::uint32_t match(Opcode opcode) { return encoding_of(opcode).match; }
    Opcode pick(const std::vector<Opcode>& of) { return of[below(of.size())]; }
    std::uint32_t offset() { return below(2) ? below(2048) : below(72); }
    std::uint32_t pointer() { return pointers[below(3)]; }
    std::uint32_t result() {
        std::uint32_t rd;
        do rd = below(32);
        while (std::ranges::find(pointers, rd) != std::end(pointers) || rd == counter);
        return rd;
    }
    std::uint32_t pair() {  // of which no program needs either register
        std::uint32_t rd;
        do rd = result() & ~1u;
        while (rd == 2 || rd == 8 || rd + 1 == counter);
        return rd;
    }
    std::uint32_t temporary() {
        std::uint32_t rd;
        do rd = result();
        while (rd == 0);
        return rd;
    }
    struct Transfer {
        std::size_t at, from, to;  // indices: the instruction, what its offset counts from, where it leads
    };
    static std::uint32_t branch_offset(std::uint32_t bits) {
        return (bits >> 5 & 63) << 25 | (bits >> 1 & 15) << 8 | (bits >> 11 & 1) << 7 | (bits >> 12 & 1) << 31;
    }
    static std::uint32_t jump_offset(std::uint32_t bits) {
        return (bits >> 20 & 1) << 31 | (bits >> 1 & 0x3ff) << 21 | (bits >> 11 & 1) << 20 | (bits >> 12 & 0xff) << 12;
    }
    std::uint32_t destination(Opcode opcode) {
        return registers_of(opcode).rd == Bank::floating ? below(32) : result();
    }
    std::uint32_t load(Opcode opcode, std::uint32_t base, std::uint32_t offset) {
        return match(opcode) | destination(opcode) << 7 | base << 15 | offset << 20;
    }
    std::uint32_t store(Opcode opcode, std::uint32_t base, std::uint32_t offset) {
        return match(opcode) | base << 15 | below(32) << 20 | (offset >> 5) << 25 | (offset & 31) << 7;
    }
    std::uint32_t compute(Opcode opcode) {
        const Encoding& encoding = encoding_of(opcode);
        std::uint32_t word = below(32) << 15 | below(32) << 20 | below(32) << 27 | below(1 << 12) << 20;
        if (encoding.format == Format::U) word = below(1 << 20) << 12;
        if (encoding.format == Format::float_r || encoding.format == Format::float_r4) {
            constexpr std::uint32_t modes[] = {0, 1, 2, 3, 4, 7};
            word |= modes[below(6)] << 12;
        }
        return encoding.match | ((word | destination(opcode) << 7) & ~encoding.mask);
    }

    std::mt19937_64 random_;
    std::vector<Opcode> computes_, branches_, loads_, stores_, atomics_;
};

MachineDescription probe_machine() {
    MachineDescription machine = HartProbe::small_machine();
    machine.home.reset();
    machine.shared = SharedCacheDescription{{6, 1, 1, 1, 2, 1, 1}, 4096, 4, {{0, 0}}};
    CoreKind kind{"core", 1, Protocol::mesi, machine.kinds[0].core, {512, 64, 2, 1}};
    kind.core.cost[static_cast<std::size_t>(Cost::divide)] = 20;
    machine.kinds = {kind};
    return machine;
}

struct Result {
    std::string ending;
    Hart hart;
    std::vector<std::uint8_t> memory;
    std::uint64_t cycles = 0;
};

Result run(const MachineDescription& machine, std::uint64_t seed) {
    Generator generator(seed);
    const std::vector<std::uint32_t> code = generator.program(20 + generator.below(150));
    HartProbe probe(machine);
    probe.map(code_at, 16384);
    probe.map(page_at, scratch_bytes);
    std::vector<std::uint8_t> memory(scratch_bytes);
    for (std::size_t i = 0; i < memory.size(); i += 8) {
        const std::uint64_t value = generator.value();
        std::memcpy(memory.data() + i, &value, 8);
    }
    probe.write(code_at, {reinterpret_cast<const std::uint8_t*>(code.data()), code.size() * 4});
    probe.write(page_at, memory);
    for (std::uint32_t i = 1; i < 32; ++i) probe.hart().x[i] = generator.value();
    for (std::uint64_t& f : probe.hart().f) f = generator.value();
    for (const std::uint32_t pointer : pointers) probe.hart().x[pointer] = page_at + generator.below(64) * 16;
    probe.hart().x[counter] = 1 + generator.below(12);
    probe.hart().pc = code_at;
    Result result;
    result.ending = probe.run(3'000'000);
    result.hart = probe.hart();
    result.cycles = probe.cycles();
    result.memory.resize(scratch_bytes);
    probe.read(page_at, result.memory);
    return result;
}

}  // namespace

TEST_CASE("random programs compute the same in order and out of order") {
    const MachineDescription in_order = probe_machine();
    std::vector<MachineDescription> windows(4, in_order);
    for (MachineDescription& machine : windows) machine.kinds[0].out_of_order = OutOfOrderDescription{};
    OutOfOrderDescription& small = *windows[1].kinds[0].out_of_order;
    small.reorder_buffer = 7;
    small.load_store_queue = 3;
    small.registers = 35;
    small.mispredict = 0;
    OutOfOrderDescription& large = *windows[2].kinds[0].out_of_order;
    large.width = large.fetch_width = large.issue_width = 8;
    large.reorder_buffer = 500;
    large.load_store_queue = 100;
    large.registers = 600;
    OutOfOrderDescription& other = *windows[3].kinds[0].out_of_order;
    other.load_store_queue = 0;
    other.load_queue = 5;
    other.store_queue = 3;
    other.squash = 2;
    other.same_line = OutOfOrderDescription::SameLine::blocks;
    other.issue_queue = 6;
    other.l1_accesses = 1;
    other.entry_reuse = other.register_reuse = 4;
    other.load_reuse = other.store_delay = 2;
    other.return_addresses = 0;
    other.indirect_sets = 16;
    MachineDescription tile = HartProbe::small_machine();  // whose second cache is the home of all lines
    tile.kinds[0].l1d = {256, 64, 2, 2};
    tile.kinds[0].l2 = SecondCacheDescription{{1024, 64, 2, 8}};
    tile.kinds[0].out_of_order = OutOfOrderDescription{};
    windows.push_back(tile);
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        const Result expected = run(in_order, seed);
        REQUIRE(expected.ending != "cycle limit");
        for (const MachineDescription& machine : windows) {
            CAPTURE(machine.name);
            CAPTURE(machine.kinds[0].out_of_order->reorder_buffer);
            const Result got = run(machine, seed);
            REQUIRE(got.ending == expected.ending);
            for (std::size_t i = 1; i < 32; ++i) {
                CAPTURE(i);
                REQUIRE(got.hart.x[i] == expected.hart.x[i]);
                REQUIRE(got.hart.f[i] == expected.hart.f[i]);
            }
            REQUIRE(got.hart.f[0] == expected.hart.f[0]);
            if (got.ending == "ebreak") REQUIRE(got.hart.pc == expected.hart.pc);
            REQUIRE(int{got.hart.fflags} == int{expected.hart.fflags});
            REQUIRE(got.memory == expected.memory);
        }
    }
}

}  // namespace croftsim
