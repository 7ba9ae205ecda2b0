#include "core/core.hpp"

#include <algorithm>
#include <iterator>

#include "base/hexadecimal.hpp"
#include "contract/fault_signal.hpp"
#include "contract/requester.hpp"
#include "core/in_order.hpp"

namespace croftsim {

void serialise(Archive& archive, GuestFault& fault) {
    std::string what = fault.what();
    std::uint32_t signal = fault.signal;
    std::uint64_t address = fault.address;
    archive(fault.core, what, fault.exit_code, signal, address);
    if (archive.loads()) fault = GuestFault(fault.core, what, fault.exit_code);
    fault.signal = signal;
    fault.address = address;
}

void Core::serialise(Archive& archive) {
    if (runs_ahead && !archive.loads()) take_checkpoint();
    archive(hart, instructions, reservation, state, cycle, safe, stop, drains, called, runs_ahead, started,
            asleep_since, data_came, begun, wait_limit, handler_since, kernel_request, skipped, accesses, statistics,
            fetches, account, fault_pending);
    blocks->serialise_place(archive, block);
    const std::uint64_t limit = block ? block->ops.size() : 0;
    const std::uint64_t now = op ? static_cast<std::uint64_t>(op - block->ops.data()) : Archive::nowhere;
    const std::uint64_t at = archive.place(now, limit);
    op = at == Archive::nowhere ? nullptr : block->ops.data() + at;
    model->serialise(archive);
    floating_changed |= archive.loads();
    if (archive.loads() && runs_ahead) take_checkpoint();
}

Core::Core(std::uint32_t id_, BlockCache& blocks_, CoherenceCheck* check_)
    : id(id_), blocks(&blocks_), model(std::make_unique<InOrder>(*this)), check(check_) {}
Core::~Core() = default;

namespace {

struct StateTraits {
    CoreState state;
    const char* does;
    Stall waits_for = Stall::kernel;
};
constexpr StateTraits states[] = {
    {CoreState::idle, "has no thread"},
    {CoreState::runs, "runs"},
    {CoreState::waits_fetch, "waits for an instruction", Stall::fetch},
    {CoreState::waits_memory, "waits for a load or an atomic operation", Stall::home},
    {CoreState::waits_fence, "waits for its stores to be acknowledged (fence)", Stall::fence},
    {CoreState::waits_store, "waits for room in the store buffer", Stall::store_buffer},
    {CoreState::waits_message, "waits for a message (croft.receive)", Stall::network},
    {CoreState::waits_copy, "waits for the DMA engine (croft.copy)", Stall::network},
    {CoreState::waits_network, "waits for room in the user network (croft.send)", Stall::network},
    {CoreState::waits_line, "waits for a line to change (wrs.nto)", Stall::line},
    {CoreState::in_kernel, "is in a system call"},
    {CoreState::trapped, "stopped at ebreak"},
};
static_assert(std::size(states) == 1 + static_cast<std::size_t>(CoreState::trapped) &&
                  std::ranges::all_of(states,
                                      [](const StateTraits& one) { return &states[std::size_t(one.state)] == &one; }),
              "each, in the order of CoreState");

}  // namespace

const char* Core::does() const { return states[static_cast<std::size_t>(state)].does; }
Stall Core::waits_for() const { return states[static_cast<std::size_t>(state)].waits_for; }

bool Core::fetch() {
    if (runs_ahead && checkpoint.full()) return false;
    const auto note = [this](std::uint64_t& word) {
        if (runs_ahead) checkpoint.note(reinterpret_cast<std::uintptr_t>(&word));
    };
    for (std::uint64_t line = block->first_line; line <= block->last_line; line += line_bytes) {
        if (instructions.touch(line, note)) continue;
        if (cycle >= safe) return false;
        fetches.missed(block->lines);
        sleep(CoreState::waits_fetch, cycle);
        requester->ask_for_program(line, cycle);
        return false;
    }
    return true;
}

void Core::wild_access(const char* what, unsigned size, std::uint64_t address) {
    const Page* page = blocks->memory().find(address);
    fault(std::string("wild access: ") + what + " of " + std::to_string(size) + " bytes at " + hexadecimal(address) +
              ", where " + (page && page->permission ? "the memory does not allow it" : "there is no memory"),
          139, fault_signal::segmentation, address);
}

}  // namespace croftsim
