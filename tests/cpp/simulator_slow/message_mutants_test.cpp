// Machines in which one kind of message goes wrong at one level: the random tester has to find each of these faults.
// A fault is an L1's, or that of a level between the L1s and the banks. It is tried wherever the kind of message is
// there, and a table says on how many machines that is so.
//
// One fault does no harm. L1s that own nothing hear of a write only where they have a reservation, and the home knows
// that they have lost that. Their copies go at acquires.

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "l1_protocols.hpp"
#include "random_tester.hpp"

namespace croftsim::message_mutants {
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
    // Before a filter without a level only L1s like MESI's may be (description/machine.cpp).
    bool may_have(Protocol l1) const {
        const ProtocolTraits& traits = traits_of(l1);
        return has_level() || !is_filter || (traits.writers_invalidate && traits.owns);
    }
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

struct Seen {
    int seeds = 0, seeds_that_met = 0;  // that found something wrong; that met a message which went wrong
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
        options.operations = 20'000;
        options.until_wrong = true;
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
        if (met < fault.one_in) return outcome;  // that kind is rare here, or not there at all
        ++outcome.seeds_that_met;
    }
    return outcome;
}

struct Tried {
    Fault fault;
    int by_l1s, by_levels;  // on so many machines, of one protocol's L1s each
};

std::vector<Tried> table() {
    const auto only_shown = [](LooseMachine&, Message& message) {
        message.recall = Recall::copy;
        return Fate::as_sent;
    };
    const auto gives_up = [](const Message& message) { return message.recall == Recall::downgrade; };
    return {
        {{"an invalidation acknowledged and not done", MessageKind::invalidate, false, 1, answered_at_once}, 47, 49},
        {{"an acknowledgement lost", MessageKind::invalidate_ack, true, 5, lost}, 47, 49},
        {{"a recall lost", MessageKind::recall, false, 20, lost}, 38, 49},
        {{"a recall answered without asking anybody", MessageKind::recall, false, 3, answered_at_once}, 38, 49},
        {{"an answer to a recall without its bytes", MessageKind::recall_answer, true, 5, no_bytes}, 38, 49},
        {{"a write-back lost", MessageKind::write_back, true, 5, lost}, 27, 49},
        {{"data garbled", MessageKind::data, false, 20, garbled}, 65, 49},
        {{"data lost", MessageKind::data, false, 20, lost}, 65, 49},
        {{"a write's acknowledgement lost", MessageKind::write_ack, false, 20, lost}, 27, 0},
        {{"a line given up and taken for shown", MessageKind::recall, false, 1, only_shown, gives_up}, 31, 35},
    };
}

#ifdef NDEBUG
constexpr bool has_assertions = false;
#else
constexpr bool has_assertions = true;  // which end the tests when they find a fault
#endif

}  // namespace

TEST_CASE("random tester: a message that goes wrong is found, by whichever L1 or level" * doctest::test_suite("slow") *
          doctest::skip(has_assertions)) {
    for (const auto& [fault, by_l1s, by_levels] : table())
        for (const By by : {By::l1, By::level}) {
            int tried = 0;
            for (const Machine& machine : machines)
                for (const Protocol l1 : l1_protocols()) {
                    if (!machine.may_have(l1) || (by == By::level && !machine.has_level())) continue;
                    const Seen seen = outcome_of(fault, by, l1, machine);
                    if (seen.seeds_that_met < 3) continue;
                    ++tried;
                    CAPTURE(std::string(fault.name));
                    CAPTURE(std::string(machine.name));
                    CAPTURE(name_of(l1));
                    CAPTURE((by == By::l1));
                    if (by == By::l1 && fault.kind == MessageKind::invalidate && !traits_of(l1).owns)
                        CHECK(seen.seeds == 0);
                    else
                        CHECK(seen.seeds >= 2);
                }
            CAPTURE(std::string(fault.name));
            CHECK(tried == (by == By::l1 ? by_l1s : by_levels));
        }
}

}  // namespace croftsim::message_mutants
