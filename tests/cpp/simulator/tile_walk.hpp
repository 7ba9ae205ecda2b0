#pragma once
// Tilera's protocol, written down from what the code does, as transition_walk.hpp has it for L1s at a shared L2. Eight
// tiles walk at random over three lines, all homed at tile 0, whose L2 has two places for them. The others have one.
// The home's own core walks along.

#include <array>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "loose_machine.hpp"
#include "transition.hpp"
#include "transition_event.hpp"
#include "transition_table.hpp"

namespace croftsim {

class TileWalk final : private LooseMachine::Observer {
public:
    explicit TileWalk(std::uint64_t seed) : machine_(shape(seed)), random_(seed) { machine_.observer = this; }
    void run(std::uint64_t operations) {
        const auto act = [this](std::uint32_t tile) { take_turn(tile); };
        const auto ended = [this](std::uint32_t tile) { steps_[tile].again = false; };
        for (left_ = operations; left_ > 0;)
            if (!machine_.step(act, ended)) throw std::logic_error("the walk is stuck");
    }
    TransitionTable requester() const { return table_of(seen_[elsewhere], name_of_copy); }
    TransitionTable home() const { return table_of(seen_[at_home], name_of_home); }
    TransitionTable own_core() const { return table_of(seen_[of_its_core], name_of_home); }  // of the home's

    static constexpr std::array operations{
        TransitionEvent::load,    TransitionEvent::store,   TransitionEvent::store_past, TransitionEvent::atomic,
        TransitionEvent::lr,      TransitionEvent::sc,      TransitionEvent::release,    TransitionEvent::drop,
        TransitionEvent::forward, TransitionEvent::allocate};

private:
    using Event = TransitionEvent;
    enum Where : std::size_t { at_home, of_its_core, elsewhere };
    static constexpr std::uint32_t lines = 3, tiles = 8;
    static constexpr std::uint8_t rd = 5;
    struct Step {
        Event what = Event::load;
        std::uint32_t line = 0;
        bool again = false;  // it has not ended yet
    };
    struct Request {
        std::uint32_t tile;
        std::uint64_t line;
        std::uint32_t code;
    };

    static LooseMachine::Shape shape(std::uint64_t seed) {
        LooseMachine::Shape shape;
        shape.protocols.assign(tiles, Protocol::ddc);
        shape.l1_sets = shape.l1_ways = shape.bank_sets = 1;
        shape.outstanding_stores = 2;
        shape.seed = seed;
        return shape;
    }
    static std::uint64_t address(std::uint32_t line) { return LooseMachine::first_line + line * line_bytes; }
    static std::uint32_t number_of(std::uint64_t line) {
        return static_cast<std::uint32_t>((line - LooseMachine::first_line) / line_bytes);
    }

    // ---- states: numbers while walking, names in the end ----

    // The state of a tile that is not the home: a copy, stores in its buffer, messages on their way that bring
    // something.
    std::uint32_t copy_state(std::uint32_t id, std::uint64_t line) {
        std::uint32_t code = machine_.tile(id).caches.l2.find(line) ? 1 : 0;
        if (buffers(id) && address(buffered_[id]) == line) code |= 2;
        for (const auto& [message, request] : requests_)
            if (request.tile == id && request.line == line) code |= request.code;
        return code;
    }
    bool buffers(std::uint32_t id) { return machine_.tile(id).ddc.deadline() != never; }
    static std::string name_of_copy(std::uint32_t code) {
        std::string name = code & 1 ? "C" : "I";
        if (code & 2) name += "b";
        if (code & 4) name += " + read";
        if (code & 8) name += " + line";
        if (code & 16) name += " + atomic";
        return name;
    }
    std::uint32_t home_state(std::uint64_t line) {
        LineCache& l2 = machine_.tile(0).caches.l2;
        const Line* const found = l2.find(line);
        const std::uint32_t code = !found ? 0 : l2.sharers(*found).empty() ? 1 : 2;
        const auto busy = machine_.tile(0).home.busy_with(line);
        return busy ? code | (1 + static_cast<std::uint32_t>(busy->phase)) << 4 : code;
    }
    static std::string name_of_home(std::uint32_t code) {
        constexpr const char* here[] = {"I", "V", "S"};
        constexpr const char* phases[] = {"", " filling", " recalling", " invalidating", " evicting"};
        return std::string(here[code & 3]) + phases[code >> 4];
    }

    // ---- what happens ----

    struct Before {
        std::array<std::uint32_t, lines> states{};
        std::array<bool, lines> queued{};  // others wait for the line
    };
    Before look(std::uint32_t id) {
        Before now;
        for (std::uint32_t i = 0; i < lines; ++i) {
            now.states[i] = id == 0 ? home_state(address(i)) : copy_state(id, address(i));
            const auto busy = machine_.tile(0).home.busy_with(address(i));
            now.queued[i] = id == 0 && busy && busy->waiting > 0;
        }
        sent_ = {};
        return now;
    }
    // `event` concerned the line of that number. The other lines' changes are replacements, or their stores' leaving.
    void note(Where where, std::uint32_t id, const Before& before, Event event, std::uint32_t line, const char* nothing,
              bool stalls) {
        const auto sent = sent_;
        const Before after = look(id);
        for (std::uint32_t i = 0; i < lines; ++i) {
            const bool changes = before.states[i] != after.states[i] || sent[i] != 0;
            if (i != line && !changes) continue;
            const bool left = where == elsewhere && (before.states[i] & 2) && !(after.states[i] & 2);
            const Event what = i == line ? event : left ? Event::merged : Event::replacement;
            seen_[where].insert({before.states[i], after.states[i], sent[i], what, i == line ? nothing : "",
                                 i == line && stalls && sent[i] != 0});
        }
    }

    void take_turn(std::uint32_t id) {
        Step& step = steps_[id];
        Requester& to = machine_.l1(id);
        if (to.deadline() <= machine_.stands_at()) {
            const Before before = look(id);
            to.send_due(machine_.stands_at());
            note(elsewhere, id, before, Event::merged, buffered_[id], "-", false);
        }
        if (!step.again) step = {operations[random_.below(operations.size())], random_.below(lines), false};
        const Before before = look(id);
        const Access access = perform(to, step);
        --left_;
        step.again = access != Access::done;
        const bool stores = step.what == Event::store || step.what == Event::store_past;
        if (stores && access == Access::done && buffers(id)) buffered_[id] = step.line;
        const bool retry = access == Access::retry;
        const char* const nothing = retry ? "stall" : access == Access::blocked ? "-" : "hit";
        note(id == 0 ? of_its_core : elsewhere, id, before, step.what,
             step.what == Event::release ? buffered_[id] : step.line, nothing, retry);
        if (machine_.core(id).state == CoreState::runs)
            machine_.wake_up(id, machine_.core(id).time() + 1 + random_.below(30));
    }
    Access perform(Requester& to, const Step& step) {
        const std::uint64_t at = address(step.line) + 4 * random_.below(2);
        switch (step.what) {
            case Event::load:
                return to.load(LoadType::u32, rd, at, Reserve::no);
            case Event::store:
            case Event::store_past:
                return to.store(at, 4, random_(), step.what == Event::store);
            case Event::atomic:
                return to.atomic(AtomicOperation::add, LoadType::i32, false, rd, at, 1);
            case Event::lr:
                return to.load(LoadType::i32, rd, at, Reserve::start);
            case Event::sc:
                return to.store_conditional(LoadType::i32, rd, at, 1);
            case Event::release:
                return to.fence();
            case Event::drop:
                return to.operate(LineOperation::drop, at, 0);
            case Event::forward:
                return to.operate(LineOperation::forward, at, random_.one_in(2) ? Forward::update_memory : 0);
            default:
                return to.operate(LineOperation::allocate, at, 0);
        }
    }

    // ---- messages ----

    void arrives(const Message& message) override {
        before_ = look(message.destination);
        event_ = event_of(message);
        line_ = number_of(message.line);
        if (message.destination != 0) requests_.erase(&message);
    }
    void has_arrived(std::uint32_t id) override {
        const bool ends = event_ == Event::memory_data || event_ == Event::invalidate_ack;
        if (id == 0 && before_.queued[line_] && ends) return;  // with others waiting it would be their transitions too
        // To its own core: the answer to a request, or that memory has what a fence waits for.
        if (id == 0 && !ends && !asks(event_)) return;
        const bool waits = id == 0 && before_.states[line_] >> 4 && !ends;
        note(id == 0 ? at_home : elsewhere, id, before_, event_, line_, waits ? "queued" : "-", false);
    }
    static bool asks(Event event) { return event >= Event::read && event <= Event::store_conditional; }
    void sends(std::uint32_t source, const Message& message) override {
        const bool to_itself = message.destination == source;
        sent_[number_of(message.line)] |= bit_of(message.kind == MessageKind::alarm ? Event::again : event_of(message));
        if (source == 0 || to_itself) return;
        std::uint32_t code = 0;
        if (message.kind == MessageKind::read) code = 4;
        if (message.kind == MessageKind::write_through && message.allocates) code = 8;
        if (message.kind == MessageKind::atomic || message.kind == MessageKind::store_conditional) code = 16;
        if (code != 0) requests_[&message] = {source, message.line, code};
    }

    LooseMachine machine_;
    Random random_;
    std::array<Step, tiles> steps_;
    std::array<std::uint32_t, tiles> buffered_{};  // the line of the latest stores
    std::uint64_t left_ = 0;
    std::array<std::set<Transition>, 3> seen_;  // by Where
    std::map<const Message*, Request>
        requests_;  // on their way, or their answers are: an answer is its request, changed
    std::array<std::uint32_t, lines> sent_{};
    Before before_;
    Event event_ = Event::count;
    std::uint32_t line_ = 0;
};

}  // namespace croftsim
