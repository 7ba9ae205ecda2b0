// The counts of a run, as rows of (part, index, name, unit, value). docs/statistics.md says what each row means.

#include <optional>

#include "machine/machine.hpp"

namespace croftsim {
namespace {

constexpr const char* stall_names[] = {"stall_l2",    "stall_home",         "stall_memory", "stall_atomic",
                                       "stall_fence", "stall_store_buffer", "wait_line",    "wait_network",
                                       "interrupt",   "wait_kernel",        "stall_fetch",  "stall_translation"};
static_assert(std::size(stall_names) == static_cast<std::size_t>(Stall::count));

const char* name_of(CoreState state) {
    switch (state) {
        case CoreState::idle:
            return "has no thread";
        case CoreState::runs:
            return "runs";
        case CoreState::waits_fetch:
            return "waits for an instruction";
        case CoreState::waits_memory:
            return "waits for a load or an atomic operation";
        case CoreState::waits_fence:
            return "waits for its stores to be acknowledged (fence)";
        case CoreState::waits_store:
            return "waits for room in the store buffer";
        case CoreState::waits_line:
            return "waits for a line to change (wrs.nto)";
        case CoreState::waits_message:
            return "waits for a message (croft.receive)";
        case CoreState::waits_copy:
            return "waits for the DMA engine (croft.copy)";
        case CoreState::waits_network:
            return "waits for room in the user network (croft.send)";
        case CoreState::in_kernel:
            return "is in a system call";
        case CoreState::trapped:
            return "stopped at ebreak";
    }
    return "";
}

// The traffic of the on-chip network, as paper 002 divides it (figure 8).
enum Category : std::size_t { cpu_req, wb_req, data_resp, sync_req, sync_resp, coh_req, coh_resp, dram_req, dram_resp };
constexpr const char* category_names[] = {"cpu_req", "wb_req",   "data_resp", "sync_req", "sync_resp",
                                          "coh_req", "coh_resp", "dram_req",  "dram_resp"};

std::optional<Category> category_of(MessageKind kind) {
    switch (kind) {
        case MessageKind::read:
        case MessageKind::own:
            return cpu_req;
        case MessageKind::write_through:
        case MessageKind::write_back:
            return wb_req;
        case MessageKind::data:
        case MessageKind::write_ack:
            return data_resp;
        case MessageKind::atomic:
        case MessageKind::store_conditional:
            return sync_req;
        case MessageKind::atomic_result:
            return sync_resp;
        case MessageKind::recall:
        case MessageKind::invalidate:
            return coh_req;
        case MessageKind::recall_answer:
        case MessageKind::invalidate_ack:
            return coh_resp;
        case MessageKind::memory_read:
        case MessageKind::memory_write:
            return dram_req;
        case MessageKind::memory_data:
        case MessageKind::memory_ack:
            return dram_resp;
        default:
            return std::nullopt;
    }
}

constexpr auto causes = [] {
    std::array<const char*, std::size(stall_names) + 1> names{"issue"};
    std::copy(std::begin(stall_names), std::end(stall_names), names.begin() + 1);
    return names;
}();

}  // namespace

std::span<const char* const> profile_causes() { return causes; }

void Machine::describe(ThreadReport& thread) const {
    const Core& core = tiles_[thread.core]->core;
    thread.pc = core.asleep() ? core.waiting_pc() : core.pc();
    thread.return_address = core.hart.x[1];
    if (!thread.state.empty()) return;
    thread.state = name_of(core.state);
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

// As counts() does it: a wait that goes on is one up to now.
void Machine::finish_recording() {
    for (const auto& tile : tiles_) {
        Core& core = tile->core;
        if (core.asleep()) {
            CycleAccount account = core.account;
            const std::uint64_t from = account.book(core.waits_for(), core.asleep_since, now_);
            if (from < now_)
                core.log->tell(ExecutionLog::Waited{core.waiting_pc(), core.waits_for(), from, now_, core.accessing});
        }
        recorder_->finish(core.id, now_, core.pc());
    }
}

std::pair<std::uint64_t, CycleAccount::Cycles> Machine::spent_by(const Core& core) const {
    const bool alive = core.state != CoreState::idle;
    const std::uint64_t active = core.statistics.active + (alive && now_ > core.started ? now_ - core.started : 0);
    CycleAccount account = core.account;
    if (core.asleep()) account.book(core.waits_for(), core.asleep_since, now_);  // not booked yet
    return {active, account.at(now_)};
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
        if (id < cores_) {
            const auto [active, stalls] = spent_by(core);
            std::uint64_t stalled = 0;
            for (const auto cycles : stalls) stalled += cycles;
            row("core", id, "instructions", "instructions", counts.instructions);
            row("core", id, "active", "cycles", active);
            row("core", id, "issue", "cycles", active > stalled ? active - stalled : 0);
            const bool translates = description_.kind_of(core.id).dtlb.has_value();
            for (std::size_t i = 0; i < stalls.size(); ++i)
                if (translates || static_cast<Stall>(i) != Stall::translation)
                    row("core", id, stall_names[i], "cycles", stalls[i]);
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
        system_->statistics(static_cast<std::uint32_t>(id), id < cores_, row);
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
    if (description_.shared) {
        std::array<std::uint64_t, std::size(category_names)> flits{};
        for (std::size_t kind = 0; kind < traffic_.size(); ++kind)
            if (const auto category = category_of(static_cast<MessageKind>(kind)))
                flits[*category] += traffic_[kind].flits;
        for (std::size_t i = 0; i < flits.size(); ++i)
            row("traffic", 0, category_names[i], "bytes", flits[i] * description_.network.flit);
    }
    return rows;
}

}  // namespace croftsim
