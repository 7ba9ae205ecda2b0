#include "contract/unexpected.hpp"

#include <doctest/doctest.h>

#include "l1_protocols.hpp"
#include "loose_machine.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t address = LooseMachine::first_line;

// Two cores load and store one line, and the first message for which `changes` returns true has been changed by it.
template <class Change>
void share_a_line(Protocol protocol, Change changes) {
    LooseMachine machine({.protocols = {protocol, protocol}});
    bool changed = false;
    machine.tamper = [&](Message& message) {
        if (!changed) changed = changes(message);
        return LooseMachine::Fate::as_sent;
    };
    int turns = 0;
    const auto act = [&](std::uint32_t core) {
        if (turns == 100) return;
        if (++turns % 2)
            machine.l1(core).load(LoadType::u8, 1, address, Reserve::no);
        else
            machine.l1(core).store(address, 1, 7, true);
        machine.wake_up(core, machine.stands_at() + 50);
    };
    const auto ended = [&](std::uint32_t core) { machine.wake_up(core, machine.stands_at() + 1); };
    while (machine.step(act, ended)) {
    }
    CHECK_MESSAGE(changed, "there was no such message");
}

}  // namespace

TEST_CASE("a message that nobody waits for ends the run with a sentence, in all builds") {
    for (const Protocol protocol : l1_protocols()) {
        CAPTURE(static_cast<int>(protocol));
        share_a_line(protocol, [](const Message& message) { return message.kind == MessageKind::data; });  // no change
        CHECK_THROWS_AS(share_a_line(protocol,
                                     [](Message& message) {
                                         if (message.kind != MessageKind::data) return false;
                                         message.kind = MessageKind::memory_data;  // to an L1
                                         return true;
                                     }),
                        SimulatorFault);
        CHECK_THROWS_AS(share_a_line(protocol,
                                     [](Message& message) {
                                         if (message.kind != MessageKind::read) return false;
                                         message.kind = MessageKind::invalidate_ack;  // to a bank that asked nobody
                                         return true;
                                     }),
                        SimulatorFault);
        CHECK_THROWS_AS(share_a_line(protocol,
                                     [](Message& message) {
                                         if (message.kind != MessageKind::memory_data) return false;
                                         message.line += 64 * 8;  // of a line that was not asked for
                                         return true;
                                     }),
                        SimulatorFault);
    }
}

TEST_CASE("the sentence says what, where and when") {
    Message message;
    message.time = 12;
    message.kind = MessageKind::write_ack;
    message.source = 3;
    message.destination = 4;
    message.line = 0xab40;
    CHECK_THROWS_WITH_AS(
        expect(false, message),
        "at cycle 12 node 4 got a message write_ack for line 0xab40 from node 3, for which it does not wait",
        SimulatorFault);
    CHECK_NOTHROW(expect(true, message));
}

}  // namespace croftsim
