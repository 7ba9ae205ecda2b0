// The counts of a run, as rows of (part, index, name, unit, value). docs/statistics.md says what each row means.

#include <algorithm>
#include <numeric>

#include "machine/machine.hpp"

namespace croftsim {
namespace {

// Issuing, then each Stall.
constexpr const char* causes[] = {
    "issue",     "stall_l2",     "stall_home", "stall_memory", "stall_atomic", "stall_fence",      "stall_store_buffer",
    "wait_line", "wait_network", "interrupt",  "wait_kernel",  "stall_fetch",  "stall_translation"};
static_assert(std::size(causes) == 1 + static_cast<std::size_t>(Stall::count));

// The traffic of the on-chip network, as paper 002 divides it (figure 8).
struct Category {
    const char* name;
    std::initializer_list<MessageKind> kinds;
};
constexpr Category categories[] = {
    {"cpu_req", {MessageKind::read, MessageKind::own}},
    {"wb_req", {MessageKind::write_through, MessageKind::write_back}},
    {"data_resp", {MessageKind::data, MessageKind::write_ack}},
    {"sync_req", {MessageKind::atomic, MessageKind::store_conditional}},
    {"sync_resp", {MessageKind::atomic_result}},
    {"coh_req", {MessageKind::recall, MessageKind::invalidate}},
    {"coh_resp", {MessageKind::recall_answer, MessageKind::invalidate_ack}},
    {"dram_req", {MessageKind::memory_read, MessageKind::memory_write}},
    {"dram_resp", {MessageKind::memory_data, MessageKind::memory_ack}},
};

}  // namespace

std::span<const char* const> profile_causes() { return causes; }

void Machine::describe(ThreadReport& thread) const {
    if (!thread.has_core) return;
    const Core& core = tiles_[thread.core]->core;
    thread.pc = core.asleep() ? core.waiting_pc() : core.pc();
    thread.return_address = core.hart.x[1];
    if (!thread.state.empty()) return;
    thread.state = core.does();
    if (core.state == CoreState::waits_line) thread.address = core.reservation.first();
}

// A wait that goes on belongs in part to the time before now, and in part to the time behind it.
void Machine::cut_accounts() {
    for (const auto& tile : tiles_) {
        Core& core = tile->core;
        if (core.asleep()) core.book(core.waits_for(), core.asleep_since, now_, core.waiting_pc());
        core.model->book_wait(now_);
        core.account.cut(now_);
    }
}

// A wait that goes on is one up to now.
void Machine::finish_recording() {
    for (const auto& tile : tiles_) {
        Core& core = tile->core;
        if (core.asleep()) core.book(core.waits_for(), core.asleep_since, now_, core.waiting_pc());
        core.account.cut(now_);  // it is counted once, whoever counts behind this
        recorder_->finish(core.id, now_, core.pc());
    }
}

Machine::Spent Machine::spent_by(const Core& core) const {
    const bool alive = core.state != CoreState::idle;
    const std::uint64_t active = core.statistics.active + (alive && now_ > core.started ? now_ - core.started : 0);
    CycleAccount account = core.account;
    if (core.asleep()) account.book(core.waits_for(), core.asleep_since, now_);  // not booked yet
    const CycleAccount::Cycles stalls = account.at(now_);
    const std::uint64_t stalled = std::reduce(stalls.begin(), stalls.end());
    return {active, active - std::min(active, stalled), stalls};
}

std::vector<Statistic> Machine::counts() const {
    std::vector<Statistic> rows;
    const auto row = [&](const char* part, std::size_t index, std::string name, const char* unit, std::uint64_t value) {
        rows.push_back({part, static_cast<std::uint32_t>(index), std::move(name), unit, value});
    };
    for (std::size_t id = 0; id < tiles_.size(); ++id) {
        const Tile& tile = *tiles_[id];
        const Core& core = tile.core;
        const CoreStatistics& counts = core.statistics;
        if (is_given(core.id)) {
            const auto [active, issued, stalls] = spent_by(core);
            row("core", id, "instructions", "instructions", counts.instructions);
            row("core", id, "active", "cycles", active);
            row("core", id, "issue", "cycles", issued);
            const bool translates = description_.kind_of(core.id).dtlb.has_value();
            for (std::size_t i = 0; i < stalls.size(); ++i)
                if (translates || static_cast<Stall>(i) != Stall::translation)
                    row("core", id, causes[i + 1], "cycles", stalls[i]);
            row("core", id, "handlers", "cycles", counts.handlers);
            row("core", id, "loads", "instructions", counts.loads);
            row("core", id, "stores", "instructions", counts.stores);
            row("core", id, "atomics", "instructions", counts.atomics);
            row("core", id, "fences", "instructions", counts.fences);
            row("core", id, "line_waits", "instructions", counts.line_waits);
            row("core", id, "interrupts", "interrupts", counts.interrupts);
            if (description_.shared) {  // paper 002, figure 7
                const auto of = [&](Stall why) { return stalls[static_cast<std::size_t>(why)]; };
                const std::uint64_t loads = of(Stall::l2) + of(Stall::home) + of(Stall::memory);
                const std::uint64_t known =
                    of(Stall::fetch) + loads + of(Stall::store_buffer) + of(Stall::atomic) + of(Stall::fence);
                row("time", id, "inst_fetch", "cycles", of(Stall::fetch));
                row("time", id, "data_load", "cycles", loads);
                row("time", id, "data_store", "cycles", of(Stall::store_buffer));
                row("time", id, "atomic", "cycles", of(Stall::atomic));
                row("time", id, "flush", "cycles", of(Stall::fence));
                row("time", id, "other", "cycles", active > known ? active - known : 0);
            }
            core.model->statistics(core.id, row);
            const UserPort::Statistics& port = tile.user_port.statistics();
            row("user_port", id, "messages", "messages", port.messages);
            row("user_port", id, "words_sent", "words", port.words);
            row("user_port", id, "words_received", "words", port.received);
            row("user_port", id, "unmapped", "messages", port.unmapped);
            if (description_.uli) {
                const UliPort::Statistics& uli = tile.uli_port.statistics();
                row("uli", id, "requests", "messages", uli.requests);
                row("uli", id, "nacks", "messages", uli.nacks);
                row("uli", id, "handled", "messages", uli.handled);
                row("uli", id, "latency", "cycles", uli.latency);
            }
        }
        system_->statistics(core.id, is_given(core.id), row);
        const RequestCount::Counts& requests = requests_.at(id);
        row("requests", id, "reads", "requests", requests.reads);
        row("requests", id, "writes", "requests", requests.writes);
        row("requests", id, "invalidations", "requests", requests.invalidations);
    }
    for (std::size_t i = 0; i < controllers_.size(); ++i) {
        const auto& counts = controllers_[i].statistics();
        row("memory", i, "reads", "lines", counts.reads);
        row("memory", i, "writes", "lines", counts.writes);
        row("memory", i, "traffic", "bytes", (counts.reads + counts.writes) * line_bytes);
        row("memory", i, "busy", "cycles", counts.busy);
        row("memory", i, "waited", "cycles", counts.waited);
        if (!controllers_[i].has_dram()) continue;
        row("memory", i, "open_rows", "lines", counts.open_rows);
        row("memory", i, "closed_banks", "lines", counts.closed_banks);
        row("memory", i, "other_rows", "lines", counts.other_rows);
        row("memory", i, "queued", "cycles", counts.queued);
        row("memory", i, "refreshes", "refreshes", controllers_[i].refreshes());
    }
    system_->statistics(row);
    if (description_.host_link && kernel_) {
        const auto links = kernel_->link_statistics();
        for (std::size_t i = 0; i < links.size(); ++i) {
            row("host_link", i, "messages", "messages", links[i].messages);
            row("host_link", i, "bytes", "bytes", links[i].bytes);
            row("host_link", i, "busy", "cycles", links[i].busy);
            row("host_link", i, "waited", "cycles", links[i].waited);
        }
    }
    const auto whole = [&](const char* part, const Network& network) {
        const auto& counts = network.statistics();
        row(part, 0, "messages", "messages", counts.messages);
        row(part, 0, "flits", "flits", counts.flits);
        row(part, 0, "hops", "hops", counts.hops);
        row(part, 0, "waited", "cycles", counts.waited);
        row(part, 0, "busy", "cycles", counts.busy);
        row(part, 0, "capacity", "cycles", now_ * network.wiring().links());
    };
    whole("coherence_mesh", coherence_network_);
    whole("memory_mesh", memory_network_);
    whole("user_mesh", user_network_);
    const auto links = [&](const char* name, const Network& network) {
        network.each_kept_link(
            [&](std::uint32_t link, std::uint64_t cycles) { row("link", link, name, "cycles", cycles); });
    };
    links("coherence_busy", coherence_network_);
    links("memory_busy", memory_network_);
    links("user_busy", user_network_);
    for (std::size_t kind = 0; kind < traffic_.size(); ++kind) {
        if (!travels(static_cast<MessageKind>(kind))) continue;
        const std::string name = name_of(static_cast<MessageKind>(kind));
        row("messages", 0, name, "messages", traffic_[kind].messages);
        row("messages", 0, name + "_flits", "flits", traffic_[kind].flits);
        row("messages", 0, name + "_hops", "hops", traffic_[kind].hops);
    }
    if (description_.shared)
        for (const Category& category : categories) {
            std::uint64_t flits = 0;
            for (const MessageKind kind : category.kinds) flits += traffic_[static_cast<std::size_t>(kind)].flits;
            row("traffic", 0, category.name, "bytes", flits * description_.network.flit);
        }
    return rows;
}

}  // namespace croftsim
