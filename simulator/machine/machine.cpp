#include "machine/machine.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>

#include "coherence/ddc_system.hpp"
#include "coherence/level_system.hpp"
#include "contract/unexpected.hpp"
#include "core/out_of_order.hpp"
#include "description/check.hpp"
#include "isa/floating_point_environment.hpp"
#include "memory/address_space.hpp"

namespace croftsim {
namespace {

// A core alone may run far ahead; it still comes back this often, for progress reports and limits.
constexpr std::uint64_t longest_run = 200'000;

const MachineDescription& checked(const MachineDescription& machine) {
    check(machine);
    return machine;
}

// From a node into its router and out of another one, on the network where that is least.
std::uint64_t least_ends(const MachineDescription& machine) {
    std::uint32_t ends = machine.network.inject + machine.network.eject;
    if (const auto& network = machine.user_network) ends = std::min(ends, network->inject + network->eject);
    if (const auto& network = machine.uli) ends = std::min(ends, network->inject + network->eject);
    return ends;
}

}  // namespace

Machine::Machine(const MachineDescription& description, AddressSpace& memory, std::uint32_t cores, std::uint32_t window,
                 std::uint32_t run_ahead, std::uint64_t perturb, bool check_coherence, RaceDetector* races,
                 Recorder* recorder, std::span<const HomeRange> homes)
    : description_(checked(description)),
      memory_(memory),
      cores_(cores ? cores : description.cores),
      coherence_network_(description_),
      memory_network_(description_),
      user_network_(description_),
      least_latency_(least_ends(description_) + coherence_network_.wiring().least_latency()),
      window_(std::min(static_cast<std::uint32_t>(least_latency()), description_.kernel.entry)),
      run_ahead_(std::min(run_ahead, description_.kernel.entry)),
      races_(races),
      recorder_(recorder),
      perturbation_(perturb, description_.nodes()),
      requests_(description_.tiles()) {
    if (cores_ > description_.cores)
        throw std::invalid_argument("the machine " + description_.name + " has " + std::to_string(description_.cores) +
                                    " cores for programs, not " + std::to_string(cores_));
    if (window > window_)
        throw std::invalid_argument("a window of " + std::to_string(window) + " cycles is longer than the " +
                                    std::to_string(window_) + " that are exact on " + description_.name);
    if (window) window_ = window;

    const std::uint32_t tiles = description_.tiles();
    if (check_coherence) check_ = std::make_unique<CoherenceCheck>(tiles);
    Standstill& self = *this;
    if (description_.shared)
        system_ = std::make_unique<LevelSystem>(description_, self, check_.get());
    else
        system_ = std::make_unique<DdcSystem>(description_, self, homes);
    for (const CoreKind& kind : description_.kinds) {
        // Behind a window the interpreter does one instruction at a time.
        const bool in_order = !kind.out_of_order;
        blocks_.push_back(std::make_unique<BlockCache>(kind.core, kind.l1d, memory, in_order ? 48 : 1,
                                                       in_order && kind.l1i, recorder != nullptr,
                                                       recorder ? recorder->landmarks() : nullptr));
        code_.push_back(kind.out_of_order ? std::make_unique<DecodedCode>(
                                                kind.core, memory,
                                                DecodedCode::Passing{
                                                    description_.forwarding.has_value(),
                                                    kind.core.stores == CoreDescription::Stores::in_order && !perturb})
                                          : nullptr);
    }
    for (std::uint32_t id = 0; id < tiles; ++id) {
        const CoreKind& kind = description_.kind_of(id);
        const auto which = static_cast<std::size_t>(&kind - description_.kinds.data());
        tiles_.push_back(std::make_unique<Tile>(id, description_, *blocks_[which], *system_, self, check_.get()));
        Core& core = tiles_.back()->core;
        if (kind.l1i) core.instructions = InstructionL1(*kind.l1i);
        if (races_)
            race_requesters_.push_back(std::make_unique<RaceRequester>(core, *races_, kind.out_of_order.has_value()));
        if (recorder_) core.log = &recorder_->log_of(id);
        const bool remembers = run_ahead > 0 && !races_ && !recorder_;
        if (kind.out_of_order) {
            const std::uint64_t reorders = perturb ? SplitMix64(perturb + id).next() | 1 : 0;
            core.model = std::make_unique<OutOfOrder>(kind, core, *code_[which], remembers, reorders);
        }
    }
    for (std::uint32_t i = 0; i < description_.memory.controllers.size(); ++i)
        controllers_.emplace_back(tiles + i, description_.memory, description_.clock_mhz, static_cast<Post&>(*this));
    system_node_ = tiles + static_cast<std::uint32_t>(controllers_.size());
    std::uint32_t own = system_->nodes();
    sequence_.assign(system_node_ + own, 0);
    assert(sequence_.size() <= Message::most_nodes && "a description has fewer tiles and levels");
    while (own > 0 && system_->tile_of(own - 1) != MemorySystem::no_tile) --own;
    places_ = system_node_ + own;
    other_events_.resize(controllers_.size() + own);
    agenda_ = Agenda(places_);
}

Machine::~Machine() = default;

Machine::Stop Machine::run(std::uint64_t max_cycles, const std::function<bool(const Progress&)>& progress,
                           Pauses* pauses) {
    const fp::HostEnvironment environment;  // whoever called may have changed the host's rounding
    auto reported = std::chrono::steady_clock::now();
    std::uint32_t rounds = 0;
    for (;;) {
        if (kernel_ && kernel_->exit_code()) return Stop::finished;
        if (trapped_) return Stop::trapped;
        if (progress && (++rounds & 63) == 0) {
            const auto clock = std::chrono::steady_clock::now();
            if (clock - reported > std::chrono::milliseconds(100)) {
                reported = clock;
                // Whoever is to go on later is ended where it can be kept.
                const std::uint64_t soon = std::max(reached_, now_) - skipped_;
                if (!progress({now(), instructions()}) && !(pauses && pauses->ask(soon, true)))
                    return Stop::interrupted;
                if (pauses && pauses->asks_by_time()) pauses->ask(soon, false);
            }
        }
        if (pauses && pauses->stops()) return Stop::interrupted;
        const std::uint64_t limit = max_cycles ? by_machine(max_cycles) : never;
        const std::uint64_t bound = pauses ? std::min(limit, by_machine(pauses->next())) : limit;

        const auto [first, second] = agenda_.earliest();
        const std::uint64_t sent = outbox_.next();
        const std::uint64_t look = next_look(), call = kernel_events_.empty() ? never : kernel_events_.begin()->time;
        const std::uint64_t planned = std::min(next_timer(), call), kernel = std::min(planned, look);
        const std::uint64_t earliest = std::min({first, sent, kernel});
        if (look != never && std::min({first, sent, planned}) == never) {
            // Nothing goes on but for the host, whose time is not ours.
            if (progress && !progress({now(), instructions()})) return Stop::interrupted;
            kernel_->wait_for_host();
            continue;
        }
        if (earliest == never) {
            check_invariants();
            return Stop::deadlock;
        }
        if (earliest >= bound) {
            now_ = bound;
            if (pauses) stand_still(*pauses, bound == limit);
            if (bound == limit) return Stop::cycle_limit;
            continue;
        }
        now_ = earliest;
        agenda_.advance_to(now_);
        if (recorder_ && recorder_->is_due(now_)) {
            for (const auto& tile : tiles_)
                if (!tile->core.runs_ahead) tile->core.log->settle();
            recorder_->order_until(now_);
        }

        // See window.md for why each of these three is safe.
        if (sent < std::min({first, kernel, bound})) {
            route(std::min({first, sent + least_latency(), kernel, bound}));
            continue;
        }
        if (kernel <= first) {
            act_in_kernel(kernel);
            if (fast_forward_ && fast_forward_->is_over()) end_fast_forward();
            continue;
        }
        // Everyone may act before first + window_. A node that alone acts before then may run on until window_ behind
        // the next action of any other. If its own first message (expect_send) comes earlier, it may run until window_
        // behind that.
        const bool alone = second >= first + window_;
        const std::uint64_t quiet = std::min(alone ? std::min(second, sent) : first, never - window_);
        const std::uint64_t horizon = std::min({quiet + window_, next_arrival(), kernel, bound, first + longest_run});
        trusted_ = std::min({first + run_ahead_, kernel, bound});
        reached_ = std::max({reached_, horizon, trusted_});
        advance_all(alone ? first + 1 : horizon, horizon);
    }
}

void Machine::stand_still(Pauses& pauses, bool is_limit) {
    pauses.look(
        {now(), instructions()}, is_limit, [this] { return counts(); },
        [&] {
            Archive archive;
            serialise(archive);
            pauses.serialise(archive, now());
            return archive.written();
        });
}

void Machine::let_arrive() {
    trapped_ = false;
    for (std::uint32_t id = 0; id < tiles_.size(); ++id) {
        tiles_[id]->core.state = CoreState::idle;
        ++tiles_[id]->core.begun;  // what is in flight is forgotten
        refresh(id);
    }
    let_messages_arrive();
}

void Machine::let_messages_arrive() {
    lets_arrive_ = true;
    for (;;) {
        const std::uint64_t first = agenda_.earliest().first, sent = outbox_.next();
        if (std::min(first, sent) == never) break;
        now_ = std::min(first, sent);
        agenda_.advance_to(now_);
        if (sent < first) {
            route(std::min(first, sent + least_latency()));
            continue;
        }
        const std::uint64_t horizon = std::min(first + window_, next_arrival());
        trusted_ = horizon;
        reached_ = std::max(reached_, horizon);
        advance_all(horizon, horizon);
    }
    lets_arrive_ = false;
    check_invariants();
}

void Machine::advance_all(std::uint64_t bound, std::uint64_t horizon) {
    due_.clear();
    agenda_.before(bound, due_);
    for (const std::uint32_t node : due_) {
        horizon_ = horizon;
        advance(node);
    }
}

void Machine::advance(std::uint32_t node) {
    if (node < tiles_.size()) {
        Tile& tile = *tiles_[node];
        if (const std::uint64_t due = tile.requester.deadline(); due != never) expect_send(node, due);
        advance_tile(tile);
        agenda_.set(node, tile.next());
        return;
    }
    const std::size_t other = node - tiles_.size();
    EventQueue& events = other_events_[other];
    while (events.next() < horizon_) {
        if (node < system_node_)
            controllers_[other].receive(events.pop());
        else
            system_->receive(node - system_node_, events.pop());
    }
    agenda_.set(node, events.next());
}

// Does the tile's work before horizon_, in the order of time. A message comes before the core's work at the same time.
void Machine::advance_tile(Tile& tile) {
    Core& core = tile.core;
    for (;;) {
        const std::uint64_t arrival = tile.events.next();
        const std::uint64_t own = tile.core_next();
        if (std::min(arrival, own) >= horizon_) break;
        if (arrival <= own) {
            deliver(tile, tile.events.pop());
            if (lets_arrive_) core.state = CoreState::idle;  // what it waited for has come
            continue;
        }
        if (core.state == CoreState::waits_line) {
            core.wake(core.wait_limit, Stall::line);
            continue;
        }
        const auto cause = tile.interrupt();
        const bool cuts_in = cause || core.called;
        if ((cuts_in || core.drains) && core.model->drain(cuts_in)) continue;
        if (core.called && core.model->stands(own)) {
            // The kernel sees every earlier store, as in a system call.
            if (core.requester->fence() != Access::done) continue;
            core.enter_kernel(KernelRequest::called);
            enter_kernel(tile);
            continue;
        }
        if (cause && core.model->stands(own)) {
            const bool by_core = *cause == UliPort::source;
            if (by_core) tile.uli_port.take();
            core.interrupt(*cause,
                           by_core ? description_.kind_of(core.id).interrupt : description_.user_network->interrupt);
            if (by_core) tile.uli_port.tell_taken();
            continue;
        }
        const std::uint64_t safe = std::min(horizon_, arrival);
        run_core(core, safe, std::max(safe, std::min(trusted_, arrival)));
        if (core.state == CoreState::in_kernel) enter_kernel(tile);
        if (core.state == CoreState::trapped) {
            trapped_ = true;
            return;
        }
    }
    tile.requester.send_due(horizon_ - 1);
}

void Machine::enter_kernel(Tile& tile) {
    tile.uli_port.leave(tile.core.asleep_since);
    kernel_events_.insert({tile.core.asleep_since + description_.kernel.entry + slack(), tile.core.id});
}

void Machine::run_core(Core& core, std::uint64_t safe, std::uint64_t stop) {
    try {
        core.model->run(safe, stop);
    } catch (const GuestFault& fault) {
        // Like a system call, so that what other cores do until then does not depend on the host.
        core.fault_pending = fault;
        core.kernel_request = KernelRequest::fault;
        core.sleep(CoreState::in_kernel, core.time());
    }
}

// A message arrives at the tile. If its core is ahead of it and may have relied on what the message changes, the core
// goes back to that time.
void Machine::deliver(Tile& tile, Message* message) {
    CoreModel& model = *tile.core.model;
    const std::uint64_t arrival = message->time;
    const bool is_for_tile = message->destination < system_node_;
    if (is_for_tile && model.is_beyond(arrival) && tile.disturbs_core(*message)) model.go_back(arrival);
    tile.requester.send_due(arrival);
    if (is_for_tile)
        tile.receive(message);
    else
        system_->receive(message->destination - system_node_, message);
}

void Machine::refresh(std::uint32_t node) {
    if (node >= places_) node = place_of(node);
    agenda_.set(node, node < tiles_.size() ? tiles_[node]->next() : events_of(node).next());
}

void Machine::check_invariants() {
#ifndef NDEBUG
    const auto silent = [](const auto& tile) {
        return tile->events.next() == never && tile->requester.deadline() == never;
    };
    const auto empty = [](const EventQueue& events) { return events.next() == never; };
    if (outbox_.next() != never || !std::ranges::all_of(tiles_, silent) || !std::ranges::all_of(other_events_, empty))
        return;
    const std::string violated = system_->violated_invariant();
    if (!violated.empty())
        throw SimulatorFault("coherence is broken at cycle " + std::to_string(now_) + ": " + violated);
#endif
}

void Machine::act_in_kernel(std::uint64_t time) {
    now_ = time;
    check_invariants();
    // The kernel may change memory and caches, and no core may be taken back to before that. None is ahead of the
    // kernel but for register arithmetic.
    for (const auto& tile : tiles_)
        if (tile->core.runs_ahead) tile->core.take_checkpoint();
    acts_for_core_ = false;
    if (next_timer() <= time) return kernel_->expire_timers();
    if (next_look() <= time) return kernel_->look_at_host();
    acts_for_core_ = true;
    const KernelEvent event = *kernel_events_.begin();
    kernel_events_.erase(kernel_events_.begin());
    caller_ = event.core;
    Core& core = tiles_[event.core]->core;
    core.called = false;  // whatever it was wanted for, it is there
    switch (core.kernel_request) {
        case KernelRequest::system_call:
            // Without a kernel (tests), a system call ends the core's thread.
            return kernel_ ? kernel_->system_call(event.core) : vacate(event.core);
        case KernelRequest::fault:
            if (kernel_ && kernel_->fault(event.core, *core.fault_pending)) return core.fault_pending.reset();
            throw *core.fault_pending;
        case KernelRequest::called:
            return kernel_->called(event.core);
        case KernelRequest::synchronise_instructions:
            synchronise_instructions();
            return resume(event.core);
    }
}

std::uint64_t Machine::instructions() const {
    std::uint64_t total = 0;
    for (const auto& tile : tiles_) total += tile->core.statistics.instructions;
    return total;
}

}  // namespace croftsim
