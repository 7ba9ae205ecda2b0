// The random tester in small; coherence_tester.cpp runs it at any length. And what it is worth: programs that race, and
// protocols that leave something out, have to be found wrong.

#include <doctest/doctest.h>

#include "l1_protocols.hpp"
#include "random_tester.hpp"

namespace croftsim {
namespace {

RandomTester::Options on(std::vector<Protocol> l1s, std::uint64_t operations, std::uint64_t seed = 1) {
    RandomTester::Options options;
    for (std::size_t core = 0; core < 8; ++core) options.machine.protocols.push_back(l1s[core % l1s.size()]);
    options.operations = operations;
    options.seed = seed;
    return options;
}

using Fate = LooseMachine::Fate;

// How many of a few seeds find something when messages are tampered with.
int found(const std::vector<Protocol>& l1s, const std::function<std::function<Fate(Message&)>(LooseMachine&)>& make) {
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        RandomTester tester(on(l1s, 20'000, seed));
        tester.machine.tamper = make(tester.machine);
        wrong += tester.run().wrong > 0;
    }
    return wrong;
}
// The same for one kind of message, of which the change is made to one in so many.
int found(const std::vector<Protocol>& l1s, MessageKind kind, const std::function<void(Message&)>& change,
          int one_in = 20) {
    return found(l1s, [&](LooseMachine&) {
        return [kind, change, one_in, count = 0](Message& message) mutable {
            if (message.kind == kind && ++count % one_in == 0) change(message);
            return Fate::as_sent;
        };
    });
}

}  // namespace

TEST_CASE(
    "random tester: 200,000 operations without a race see every last write, on L1s of each protocol beside MESI") {
    for (const Protocol protocol : l1_protocols()) {
        RandomTester tester(on({protocol, Protocol::mesi}, 40'000));
        const RandomTester::Counts& counts = tester.run();
        CAPTURE(name_of(protocol));
        for (const std::string& report : tester.reports()) FAIL_CHECK(report);
        CHECK(counts.wrong == 0);
        CHECK(counts.operations >= 40'000);
        CHECK(counts.loads > 8'000);
        CHECK(counts.stores > 4'000);
        CHECK(counts.atomics > 1'000);
        CHECK(counts.stored > 200);
        CHECK(counts.evictions > 1'500);
        CHECK(counts.recalls > 5'000);
    }
    RandomTester tester(on(l1_protocols(), 40'000));
    CHECK(tester.run().wrong == 0);
    for (const std::string& report : tester.reports()) FAIL_CHECK(report);
}

TEST_CASE("random tester: between L1s of all protocols and the banks there may be an L2 each, a shared one, and both") {
    struct Levels {
        std::uint32_t private_l2_ways, cluster, cluster_ways;
        bool owners_answer = false;
    };
    std::vector<std::vector<Protocol>> mixtures{l1_protocols()};
    for (const Protocol protocol : l1_protocols()) mixtures.push_back({protocol, Protocol::mesi});
    for (const auto& l1s : mixtures)
        for (const auto& [ways, cluster, cluster_ways, owners_answer] :
             {Levels{1, 0, 0}, Levels{2, 0, 0}, Levels{8, 0, 0}, Levels{0, 2, 1}, Levels{0, 4, 2}, Levels{0, 3, 8},
              Levels{1, 4, 2}, Levels{2, 4, 8}, Levels{0, 0, 0, true}, Levels{2, 0, 0, true}, Levels{0, 4, 2, true},
              Levels{1, 4, 2, true}}) {
            CAPTURE(name_of(l1s[0]));
            CAPTURE(ways);
            CAPTURE(cluster);
            CAPTURE(cluster_ways);
            RandomTester::Options options = on(l1s, 20'000, ways + cluster);
            options.machine.private_l2_ways = ways;
            options.machine.cluster = cluster;
            options.machine.cluster_ways = cluster_ways;
            options.machine.owners_answer = owners_answer;
            RandomTester tester(options);
            const RandomTester::Counts& counts = tester.run();
            for (const std::string& report : tester.reports()) FAIL_CHECK(report);
            CHECK(counts.wrong == 0);
            CHECK(counts.stored > 100);
            CHECK(counts.recalls > 1'000);
        }
}

TEST_CASE("random tester: L1s of each protocol may prefetch, one line ahead or many, and where pages change") {
    using Policy = PrefetchDescription::Policy;
    std::vector<std::vector<Protocol>> mixtures{l1_protocols()};
    for (const Protocol protocol : l1_protocols()) mixtures.push_back({protocol, Protocol::mesi});
    for (const auto& l1s : mixtures)
        for (const Policy policy : {Policy::next_line, Policy::stride})
            for (const std::uint32_t changes : {0, 60}) {
                CAPTURE(name_of(l1s[0]));
                RandomTester::Options options = on(l1s, changes ? 20'000 : 60'000);
                options.machine.prefetch = PrefetchDescription{policy, 1 + (changes ? 3u : 0u), 4};
                options.machine.l1_sets = 4;
                options.changes = changes;
                RandomTester tester(options);
                const RandomTester::Counts& counts = tester.run();
                for (const std::string& report : tester.reports()) FAIL_CHECK(report);
                CHECK(counts.wrong == 0);
                CHECK(counts.prefetches > (policy == Policy::stride ? 10 : 500));
            }
}

TEST_CASE("random tester: no line is prefetched for which an atomic waits, or its owner would be taken for a reader") {
    RandomTester::Options options = on({Protocol::moesi}, 300'000, 17);
    options.machine.prefetch = PrefetchDescription{PrefetchDescription::Policy::next_line, 2};
    options.machine.l1_sets = 4;
    RandomTester tester(options);
    CHECK(tester.run().wrong == 0);
    for (const std::string& report : tester.reports()) FAIL_CHECK(report);
}

TEST_CASE(
    "random tester: the home may be a snoop filter, behind L1s and behind levels, which share dirty lines or not") {
    for (const Protocol l1 : {Protocol::mesi, Protocol::moesi})
        for (const Protocol level : {Protocol::mesi, Protocol::moesi})
            for (const std::uint32_t ways : {0, 2})
                for (const std::uint32_t cluster : {0, 4})
                    for (const auto& [changes, owners_answer] :
                         {std::pair{0u, false}, std::pair{60u, false}, std::pair{60u, true}}) {
                        CAPTURE(name_of(l1));
                        CAPTURE(name_of(level));
                        CAPTURE(ways);
                        CAPTURE(cluster);
                        CAPTURE(owners_answer);
                        RandomTester::Options options =
                            on(ways || cluster ? std::vector{l1, Protocol::denovo, Protocol::gpu_wb} : std::vector{l1},
                               20'000, ways + cluster + 1);
                        options.machine.private_l2_ways = cluster && ways == 2 ? 0 : ways;
                        options.machine.cluster = cluster;
                        options.machine.levels_protocol = level;
                        options.machine.is_filter = true;
                        options.machine.owners_answer = owners_answer;
                        options.changes = changes;
                        RandomTester tester(options);
                        const RandomTester::Counts& counts = tester.run();
                        for (const std::string& report : tester.reports()) FAIL_CHECK(report);
                        CHECK(counts.wrong == 0);
                        CHECK(counts.recalls > 500);
                    }
}

TEST_CASE("random tester: no store is lost, nor seen late, where pages change while others store") {
    const auto check = [](std::vector<Protocol> l1s, std::uint32_t private_l2_ways, std::uint32_t cluster = 0,
                          bool owners_answer = false) {
        RandomTester::Options options = on(std::move(l1s), 40'000);
        options.machine.private_l2_ways = private_l2_ways;
        options.machine.owners_answer = owners_answer;
        options.machine.cluster = cluster;
        options.changes = 60;
        RandomTester tester(options);
        const RandomTester::Counts& counts = tester.run();
        for (const std::string& report : tester.reports()) FAIL_CHECK(report);
        CHECK(counts.wrong == 0);
        CHECK(counts.changes > 500);
        CHECK(counts.discarded > 0);
    };
    for (const Protocol protocol : l1_protocols()) {
        CAPTURE(name_of(protocol));
        check({protocol}, 0);
        check({protocol, Protocol::mesi}, 0);
        check({protocol, Protocol::mesi}, 2, 4);
        check({protocol, Protocol::moesi}, 0, 0, true);
        check({protocol, Protocol::moesi}, 2, 4, true);
    }
    check(l1_protocols(), 0);
    check(l1_protocols(), 2);
    check({Protocol::ddc}, 0);
}

TEST_CASE("random tester: the kernel writes into answers, too, that wait until a filter has written memory") {
    for (const bool in_order : {false, true})
        for (const std::uint32_t cluster : {0, 4}) {
            CAPTURE(in_order);
            CAPTURE(cluster);
            RandomTester::Options options = on({Protocol::mesi}, 60'000, cluster + 1);
            options.machine.private_l2_ways = 2;
            options.machine.cluster = cluster;
            options.machine.levels_protocol = Protocol::mesif;
            options.machine.is_filter = options.machine.memory_first = true;
            options.machine.stores_in_order = in_order;
            options.changes = 10;
            RandomTester tester(options);
            tester.run();
            for (const std::string& report : tester.reports()) FAIL_CHECK(report);
        }
}

TEST_CASE("random tester: a run is determined by its seed") {
    RandomTester first(on({Protocol::gpu_wb, Protocol::mesi}, 5'000)),
        again(on({Protocol::gpu_wb, Protocol::mesi}, 5'000)), other(on({Protocol::gpu_wb, Protocol::mesi}, 5'000, 2));
    const std::uint64_t cycles = first.run().cycles;
    CHECK(again.run().cycles == cycles);
    CHECK(other.run().cycles != cycles);
}

TEST_CASE("random tester: a program without its acquires or releases is found wrong, where a protocol needs them") {
    for (const Protocol protocol : l1_protocols()) {
        CAPTURE(name_of(protocol));
        RandomTester::Options no_acquires = on({protocol}, 100'000);
        no_acquires.lines = 12;  // so that old copies stay for long
        RandomTester::Options no_releases = no_acquires;
        no_acquires.acquires = false;
        no_releases.releases = false;
        CHECK((RandomTester(no_acquires).run().wrong > 0) == !traits_of(protocol).writers_invalidate);
        // Elsewhere a store is on its way at once, and a release waits only.
        if (protocol == Protocol::gpu_wb) CHECK(RandomTester(no_releases).run().wrong > 0);
    }
}

TEST_CASE("random tester: an invalidation that is acknowledged and not done is found") {
    CHECK(found({Protocol::mesi}, [](LooseMachine& machine) {
              return [&machine, count = 0](Message& message) mutable {
                  if (message.kind != MessageKind::invalidate || ++count % 3 != 0) return Fate::as_sent;
                  const std::uint32_t tile = message.destination;
                  message.kind = MessageKind::invalidate_ack;
                  message.destination = message.source;
                  machine.forward(tile, message);
                  return Fate::sent_on;
              };
          }) == 3);
}

TEST_CASE("random tester: bytes lost on any way are found") {
    const auto lose = [](Message& message) { message.mask = 0; };
    const auto garble = [](Message& message) {
        for (std::uint8_t& byte : message.bytes) byte ^= 0x5a;
    };
    for (const Protocol owner : {Protocol::mesi, Protocol::denovo}) {
        CAPTURE(name_of(owner));
        CHECK(found({owner}, MessageKind::write_back, lose) == 3);
        CHECK(found({owner}, MessageKind::recall_answer, lose) == 3);
    }
    for (const Protocol writer : {Protocol::gpu_wt, Protocol::gpu_wb}) {
        CAPTURE(name_of(writer));
        CHECK(found({writer}, MessageKind::write_through, lose) == 3);
    }
    for (const Protocol protocol : l1_protocols()) {
        CAPTURE(name_of(protocol));
        CHECK(found({protocol}, MessageKind::data, garble) == 3);
    }
}

TEST_CASE(
    "random tester: an owner that shows its bytes to a sharer and does not hear that it has become one is found") {
    for (const Protocol other : {Protocol::mesi, Protocol::denovo}) {
        CAPTURE(name_of(other));
        const auto downgrade_to_fetch = [](Message& message) {
            if (message.recall == Recall::downgrade) message.recall = Recall::copy;
        };
        CHECK(found({Protocol::mesi, other}, MessageKind::recall, downgrade_to_fetch, 1) > 0);
    }
}

TEST_CASE("random tester: an atomic that is carried out twice is found") {
    for (const Protocol protocol : {Protocol::gpu_wt, Protocol::gpu_wb}) {
        CAPTURE(name_of(protocol));
        CHECK(found({protocol}, MessageKind::atomic, [](Message& message) {
                  if (message.operation == AtomicOperation::add) ++message.operand;
              }) == 3);
    }
}

TEST_CASE("random tester: the order of messages between two nodes is needed") {
    for (const Protocol protocol : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wb}) {
        CAPTURE(name_of(protocol));
        RandomTester tester(on({protocol}, 200'000));
        tester.machine.keeps_order = false;
        CHECK(tester.run().wrong > 0);
    }
}

}  // namespace croftsim
