#include "core/functional_memory.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "isa/atomic_operation.hpp"

namespace croftsim {
namespace {

constexpr std::size_t shown_lines = 512;
constexpr std::uint64_t longest_sleep = 1000;  // cycles for a line to change: nobody tells when it does

}  // namespace

FunctionalMemory::FunctionalMemory(Core& core, std::uint32_t l1_line, std::size_t most, AddressSpace& memory,
                                   std::uint64_t& order)
    : core_(core),
      caches_(*core.requester),
      caches_fast_(core.fast),
      caches_acquire_(core.acquires),
      memory_(memory),
      l1_line_(l1_line),
      most_(most),
      order_(order),
      lines_(shown_lines) {
    core.requester = this;
    core.fast = {lines_.data(), lines_.size() - 1, writable_.data()};
    core.acquires = false;
    core.longest_wait = longest_sleep;
}

void FunctionalMemory::give_back() {
    core_.requester = &caches_;
    core_.fast = caches_fast_;
    core_.acquires = caches_acquire_;
    core_.longest_wait = never;
    core_.reservation.lose();
}

void FunctionalMemory::forget() {
    std::ranges::fill(lines_, L1Filter::Fast{});
    writable_.clear();
}

// ---- what has been used ----

void FunctionalMemory::use(std::uint64_t address, unsigned how) {
    Use& last = used_[line_of(address)];
    last.line = line_of(address);
    last.order = ++order_;
    last.reads |= (how & reads) != 0;
    last.writes |= (how & writes) != 0;
    last.executes |= (how & executes) != 0;
    if (used_.size() < 2 * most_) return;
    const std::vector<Use> latest = uses();
    used_.clear();
    for (const Use& kept : latest) used_[kept.line] = kept;
}

std::vector<FunctionalMemory::Use> FunctionalMemory::uses() {
    std::vector<Use> all;
    for (const auto& [line, last] : used_) all.push_back(last);
    const std::size_t kept = std::min(most_, all.size());
    std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                     [](const Use& one, const Use& other) { return one.order > other.order; });
    all.resize(kept);
    return all;
}

// Whoever leaves a table has been used until now, perhaps.
template <class Entry>
void FunctionalMemory::show(Entry& entry, std::uint64_t line, std::uint64_t address, How how) {
    const Page* const page = memory_.find(address);
    if (!page->dram) return;
    if (entry.line != Entry{}.line) use(entry.line, how);
    const std::uint64_t from = address / AddressSpace::page_bytes * AddressSpace::page_bytes;
    entry = {line, reinterpret_cast<std::uintptr_t>(page->dram) - from};
}

// ---- operations ----

void FunctionalMemory::check(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what) {
    if (!memory_.allows(address, size, permission)) core_.wild_access(what, size, address);
}

void FunctionalMemory::check_atomic(std::uint64_t address, unsigned size, const char* what) {
    check(address, size, Permission::read | Permission::write, what);
    if (address % size) core_.fault(std::string(what) + " at a misaligned address", 135);
}

Access FunctionalMemory::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) {
    const unsigned size = size_of(type);
    check(address, size, Permission::read, "a load");
    if (reserve != Reserve::no && address % size) core_.fault("a load-reserved at a misaligned address", 135);
    std::uint64_t raw = 0;
    memory_.read_dram(address, &raw, size);
    core_.set_result(type, rd, raw);
    if (reserve == Reserve::start) core_.reservation.start(line_of(address));
    if (reserve == Reserve::add) core_.reservation.add(line_of(address));
    use(address, reads);
    const std::uint64_t number = address / l1_line_;
    show(lines_[number % lines_.size()], number * l1_line_, address, reads);
    return Access::done;
}

Access FunctionalMemory::store(std::uint64_t address, unsigned size, std::uint64_t value, bool) {
    check(address, size, Permission::write, "a store");
    memory_.write_dram(address, &value, size);
    use(address, writes);
    show(writable_.at(address), line_of(address), address, writes);
    return Access::done;
}

Access FunctionalMemory::atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd,
                                std::uint64_t address, const AtomicOperands& operands) {
    const unsigned size = size_of(type);
    check_atomic(address, size, "an atomic operation");
    std::uint8_t bytes[sizeof(RegisterPair)] = {};
    memory_.read_dram(address, bytes, size);
    const AtomicOutcome outcome = carry_out(bytes, operation, operands, size, is_unsigned);
    if (outcome.stored) memory_.write_dram(address, bytes, size);
    core_.set_result(type, rd, outcome.old);
    use(address, reads | writes);
    return Access::done;
}

Access FunctionalMemory::store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) {
    const unsigned size = size_of(type);
    check_atomic(address, size, "a store-conditional");
    const bool stores = core_.reservation.permits_store(line_of(address));
    core_.reservation.lose();
    if (stores) memory_.write_dram(address, &value, size);
    core_.set_result(LoadType::i64, rd, stores ? 0 : 1);
    use(address, stores ? reads | writes : unsigned{reads});
    return Access::done;
}

// The instruction cache is the machine's own, and sees all that is executed.
void FunctionalMemory::ask_for_program(std::uint64_t line, std::uint64_t time) {
    use(line, executes);
    core_.instructions.insert(line);
    core_.model->program_arrived(line, time, time);
}

}  // namespace croftsim
