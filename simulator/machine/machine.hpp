#pragma once
// The machine: its nodes (tiles, then memory controllers), the networks between them, and the order in which they act.
// machine/window.md explains why that order makes every run exact and deterministic.

#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <vector>

#include "base/archive.hpp"
#include "coherence/request_count.hpp"
#include "contract/machine_services.hpp"
#include "contract/post.hpp"
#include "contract/sample.hpp"
#include "contract/simulation.hpp"
#include "core/block_cache.hpp"
#include "core/decoded_code.hpp"
#include "core/race_requester.hpp"
#include "kernel/kernel.hpp"
#include "machine/agenda.hpp"
#include "machine/fast_forward.hpp"
#include "machine/outbox.hpp"
#include "machine/pauses.hpp"
#include "machine/regions.hpp"
#include "machine/tile.hpp"
#include "memory/address_space.hpp"
#include "memory/controller.hpp"
#include "network/network.hpp"
#include "network/perturbation.hpp"
#include "record/coherence_check.hpp"
#include "record/recorder.hpp"

namespace croftsim {

class Machine final : public MachineServices, private Standstill {
public:
    enum class Stop : std::uint8_t { finished, deadlock, cycle_limit, interrupted, trapped };

    // `cores` of 0 means all; `window` of 0 the longest exact one. `run_ahead`: by how many cycles a core may run ahead
    // of the window, on trust; 0: nor does an out-of-order core remember anything. Neither changes what happens.
    // `perturb`: the seed of random delays. Throws std::invalid_argument.
    Machine(const MachineDescription& description, AddressSpace& memory, std::uint32_t cores, std::uint32_t window,
            std::uint32_t run_ahead, std::uint64_t perturb = 0, bool check_coherence = false,
            RaceDetector* races = nullptr, Recorder* recorder = nullptr, std::span<const HomeRange> homes = {});
    // Until the program begins a region, it is carried out functionally (fast_forward.hpp). Before the run.
    void fast_forward();
    // How that went.
    const FastForwarded& fast_forwarded() const { return fast_forwarded_; }
    ~Machine() override;

    void attach(Kernel& kernel) { kernel_ = &kernel; }

    // Until the program ends, or max_cycles (0: no limit), or progress says no. GuestFault passes through.
    // `pauses`: when it stands still on the way, and for whom.
    // Times are those of the program's clock, which stands still while caches are warmed.
    Stop run(std::uint64_t max_cycles, const std::function<bool(const Progress&)>& progress, Pauses* pauses = nullptr);
    // All of it, its memory and kernel included, while it stands still (state.cpp). Throws CheckpointError.
    void serialise(Archive& archive);

    // For a machine without a kernel (probe.hpp): lets the messages under way arrive, with every core idle; and makes
    // it ready to run again.
    void let_arrive();
    void rearm() { trapped_ = false; }

    CoherenceCheck* coherence() { return check_.get(); }       // null unless asked for
    std::uint64_t stands_at() const override { return now_; }  // the warming of caches included
    std::uint32_t window() const { return window_; }
    std::uint64_t instructions() const;
    // The counts of the regions that the program has named, or of all of the run if it has named none.
    std::vector<Statistic> statistics() const { return regions_.any() ? regions_.total(counts(), now_) : counts(); }
    std::vector<Statistic> counts() const;  // since the run began
    // Before the run: samples have each link of the networks, and if they are `kept`, counts() have a row for it, too.
    void watch_links(bool kept) {
        for (Network* network : {&coherence_network_, &memory_network_, &user_network_}) network->watch_links(kept);
    }
    // The present activity (sample.cpp).
    Sample sample() const;
    void keep_each_region() { regions_.keep_each(); }
    std::vector<Interval> each_region() const { return regions_.each(counts(), now_); }
    // The recorder is told of what goes on, up to now.
    void finish_recording();
    // A line's home: a tile or a bank; and whether the lines around it have others.
    std::pair<std::uint32_t, bool> homing_of(std::uint64_t line) const {
        const std::uint32_t home = system_->home_of(line, 0);
        return {home < system_node_ ? home : home - system_node_, system_->is_spread(line)};
    }
    // Fills in what the kernel does not know of a thread: where it is, and what it does or waits for.
    void describe(ThreadReport& thread) const;

    // MachineServices (services.cpp)
    std::uint64_t now() const override { return now_ - skipped_; }
    double clock_mhz() const override { return description_.clock_mhz; }
    const KernelDescription& costs() const override { return description_.kernel; }
    std::uint32_t cores() const override { return cores_; }
    std::uint32_t tiles() const override { return static_cast<std::uint32_t>(tiles_.size()); }
    std::uint32_t tile_of(std::uint64_t number) const override { return description_.order.tile_of(number); }
    std::uint32_t number_of(std::uint32_t core) const override { return description_.order.number_of(core); }
    std::uint32_t controllers() const override { return static_cast<std::uint32_t>(controllers_.size()); }
    bool controllers_have_homes() const override {
        return description_.shared && description_.shared->sliced_by == LevelDescription::SlicedBy::controller;
    }
    Hart& hart(std::uint32_t core) override {
        tiles_[core]->core.floating_changed = true;  // by whoever asks
        return tiles_[core]->core.hart;
    }
    void read(std::uint64_t address, std::span<std::uint8_t> to) override;
    void write(std::uint64_t address, std::span<const std::uint8_t> from) override;
    void device_read(std::uint64_t address, std::span<std::uint8_t> to) override;
    void device_write(std::uint64_t address, std::span<const std::uint8_t> from) override;
    const HostLinkDescription* host_link() const override {
        return description_.host_link ? &*description_.host_link : nullptr;
    }
    void start(std::uint32_t core, const Hart& hart) override;
    std::uint32_t act_for(std::uint32_t core) override { return std::exchange(caller_, core); }
    void resume(std::uint32_t core) override;
    void futex_releases(std::uint64_t address) override;
    void futex_acquires(std::uint32_t core, std::uint64_t address) override;
    void vacate(std::uint32_t core) override;
    void call(std::uint32_t core) override;
    void stop_at_fault(std::uint32_t core) override { tiles_[core]->core.enter_kernel(KernelRequest::called); }
    void go_on(std::uint32_t core, const Hart& hart, std::uint32_t after) override;
    void moved(std::uint32_t from, std::uint32_t to) override;
    void address_space_changes(std::uint64_t address, std::uint64_t bytes, bool discard) override;
    bool is_used(std::uint64_t address, std::uint64_t bytes) override;
    void count_requests(std::uint64_t address, std::uint64_t bytes) override { requests_.name(address, bytes); }
    bool begin_region() override;
    bool end_region() override;
    void synchronise_instructions() override;

private:
    struct KernelEvent {
        static constexpr bool is_plain = true;
        std::uint64_t time;
        std::uint32_t core;
        auto operator<=>(const KernelEvent&) const = default;
    };

    // Post, Standstill
    void send(std::uint32_t source, Message* message, std::uint64_t time) override;
    void expect_send(std::uint32_t source, std::uint64_t time) override;
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override;
    MessagePool& pool() override { return pool_; }
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t line, std::uint32_t tile) const override {
        return system_->home_of(line, tile);
    }
    std::uint32_t controller_of(std::uint64_t line) const override;
    void for_each_unrouted(const std::function<void(Message&)>& visit) override { outbox_.for_each(visit); }
    void for_each_arriving(std::uint32_t node, const std::function<void(Message&)>& visit) override {
        const std::uint32_t place = place_of(node);
        events_of(place).for_each([&](Message& message) {
            if (message.destination == node) visit(message);
        });
    }
    void refresh(std::uint32_t node) override;
    void settle() override;  // settling.cpp

    void end_fast_forward();
    void warm(const FastForward::Warming& access);
    Access access(Core& core, std::uint64_t address, bool writes);
    void let_messages_arrive();  // no core does anything
    std::uint32_t slack() const { return fast_forward_ ? FastForward::slack : 0; }
    void cut_accounts();  // of every core, now
    // Up to now: the cycles for which a core had a thread, and of these, those for which it issued and waited.
    struct Spent {
        std::uint64_t active, issued;
        CycleAccount::Cycles stalls;
    };
    Spent spent_by(const Core& core) const;
    Activity activity(const Core& core) const;
    // In debug builds, if no message is under way and no store is buffered; throws SimulatorFault.
    void check_invariants();
    void route(std::uint64_t before);
    void stand_still(Pauses& pauses, bool is_limit);
    std::uint64_t by_machine(std::uint64_t time) const { return time == never ? never : time + skipped_; }
    std::uint64_t next_look() const { return kernel_ ? by_machine(kernel_->next_look()) : never; }
    std::uint64_t next_timer() const { return kernel_ ? by_machine(kernel_->next_timer()) : never; }
    void act_in_kernel(std::uint64_t time);
    bool is_incoherent(std::uint64_t address) const;
    bool is_given(std::uint32_t core) const { return number_of(core) < cores_; }  // to the program
    void acquire(Tile& tile);  // for its core, if its caches want to hear of it
    void check_mapped(std::uint64_t address, std::uint64_t bytes) const;
    // Every node that acts before `bound`, as far as the horizon.
    void advance_all(std::uint64_t bound, std::uint64_t horizon);
    void advance(std::uint32_t node);
    void advance_tile(Tile& tile);
    void enter_kernel(Tile& tile);  // its core's thread has
    // The node at whose place in the network it is, and with which it acts: a cache of a tile's own is in its tile.
    std::uint32_t place_of(std::uint32_t node) const {
        return node < places_ ? node : system_->tile_of(node - system_node_);
    }
    void arrive_within(std::uint32_t node, Message* message);
    // `node`: a place.
    EventQueue& events_of(std::uint32_t node) {
        return node < tiles_.size() ? tiles_[node]->events : other_events_[node - tiles_.size()];
    }
    void run_core(Core& core, std::uint64_t safe, std::uint64_t stop);
    void deliver(Tile& tile, Message* message);
    // Counts a message that a network takes.
    void count(const Message& message, std::uint32_t flits, std::uint32_t hops);
    void count(const Message& message);
    std::uint32_t flits(const Message& message) const;
    // A message's way: its network, and from a node into it and out of it again.
    struct Way {
        Network& network;
        std::uint32_t inject, eject;
    };
    Way way_of(MessageKind kind);
    // From a message's injection to its arrival at another node.
    std::uint64_t least_latency() const { return least_latency_ + slack(); }
    // When the first message arrives that the networks have not taken.
    std::uint64_t next_arrival() const { return std::min(outbox_.next(), never - least_latency()) + least_latency(); }

    const MachineDescription description_;
    AddressSpace& memory_;
    std::uint32_t cores_;
    std::vector<std::unique_ptr<BlockCache>> blocks_;  // one for each kind of core
    std::vector<std::unique_ptr<DecodedCode>> code_;   // likewise, null for those that issue in order
    Network coherence_network_, memory_network_;
    Network user_network_;  // what programs send themselves: messages, interrupts
    const std::uint64_t least_latency_;
    std::unique_ptr<FastForward> fast_forward_;  // null: all is exact
    std::uint32_t window_;                       // at most the least latency
    std::uint32_t run_ahead_;
    std::unique_ptr<CoherenceCheck> check_;
    RaceDetector* const races_;
    Recorder* const recorder_;
    std::vector<std::unique_ptr<RaceRequester>> race_requesters_;
    std::unique_ptr<MemorySystem> system_;
    std::vector<std::unique_ptr<Tile>> tiles_;
    std::vector<MemoryController> controllers_;
    std::uint32_t system_node_ = 0;         // the first of the memory system's own nodes
    std::uint32_t places_ = 0;              // nodes that are a place of their own
    std::vector<EventQueue> other_events_;  // of those that are no tiles: controllers, then the memory system's own
    Perturbation perturbation_;
    MessagePool pool_;
    Outbox outbox_;
    std::deque<Message*>* settling_ = nullptr;  // while the memory system settles: what has not arrived yet
    std::vector<std::uint64_t> sequence_;       // messages sent by each node
    Agenda agenda_{0};
    std::vector<std::uint32_t> due_;  // the nodes that act in the present window
    std::set<KernelEvent> kernel_events_;
    Kernel* kernel_ = nullptr;
    std::uint64_t now_ = 0;
    std::uint64_t skipped_ = 0;  // of it, cycles in which caches were warmed
    std::uint32_t caller_ = 0;   // the core for which the kernel acts, or has acted before a timer or the host woke it
    bool acts_for_core_ = true;
    std::uint64_t horizon_ = 0;  // what the node that acts now may not reach
    std::uint64_t trusted_ = 0;  // up to where a core may run ahead of that
    std::uint64_t reached_ = 0;  // nobody has done anything at or behind that time
    std::uint64_t routed_ = 0;   // every message injected before this time has been routed
    bool trapped_ = false;
    bool lets_arrive_ = false;  // no core does anything more
    FastForwarded fast_forwarded_;
    struct Traffic {
        static constexpr bool is_plain = true;
        std::uint64_t messages = 0, flits = 0, hops = 0;
    };
    std::array<Traffic, static_cast<std::size_t>(MessageKind::count)> traffic_{};
    RequestCount requests_;
    Regions regions_;
};
static_assert(is_listed<Machine, 4936>);

}  // namespace croftsim
