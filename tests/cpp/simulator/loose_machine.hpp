#pragma once
// The caches of a machine, driven directly: L1s and the banks of their shared L2, or tiles that are homes to each
// other. No instructions, and a network that delays every message by a time of its own, seldom by a very long one.
// Messages from one node to another keep their order, which is all that the protocols count on; nothing else does.

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "coherence/ddc_system.hpp"
#include "coherence/level_system.hpp"

namespace croftsim {

// A test's own random numbers, so that a seed means the same on every host.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
    std::uint64_t operator()() {  // splitmix64 (Steele, Lea, Flood, OOPSLA 2014)
        std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        return z ^ z >> 31;
    }
    std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(((*this)() >> 32) * bound >> 32); }
    bool one_in(std::uint32_t times) { return below(times) == 0; }

private:
    std::uint64_t state_;
};

// One core a tile, each with an L1 of its protocol.
class LooseMachine final : private Standstill {
public:
    struct Shape {
        std::vector<Protocol> protocols;  // of core 0, 1, ...; ddc for all of them or for none
        std::uint32_t l1_sets = 2, l1_ways = 2;
        std::uint32_t banks = 2, bank_sets = 4, bank_ways = 2;  // under ddc: the L2 of tile 0, home of all lines
        std::uint32_t outstanding_stores = 4;
        bool memory_first = false;     // of a filter: memory is written before a reader is answered
        bool stores_in_order = false;  // of the cores that may have that
        std::uint64_t seed = 1;
        std::uint32_t private_l2_ways = 0;            // 0: L1s have none
        std::uint32_t cluster = 0, cluster_ways = 2;  // so many L1s in a row share a cache before the banks; 0: none do
        Protocol levels_protocol = Protocol::mesi;    // of the caches that L1s share
        bool is_filter = false;                       // the banks
        bool owners_answer = false;                   // at each level
        std::uint32_t forwards = 0;                   // lines that each collects to forward them home; 0: none does
        std::optional<PrefetchDescription> prefetch = std::nullopt;  // of the L1s
    };
    // The fate of a message when it arrives, for tests of the tests.
    enum class Fate : std::uint8_t { as_sent, gone, sent_on };
    std::function<Fate(Message&)> tamper;
    bool keeps_order = true;
    std::uint64_t refreshed = 0;  // how often a node was
    // Hears of every message as it arrives, behind what has come of it, and as it is sent.
    struct Observer {
        virtual ~Observer() = default;
        virtual void arrives(const Message& message) = 0;
        virtual void has_arrived(std::uint32_t node) = 0;
        virtual void sends(std::uint32_t source, const Message& message) = 0;
    };
    Observer* observer = nullptr;

    explicit LooseMachine(const Shape& shape) : random_(shape.seed), description_(describe(shape)) {
        Standstill& post = *this;
        if (description_.shared)
            system_ = std::make_unique<LevelSystem>(description_, post);
        else
            system_ = std::make_unique<DdcSystem>(description_, post);
        memory_.map(first_line, pages * AddressSpace::page_bytes, Permission::read | Permission::write);
        block_.pc = 0x1000;  // 0 is no instruction's
        block_.ops.resize(1);
        block_.pc_offsets = {0};
        block_.slacks = {1};
        for (std::uint32_t id = 0; id < shape.protocols.size(); ++id) {
            cores_.push_back(std::make_unique<Core>(id, blocks_));
            cores_[id]->block = &block_;
            cores_[id]->op = block_.ops.data();
            cores_[id]->state = CoreState::runs;
            tiles_.push_back(system_->make_tile(*cores_[id]));
            scheduled_.push_back(false);
            wake_up(id, random_.below(100));
        }
        nodes_ = controller() + 1 + system_->nodes();
        newest_.assign(std::size_t{nodes_} * nodes_, 0);
    }

    static constexpr std::uint64_t first_line = 0x100000, pages = 16;

    Core& core(std::uint32_t id) { return *cores_[id]; }
    Requester& l1(std::uint32_t id) { return tiles_[id]->requester(); }
    std::uint32_t controller() const { return description_.tiles(); }  // its node; the banks' are behind it
    Protocol protocol(std::uint32_t id) const { return description_.kinds[id].protocol; }
    MemorySystem& any_system() { return *system_; }
    AddressSpace& pages_of_program() { return memory_; }
    LevelSystem& system() { return static_cast<LevelSystem&>(*system_); }
    DdcTile& tile(std::uint32_t id) { return static_cast<DdcTile&>(*tiles_[id]); }
    std::uint64_t stands_at() const override { return now_; }

    // The core acts at `time`, unless it sleeps then.
    void wake_up(std::uint32_t id, std::uint64_t time) {
        if (scheduled_[id]) return;
        scheduled_[id] = true;
        put({std::max(time, now_), ++sequence_, nullptr, id});
    }
    // What happens next: act(core) for a core's turn; ended(core) when what it was blocked for has come. False: nothing
    // will ever happen again.
    template <class Act, class Ended>
    bool step(Act act, Ended ended) {
        if (events_.empty()) return false;
        const Event event = take();
        now_ = event.time;
        if (event.due) {
            l1(event.core).send_due(now_);
            return true;
        }
        if (!event.message) {
            scheduled_[event.core] = false;
            Core& core = *cores_[event.core];
            if (core.state != CoreState::runs) return true;
            core.cycle = now_;
            act(event.core);
            return true;
        }
        deliver(event.message, ended);
        return true;
    }
    // Pages change, between two events. Whatever cores were blocked for may come then.
    void drop(std::uint64_t address, std::uint64_t bytes, bool discard, std::function<void(std::uint32_t)> ended) {
        ended_ = std::move(ended);
        system_->drop(address, bytes, discard);
        ended_ = nullptr;
    }
    // A message goes on to where it says now.
    void forward(std::uint32_t source, Message& message) { send(source, &message, now_ + 1); }

private:
    struct Event {
        std::uint64_t time, sequence;
        Message* message;  // null: the core's turn
        std::uint32_t core;
        bool due = false;  // it is not the core's turn, but that of stores that it has collected
    };
    struct Later {
        bool operator()(const Event& a, const Event& b) const {
            return a.time != b.time ? a.time > b.time : a.sequence > b.sequence;
        }
    };

    static MachineDescription describe(const Shape& shape) {
        MachineDescription machine;
        constexpr HomeTimes times{2, 1, 1, 1, 1, 1, 1};
        const std::uint32_t home_bytes = line_bytes * shape.bank_sets * shape.bank_ways;
        const bool of_tiles = shape.protocols[0] == Protocol::ddc;
        machine.name = "loose";
        if (of_tiles)
            machine.home = HomeDescription{times, HomeDescription::Policy::fixed, 0, 1};
        else
            machine.shared =
                SharedCacheDescription{times, home_bytes, shape.bank_ways, std::vector<Attachment>(shape.banks)};
        if (shape.is_filter) machine.shared->inclusion = LevelDescription::Inclusion::filter;
        if (shape.cluster > 0) {
            LevelDescription& level = machine.levels.emplace_back();
            level.name = "cluster";
            level.shared_by = shape.cluster;
            level.size = line_bytes * shape.l1_sets * shape.cluster_ways;
            level.ways = shape.cluster_ways;
            level.service = 2;
            level.protocol = shape.levels_protocol;
        }
        if (shape.memory_first) machine.shared->memory = LevelDescription::Memory::first;
        if (shape.owners_answer) machine.shared->answers = LevelDescription::Answers::owner;
        for (LevelDescription& level : machine.levels) level.answers = machine.shared->answers;
        if (shape.forwards) machine.forwarding = ForwardingDescription{shape.forwards, 30};
        machine.memory.controllers = {{0, 0}};
        machine.network = {static_cast<std::uint32_t>(shape.protocols.size()), 1, 1, 1, 1, 16, 1};
        for (const Protocol protocol : shape.protocols) {
            CoreKind kind{
                "core", 1, protocol, {}, {line_bytes * shape.l1_sets * shape.l1_ways, line_bytes, shape.l1_ways, 1}, 0};
            const ProtocolTraits& traits = traits_of(kind.protocol);
            if (shape.stores_in_order && traits.owns && traits.writers_invalidate)
                kind.core.stores = CoreDescription::Stores::in_order;
            kind.core.outstanding_stores = shape.outstanding_stores;
            kind.core.store_buffer_drain = 10;
            kind.prefetch = shape.prefetch;
            if (of_tiles) kind.l2 = SecondCacheDescription{kind.l1d, 1};
            if (of_tiles && machine.kinds.empty())
                kind.l2 = SecondCacheDescription{{home_bytes, line_bytes, shape.bank_ways, 1}, 1};
            if (!of_tiles && shape.private_l2_ways > 0)
                kind.l2 = SecondCacheDescription{
                    {line_bytes * shape.l1_sets * shape.private_l2_ways, line_bytes, shape.private_l2_ways, 3}, 1};
            machine.kinds.push_back(kind);
        }
        return machine;
    }

    void put(Event event) {
        if (settling_ && event.message) return settling_->push_back(event.message);
        events_.push_back(event);
        std::push_heap(events_.begin(), events_.end(), Later{});
    }
    Event take() {
        std::pop_heap(events_.begin(), events_.end(), Later{});
        const Event event = events_.back();
        events_.pop_back();
        return event;
    }
    template <class Ended>
    void deliver(Message* message, Ended ended) {
        message->time = now_;
        const std::uint32_t to = message->destination;
        if (tamper) {
            const Fate fate = tamper(*message);
            if (fate == Fate::gone) return pool_.release(message);
            if (fate == Fate::sent_on) return;
        }
        if (to == controller()) {
            const bool writes = message->kind == MessageKind::memory_write;
            if (writes && !message->awaited) return pool_.release(message);
            message->kind = writes ? MessageKind::memory_ack : MessageKind::memory_data;
            message->destination = message->source;
            return send(to, message, now_);
        }
        if (observer) observer->arrives(*message);
        if (to > controller()) {
            system_->receive(to - controller() - 1, message);
            if (observer) observer->has_arrived(to);
            return;
        }
        Core& core = *cores_[to];
        const bool blocked = core.state == CoreState::waits_memory;
        tiles_[to]->receive(message);
        if (observer) observer->has_arrived(to);
        if (core.state != CoreState::runs) return;
        if (blocked) ended(to);
        wake_up(to, core.time());
    }

    // ---- Standstill ----
    void send(std::uint32_t source, Message* message, std::uint64_t time) override {
        message->source = source;
        if (observer) observer->sends(source, *message);
        std::uint64_t at = time + 1 + random_.below(20);
        if (random_.one_in(16)) at += random_.below(500);
        std::uint64_t& newest = newest_[source * nodes_ + message->destination];
        at = std::max(at, now_ + 1);  // stores that were merged leave in the name of an earlier time
        if (keeps_order) at = newest = std::max(at, newest);
        put({at, ++sequence_, message, 0});
    }
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override {
        message->source = message->destination = node;
        if (observer) observer->sends(node, *message);
        put({std::max(time, now_ + 1), ++sequence_, message, 0});
    }
    void expect_send(std::uint32_t core, std::uint64_t time) override {
        if (description_.forwarding) put({time, ++sequence_, nullptr, core, true});
    }
    MessagePool& pool() override { return pool_; }
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t line, std::uint32_t tile) const override {
        return system_->home_of(line, tile);
    }
    std::uint32_t controller_of(std::uint64_t) const override { return controller(); }
    void for_each_unrouted(const std::function<void(Message&)>&) override {}
    void for_each_arriving(std::uint32_t node, const std::function<void(Message&)>& visit) override {
        for (const Event& event : events_)
            if (event.message && event.message->destination == node) visit(*event.message);
    }
    void refresh(std::uint32_t) override { ++refreshed; }
    void settle() override {
        std::deque<Message*> settling;
        std::vector<Event> turns;
        while (!events_.empty()) {
            const Event event = take();
            event.message ? settling.push_back(event.message) : turns.push_back(event);
        }
        settling_ = &settling;
        while (!settling.empty()) {
            Message* const message = settling.front();
            settling.pop_front();
            deliver(message, ended_);
        }
        settling_ = nullptr;
        for (const Event& turn : turns) put(turn);
    }

    Random random_;
    MachineDescription description_;
    AddressSpace memory_;
    MessagePool pool_;
    CoreDescription core_shape_;
    CacheDescription cache_shape_{128, 64, 1, 1};
    BlockCache blocks_{core_shape_, cache_shape_, memory_};
    Block block_;
    std::unique_ptr<MemorySystem> system_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::unique_ptr<TileMemory>> tiles_;
    std::vector<bool> scheduled_;  // whether the core has an event
    std::uint32_t nodes_ = 0;
    std::vector<std::uint64_t> newest_;  // of each pair of nodes: the arrival of what was sent last
    std::vector<Event> events_;          // a heap
    std::uint64_t now_ = 0, sequence_ = 0;
    std::function<void(std::uint32_t)> ended_;  // while pages change
    std::deque<Message*>* settling_ = nullptr;  // while the memory system settles
};

}  // namespace croftsim
