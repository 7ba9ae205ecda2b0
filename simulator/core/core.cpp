#include "core/core.hpp"

#include "base/hexadecimal.hpp"
#include "base/one_of.hpp"
#include "contract/requester.hpp"
#include "core/in_order.hpp"

namespace croftsim {

void serialise(Archive& archive, GuestFault& fault) {
    std::string what = fault.what();
    archive(fault.core, what, fault.exit_code);
    if (archive.loads()) fault = GuestFault(fault.core, what, fault.exit_code);
}

void Core::serialise(Archive& archive) {
    if (runs_ahead && !archive.loads()) take_checkpoint();
    bool faults = fault_pending.has_value();
    archive(hart, instructions, reservation, state, cycle, safe, stop, drains, runs_ahead, started, asleep_since,
            data_came, begun, wait_limit, handler_since, kernel_request, skipped, accesses, statistics, fetches,
            account, faults);
    if (archive.loads() && faults) fault_pending.emplace(id, "");
    if (faults) croftsim::serialise(archive, *fault_pending);
    blocks->serialise_place(archive, block);
    const bool is_at = op != nullptr;
    const std::uint64_t limit = block ? block->ops.size() : 0;
    const std::uint64_t at =
        archive.place(is_at ? static_cast<std::uint64_t>(op - block->ops.data()) : Archive::nowhere, limit);
    op = at == Archive::nowhere ? nullptr : block->ops.data() + at;
    model->serialise(archive);
    floating_changed |= archive.loads();
    if (archive.loads() && runs_ahead) take_checkpoint();
}

Core::Core(std::uint32_t id_, BlockCache& blocks_, CoherenceCheck* check_)
    : id(id_), blocks(&blocks_), model(std::make_unique<InOrder>(*this)), check(check_) {}
Core::~Core() = default;

Stall Core::waits_for() const {
    if (state == CoreState::waits_fetch) return Stall::fetch;
    if (state == CoreState::waits_memory) return Stall::home;
    if (state == CoreState::waits_fence) return Stall::fence;
    if (state == CoreState::waits_store) return Stall::store_buffer;
    if (state == CoreState::waits_line) return Stall::line;
    const bool on_network =
        is_one_of(state, {CoreState::waits_message, CoreState::waits_copy, CoreState::waits_network});
    return on_network ? Stall::network : Stall::kernel;
}

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
          139);
}

}  // namespace croftsim
