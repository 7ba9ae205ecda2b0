#pragma once
// Each protocol, written down from what the code does. Cores with all kinds of L1s walk at random over three lines that
// share one set of one cache. It is the bank, or a cache of a level before it that half of the cores share. The walk
// notes every transition of a line's state, with the event that caused it and the messages that it sent.
// docs/protocols.md is the result.

#include <algorithm>
#include <array>
#include <compare>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "coherence/l1_requester.hpp"
#include "loose_machine.hpp"
#include "transition.hpp"
#include "transition_event.hpp"
#include "transition_table.hpp"

namespace croftsim {

// The unit of MESI and of DeNovo with lines is the line. Elsewhere the state is that of the line's first word, and
// other words are used beside it.
class TransitionWalk final : private LooseMachine::Observer {
public:
    enum class Of : std::uint8_t { bank, level };
    explicit TransitionWalk(std::uint64_t seed, Of cache = Of::bank)
        : of_(cache), machine_(shape(seed, cache)), random_(seed), cores_(cores) {
        machine_.observer = this;
    }
    void run(std::uint64_t operations) {
        const auto act = [this](std::uint32_t core) { take_turn(core); };
        const auto ended = [this](std::uint32_t core) { cores_[core].again = false; };
        for (left_ = operations; left_ > 0;)
            if (!machine_.step(act, ended)) throw std::logic_error("the walk is stuck");
    }
    TransitionTable table(Protocol protocol) const {
        return table_of(seen_[static_cast<std::size_t>(protocol)],
                        [protocol](std::uint32_t code) { return name_of_state(protocol, code); });
    }
    // That of the watched cache.
    TransitionTable home() const {
        return table_of(seen_[0], [this](std::uint32_t code) { return name_of_home_state(code); });
    }

private:
    using Event = TransitionEvent;
    static constexpr auto operations = static_cast<std::uint32_t>(Event::replacement);  // a core's come before it
    struct Step {
        Event what = Event::load;
        std::uint32_t line = 0, word = 0;
        bool again = false;  // it has not ended yet
    };
    struct Request {
        std::uint32_t tile;
        std::uint64_t line, mask;
        MessageKind kind;
    };
    static constexpr std::uint32_t lines = 3, protocols = 7, cores = 2 * protocols;  // those of a shared L2
    static constexpr std::uint8_t rd = 5;
    static constexpr std::uint64_t first_word = 15;

    static LooseMachine::Shape shape(std::uint64_t seed, Of cache) {
        LooseMachine::Shape shape;
        for (std::uint32_t i = 0; i < cores; ++i) shape.protocols.push_back(static_cast<Protocol>(1 + i / 2));
        shape.l1_sets = shape.l1_ways = 1;
        shape.banks = shape.bank_sets = 1;
        shape.outstanding_stores = 2;
        shape.seed = seed;
        if (cache == Of::bank) return shape;
        for (std::uint32_t i = 0; i < cores; ++i)  // one core of each in each half
            shape.protocols[i] = static_cast<Protocol>(1 + i % protocols);
        shape.cluster = cores / 2;
        shape.levels_protocol = Protocol::moesi;
        return shape;
    }
    static std::uint64_t address(std::uint32_t line) { return LooseMachine::first_line + line * line_bytes; }
    L1Requester& l1(std::uint32_t id) { return static_cast<L1Requester&>(machine_.l1(id)); }
    static bool has_lines(Protocol protocol) {
        return protocol == Protocol::mesi || protocol == Protocol::moesi || protocol == Protocol::denovo_line;
    }
    std::uint64_t unit(std::uint32_t id) const { return has_lines(machine_.protocol(id)) ? whole_line : first_word; }

    // ---- states: numbers while walking, names in the end ----

    // The state by the masks, and a bit for each kind of request under way.
    std::uint32_t state(std::uint32_t id, std::uint64_t line) {
        const L1Line* const copy = l1(id).l1.find(line);
        const std::uint64_t mask = unit(id);
        std::uint32_t code = 0;
        if (copy && (mask & ~copy->valid) == 0) code = 1;
        if (copy && copy->owned & mask) code |= 2;
        if (copy && copy->dirty & mask) code |= 4;
        for (const auto& [message, request] : requests_) {
            if (request.tile != id || request.line != line) continue;
            if (request.kind != MessageKind::read && !(request.mask & mask)) continue;
            code |= 8u << static_cast<unsigned>(request.kind);
        }
        return code;
    }
    static std::string name_of_state(Protocol protocol, std::uint32_t code) {
        std::string name;
        if (protocol == Protocol::mesi || protocol == Protocol::moesi)
            name = !(code & 1) ? "I" : code & 2 ? (code & 4 ? "M" : "E") : code & 4 ? "O" : "S";
        else if (protocol == Protocol::denovo || protocol == Protocol::denovo_line)
            name = code & 2 ? "R" : code & 1 ? "V" : "I";
        else
            name = code & 4 ? "D" : code & 1 ? "V" : "I";
        for (unsigned kind = 0; kind < static_cast<unsigned>(MessageKind::count); ++kind)
            if (code & 8u << kind) name += std::string(" + ") + name_of(static_cast<MessageKind>(kind));
        return name;
    }
    // The cache that is watched, and its node.
    CacheLevel& home_cache() { return machine_.system().cache(of_ == Of::bank ? 0 : 1); }
    std::uint32_t home_node() const { return machine_.controller() + (of_ == Of::bank ? 1 : 2); }
    // Here, shared, owned in part, owned by one as a whole; the right that the parent has given; and what the line is
    // busy with.
    std::uint32_t home_state(std::uint64_t line) {
        CacheLevel& home = home_cache();
        const LevelLine* const found = home.lines().find(line);
        std::uint32_t code = 0;
        if (found) {
            code = 1;
            if (!home.lines().sharers(*found).empty()) code |= 2;
            if (found->owned) code |= is_one_owners(home, *found) ? 8 : 4;
            if (of_ == Of::level) code |= (found->exclusive ? 0x100 : 0) | (found->dirty ? 0x200 : 0);
        }
        const auto busy = home.busy_with(line);
        return busy ? code | (1 + static_cast<std::uint32_t>(busy->phase)) << 4 : code;
    }
    std::string name_of_home_state(std::uint32_t code) const {
        constexpr const char* phases[] = {"", " filling", " recalling", " invalidating", " evicting", " obeying"};
        const bool of_bank = of_ == Of::bank;
        const unsigned phase = code >> 4 & 15;
        std::string name = code & 8 ? "o" : code & 4 ? "w" : "";
        if (code & 2) name += "s";
        if (of_bank) {
            for (char& letter : name) letter = static_cast<char>(letter + 'A' - 'a');
            if (name.empty()) name = code & 1 ? "V" : "I";
            return name + phases[phase];
        }
        const char* const right = !(code & 1)    ? "I"
                                  : code & 0x100 ? (code & 0x200 ? "M" : "E")
                                  : code & 0x200 ? "O"
                                                 : "S";
        return right + (phase == 0 ? name : phases[phase]);
    }
    static bool is_one_owners(const CacheLevel& bank, const LevelLine& line) {
        return bank.owners().owned_by(line, bank.owners().owner_of(line, 0)) == whole_line;
    }

    // ---- what happens ----

    struct Before {
        std::array<std::uint32_t, lines> states{};
        std::array<bool, lines> queued{};  // at the home: others wait for the line
    };
    Before look(std::uint32_t node) {
        Before now;
        for (std::uint32_t i = 0; i < lines; ++i) {
            if (node < cores) {
                now.states[i] = state(node, address(i));
                continue;
            }
            now.states[i] = home_state(address(i));
            const auto busy = home_cache().busy_with(address(i));
            now.queued[i] = busy && busy->waiting > 0;
        }
        sent_ = {};
        return now;
    }
    void note(std::size_t table, const Transition& one) { seen_[table].insert(one); }

    void take_turn(std::uint32_t id) {
        Step& step = cores_[id];
        if (!step.again) step = choose();
        const Before before = look(id);
        const Access access = perform(id, step);
        --left_;
        step.again = access != Access::done;
        const char* const nothing = access == Access::retry ? "stall" : "hit";
        const bool of_all = step.what == Event::acquire || step.what == Event::release;
        const auto table = static_cast<std::size_t>(machine_.protocol(id));
        for (std::uint32_t i = 0; i < lines; ++i) {
            const std::uint32_t before_it = before.states[i], after = state(id, address(i));
            const bool concerned = i == step.line && (has_lines(machine_.protocol(id)) || step.word == 0);
            if (of_all ? before_it != 0 : concerned)
                note(table, {before_it, after, sent_[i], step.what, nothing, access == Access::retry && sent_[i] != 0});
            else if (i != step.line && !of_all && (before_it != after || sent_[i] != 0))
                note(table, {before_it, after, sent_[i], Event::replacement, "", false});
        }
        if (machine_.core(id).state == CoreState::runs)
            machine_.wake_up(id, machine_.core(id).time() + 1 + random_.below(30));
    }
    Step choose() {
        constexpr Event often[] = {Event::load, Event::load, Event::store, Event::store};
        Step step;
        step.what = random_.one_in(2) ? often[random_.below(4)] : static_cast<Event>(random_.below(operations));
        step.line = random_.below(lines);
        step.word = random_.below(2);
        return step;
    }
    Access perform(std::uint32_t id, const Step& step) {
        Requester& to = machine_.l1(id);
        const std::uint64_t at = address(step.line) + 4 * step.word;
        switch (step.what) {
            case Event::load:
                return to.load(LoadType::u32, rd, at, Reserve::no);
            case Event::store:
                return to.store(at, 4, random_(), true);
            case Event::atomic:
                return to.atomic(AtomicOperation::add, LoadType::i32, false, rd, at, 1);
            case Event::lr:
                return to.load(LoadType::i32, rd, at, Reserve::start);
            case Event::sc:
                return to.store_conditional(LoadType::i32, rd, at, 1);
            case Event::acquire:
                return to.operate(LineOperation::drop_all, 0, 0);  // what an acquire does where it does anything
            case Event::release:
                return to.fence();
            default:
                return to.operate(LineOperation::flush, at, 0);
        }
    }

    // ---- messages ----

    void arrives(const Message& message) override {
        const std::uint32_t to = message.destination;
        before_ = look(to);
        event_ = event_of(message);
        if (to < cores) requests_.erase(&message);
        line_ = static_cast<std::uint32_t>((message.line - LooseMachine::first_line) / line_bytes);
        // A message about other words, or about none, is told only by what it does to this word.
        about_ = to > cores || message.kind == MessageKind::invalidate ||
                 (message.kind != MessageKind::write_ack && (message.mask & unit(to)) != 0);
    }
    void has_arrived(std::uint32_t node) override {
        const bool at_home = node >= cores;
        if (at_home && node != home_node()) return;
        const std::size_t table = at_home ? 0 : static_cast<std::size_t>(machine_.protocol(node));
        const bool ends = event_ == Event::memory_data || event_ == Event::invalidate_ack ||
                          event_ == Event::recall_answer || event_ == Event::recall_answer_empty ||
                          event_ == Event::data || event_ == Event::data_exclusive;
        for (std::uint32_t i = 0; i < lines; ++i) {
            const std::uint32_t before = before_.states[i];
            const std::uint32_t after = at_home ? home_state(address(i)) : state(node, address(i));
            const bool changes = before != after || sent_[i] != 0;
            // With others waiting for the line it would be their transitions too.
            if (before_.queued[i] && (i != line_ || ends)) continue;
            const bool waits = at_home && before >> 4 & 15 && !ends && event_ != Event::write_back;
            if (i == line_ && (about_ || changes))
                note(table, {before, after, sent_[i], event_, waits ? "queued" : "-", false});
            else if (i != line_ && changes)
                note(table, {before, after, sent_[i], Event::replacement, "", false});
        }
    }
    void sends(std::uint32_t source, const Message& message) override {
        const bool to_itself = message.destination == source;
        const Event sent = !to_itself                            ? event_of(message)
                           : message.kind == MessageKind::recall ? Event::later
                                                                 : Event::again;
        sent_[(message.line - LooseMachine::first_line) / line_bytes] |= bit_of(sent);
        if (source >= cores || to_itself) return;
        const bool asks = message.kind == MessageKind::read || message.kind == MessageKind::own ||
                          message.kind == MessageKind::atomic || message.kind == MessageKind::store_conditional;
        if (asks) requests_[&message] = {source, message.line, message.mask, message.kind};
    }

    const Of of_;
    LooseMachine machine_;
    Random random_;
    std::vector<Step> cores_;
    std::uint64_t left_ = 0;
    std::array<std::set<Transition>, 1 + protocols> seen_;  // [0]: of the bank or the level
    std::map<const Message*, Request>
        requests_;  // on their way, or their answers are: an answer is its request, changed
    std::array<std::uint32_t, lines> sent_{};
    Before before_;
    Event event_ = Event::count;
    std::uint32_t line_ = 0;
    bool about_ = false;
};

// All of docs/protocols.md. Throws std::logic_error if the code does something for which the page has no place.
std::string protocols_page(std::uint64_t seed, std::uint64_t operations);

}  // namespace croftsim
