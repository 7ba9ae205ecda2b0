// Machines in which one kind of message goes wrong at one level: the random tester has to find each of these faults.
// A fault is an L1's or a level's between the L1s and the banks. A table says for which L1s the kind of message is
// there at all, and where a fault does no harm. Both are asserted.

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "l1_protocols.hpp"
#include "random_tester.hpp"

namespace croftsim {
namespace {

using Fate = LooseMachine::Fate;

enum class By : std::uint8_t { l1, level };

struct Machine {
    const char* name;
    std::uint32_t private_l2_ways = 0, cluster = 0;
    bool is_filter = false;
    Protocol levels = Protocol::mesi;
    bool prefetches = false;

    bool has_level() const { return private_l2_ways || cluster; }
};
constexpr Machine machines[] = {
    {"no level"},
    {"L2s", 2},
    {"clusters", 0, 4},
    {"MOESI's clusters", 0, 4, false, Protocol::moesi},
    {"L2s and clusters", 1, 4},
    {"L2s and MOESI's clusters that prefetch", 1, 4, false, Protocol::moesi, true},
    {"no level, which prefetch", 0, 0, false, Protocol::mesi, true},
    {"no level before a filter", 0, 0, true},
    {"L2s before a filter", 2, 0, true},
    {"MOESI's clusters before a filter", 0, 4, true, Protocol::moesi},
};

struct Fault {
    const char* name;
    MessageKind kind;
    bool of_sender;  // whose fault it is; else the receiver's
    int one_in;      // of these messages goes wrong
    std::function<Fate(LooseMachine&, Message&)> change;
    // Which messages of the kind, if not all.
    std::function<bool(const Message&)> which = [](const Message&) { return true; };
};

Fate lost(LooseMachine&, Message&) { return Fate::gone; }
Fate no_bytes(LooseMachine&, Message& message) {
    message.mask = 0;
    return Fate::as_sent;
}
Fate garbled(LooseMachine&, Message& message) {
    for (std::uint8_t& byte : message.bytes) byte ^= 0x5a;
    return Fate::as_sent;
}
// The receiver asks nobody and changes nothing. It says that it has done so, or that it has nothing.
Fate answered_at_once(LooseMachine& machine, Message& message) {
    const std::uint32_t node = message.destination;
    const bool recalls = message.kind == MessageKind::recall;
    message.destination = recalls ? message.requester : message.source;
    message.requester = node;
    message.kind = recalls ? MessageKind::recall_answer : MessageKind::invalidate_ack;
    message.mask = 0;
    machine.forward(node, message);
    return Fate::sent_on;
}

enum Effect : std::uint8_t { absent, harmless, found };

// What comes of the fault; never called for a level where there is none.
struct Expected {
    Fault fault;
    std::function<Effect(By, Protocol l1, const Machine&)> effect;
};

bool owns(Protocol l1) { return traits_of(l1).owns; }

struct Seen {
    int seeds = 0, seeds_that_met = 0;
};

Seen outcome_of(const Fault& fault, By by, Protocol l1, const Machine& shape) {
    Seen outcome;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        RandomTester::Options options;
        options.machine.protocols.assign(8, l1);
        options.machine.private_l2_ways = shape.private_l2_ways;
        options.machine.cluster = shape.cluster;
        options.machine.is_filter = shape.is_filter;
        options.machine.levels_protocol = shape.levels;
        if (shape.prefetches)
            options.machine.prefetch = PrefetchDescription{PrefetchDescription::Policy::next_line, 2, 4};
        options.operations = 6'000;
        options.seed = seed;
        RandomTester tester(options);
        LooseMachine& machine = tester.machine;
        const std::uint32_t banks = options.machine.banks, controller = machine.controller();
        int met = 0;
        machine.tamper = [&](Message& message) {
            const std::uint32_t node = fault.of_sender ? message.source : message.destination;
            const bool is_bank = node > controller && node <= controller + banks;
            if (message.kind != fault.kind || is_bank || (node < controller) != (by == By::l1) || node == controller)
                return Fate::as_sent;
            if (!fault.which(message) || ++met % fault.one_in != 0) return Fate::as_sent;
            return fault.change(machine, message);
        };
        bool wrong = false;
        try {
            wrong = tester.run().wrong > 0;
        } catch (const SimulatorFault&) {  // a message for which nobody waits
            wrong = true;
        }
        outcome.seeds += wrong;
        outcome.seeds_that_met += met >= fault.one_in;
    }
    return outcome;
}

std::vector<Expected> table() {
    return {
        {{"an invalidation acknowledged and not done", MessageKind::invalidate, false, 1, answered_at_once}, {}},
        {{"an acknowledgement lost", MessageKind::invalidate_ack, true, 5, lost}, {}},
        {{"a recall lost", MessageKind::recall, false, 20, lost}, {}},
        {{"a recall answered at once", MessageKind::recall, false, 3, answered_at_once}, {}},
        {{"an answer to a recall without its bytes", MessageKind::recall_answer, true, 5, no_bytes}, {}},
        {{"a write-back lost", MessageKind::write_back, true, 5, lost}, {}},
        {{"a write-back without its bytes", MessageKind::write_back, true, 5, no_bytes}, {}},
        {{"data garbled", MessageKind::data, false, 20, garbled}, {}},
        {{"data lost", MessageKind::data, false, 20, lost}, {}},
        {{"dirty bytes that do not go along with a request", MessageKind::own, true, 1,
          [](LooseMachine&, Message& message) { message.owned = 0; return Fate::as_sent; },
          [](const Message& message) { return message.owned != 0; }}, {}},
        {{"a dirty line shared, taken for shown", MessageKind::recall, false, 1,
          [](LooseMachine&, Message& message) { message.recall = Recall::copy; return Fate::as_sent; },
          [](const Message& message) { return message.recall == Recall::share; }}, {}},
        {{"a line to be shared, taken for shown", MessageKind::recall, false, 1,
          [](LooseMachine&, Message& message) { message.recall = Recall::copy; return Fate::as_sent; },
          [](const Message& message) { return message.recall == Recall::downgrade; }}, {}},
        {{"a write acknowledgement lost", MessageKind::write_ack, false, 20, lost}, {}},
    };
}

}  // namespace

TEST_CASE("matrix") {
    for (const auto& [fault, effect] : table())
        for (const By by : {By::l1, By::level})
            for (const Machine& machine : machines) {
                if (by == By::level && !machine.has_level()) continue;
                std::printf("%-45s %-5s %-40s", fault.name, by == By::l1 ? "l1" : "level", machine.name);
                for (const Protocol l1 : l1_protocols()) {
                    const Seen o = outcome_of(fault, by, l1, machine);
                    std::printf(" %s:%d/%d", name_of(l1), o.seeds, o.seeds_that_met);
                }
                std::printf("\n"); std::fflush(stdout);
            }
}

}  // namespace croftsim
