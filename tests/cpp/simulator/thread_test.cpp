#include <doctest/doctest.h>

#include "guest.hpp"

using namespace croftsim;
using State = FakeMachine::Core;

namespace {

constexpr std::uint64_t pthread_flags = 0x7d0f00;  // musl's

std::string fault_of(Guest& guest, std::uint32_t core, std::uint64_t which, std::uint64_t argument,
                     int* code = nullptr) {
    try {
        guest.call(core, which, argument, 0, guest.scratch);
    } catch (const GuestFault& fault) {
        CHECK(fault.core == core);
        if (code) *code = fault.exit_code;
        return fault.what();
    }
    return "";
}

std::int64_t pin(Guest& guest, std::uint32_t core, std::int64_t thread, std::uint64_t mask) {
    return guest.call(core, number::sched_setaffinity, thread, 8, guest.put(512, mask)).value_or(12345);
}

std::uint16_t home(Guest& guest, std::uint64_t address) { return guest.memory.find(address)->home; }

}  // namespace

TEST_CASE("the first thread starts on core 0 with a stack that lives there") {
    Guest guest;
    CHECK(guest.machine.states[0] == State::runs);
    CHECK(guest.machine.states[1] == State::idle);
    CHECK(guest.machine.harts[0].pc == 0x10000);
    const std::uint64_t sp = guest.machine.harts[0].x[2];
    CHECK(sp % 16 == 0);
    CHECK(home(guest, sp) == 0);
    CHECK(home(guest, 0x12000) == Page::default_home);
    CHECK(guest.call(0, number::gettid) == 1);
    CHECK(guest.call(0, number::getpid) == 1);
}

TEST_CASE("clone starts a thread on the lowest free core") {
    Guest guest;
    const auto stack = static_cast<std::uint64_t>(*guest.call(0, number::mmap, 0, 65536, 3, 0x22, -1, 0));
    guest.machine.harts[0].x[18] = 77;
    guest.machine.harts[0].f[3] = 78;
    const auto child = guest.call(0, number::clone, pthread_flags, stack + 60000, guest.scratch + 8, 0x5550, 0);
    CHECK(child == 2);
    CHECK(guest.machine.states[1] == State::runs);
    const Hart& hart = guest.machine.harts[1];
    CHECK(hart.x[10] == 0);
    CHECK(hart.x[2] == stack + 60000);
    CHECK(hart.x[4] == 0x5550);
    CHECK(hart.x[18] == 77);
    CHECK(hart.f[3] == 78);
    CHECK(guest.get<std::uint32_t>(guest.scratch + 8) == 2);
    CHECK(home(guest, stack) == 1);
    CHECK(home(guest, stack + 61440) == 1);
    CHECK(home(guest, guest.scratch) == Page::default_home);  // a neighbour, but another mapping
    CHECK(guest.call(1, number::gettid) == 2);
    CHECK(guest.call(1, number::getpid) == 1);
    CHECK(guest.call(1, number::getcpu, guest.scratch + 16, 0) == 0);
    CHECK(guest.get<std::uint32_t>(guest.scratch + 16) == 1);
}

TEST_CASE("a stack pointer at the very end of its mapping belongs to that mapping") {
    Guest guest;
    const auto stack = static_cast<std::uint64_t>(*guest.call(0, number::mmap, 0, 65536, 3, 0x22, -1, 0));
    guest.start_thread(0, stack + 65536);
    CHECK(home(guest, stack + 61440) == 1);
    CHECK(home(guest, guest.scratch) == Page::default_home);
}

TEST_CASE("a stack that shares its mapping keeps the home of that") {
    Guest guest(8);
    const auto map = [&] { return static_cast<std::uint64_t>(*guest.call(0, number::mmap, 0, 65536, 3, 0x22, -1, 0)); };
    const std::uint64_t pool = map();  // with data in it
    const std::uint32_t data = 7;
    guest.machine.write(pool + 100, {reinterpret_cast<const std::uint8_t*>(&data), sizeof data});
    guest.start_thread(0, pool + 65536);
    CHECK(home(guest, pool) == Page::default_home);
    CHECK(home(guest, pool + 61440) == Page::default_home);
    CHECK(guest.get<std::uint32_t>(pool + 100) == 7);

    const std::uint64_t stacks = map();  // the lowest of several: most of the mapping is not for it
    guest.start_thread(0, stacks + 16384);
    CHECK(home(guest, stacks) == Page::default_home);

    const std::uint64_t own = map();
    guest.start_thread(0, own + 65000);
    CHECK(home(guest, own) == 3);
    guest.machine.write(own + 64000, {reinterpret_cast<const std::uint8_t*>(&data), sizeof data});
    guest.call(3, number::exit, 0);
    guest.start_thread(0, stacks + 24576);  // on core 3
    guest.start_thread(0, own + 65000);     // the same stack again
    CHECK(home(guest, own) == 4);
    guest.start_thread(0, own + 32000);  // within it
    CHECK(home(guest, own) == 4);
    CHECK(home(guest, stacks) == Page::default_home);
}

TEST_CASE("a thread more than there are cores ends the run with advice") {
    Guest guest(2);
    guest.start_thread(0);
    CHECK(guest.start_thread(1) == 3);  // it may be that a core becomes free soon
    guest.pass_time(guest.machine.time + 999'999);
    try {
        guest.pass_time(guest.machine.time + 2);
        FAIL("it goes on");
    } catch (const GuestFault& fault) {
        CHECK(std::string(fault.what()) ==
              "more threads run at a time than the program has cores (2): use a larger machine, more --cores, or --set "
              "kernel.scheduler=share");
    }
}

TEST_CASE("a new thread that finds no core gets the one of a thread that is about to end") {
    Guest guest(3);
    guest.start_thread(0);
    guest.start_thread(0);
    const std::uint64_t stack = guest.scratch + 0x8000, word = guest.put(0, std::uint32_t{0});
    CHECK(guest.call(0, number::clone, pthread_flags, stack, word, 0x5550) == 4);
    CHECK(guest.get<std::uint32_t>(word) == 4);
    CHECK(guest.call(1, number::clone, pthread_flags, stack, word, 0x6660, word) == 5);
    guest.pass_time(guest.machine.time + 500'000);
    guest.call(2, number::exit, 0);
    CHECK(guest.machine.states[2] == State::runs);
    CHECK(guest.machine.harts[2].x[10] == 0);
    CHECK(guest.machine.harts[2].x[2] == stack);
    CHECK(guest.machine.harts[2].x[4] == 0x5550);  // of the one that is waiting longest
    CHECK(guest.call(2, number::gettid) == 4);
    guest.call(2, number::exit, 0);
    CHECK(guest.machine.harts[2].x[4] == 0x6660);
    CHECK(guest.call(2, number::gettid) == 5);
    guest.pass_time(guest.machine.time + 10'000'000);  // nobody waits any more
    guest.call(2, number::exit, 0);
    CHECK(guest.get<std::uint32_t>(word) == 0);
    CHECK(guest.machine.states[2] == State::idle);
}

TEST_CASE("a thread that waits for a core keeps the process alive") {
    Guest guest(1);
    CHECK(guest.start_thread(0) == 2);
    guest.call(0, number::exit, 0);
    CHECK_FALSE(guest.kernel->exit_code());
    CHECK(guest.call(0, number::gettid) == 2);
    guest.call(0, number::exit, 0);
    CHECK(guest.kernel->exit_code() == 0);
}

TEST_CASE("what is not pthread_create's clone has a clear outcome") {
    Guest guest;
    CHECK(fault_of(guest, 0, number::clone, 17) ==
          "the program starts another process (fork), and only one process is simulated");
    guest.machine.states[0] = State::runs;
    CHECK(fault_of(guest, 0, number::clone, 0x4111).find("(vfork)") != std::string::npos);
    guest.machine.states[0] = State::runs;
    CHECK(fault_of(guest, 0, number::clone, 0x7d0e00 | 0x10000) ==
          "clone with the flags 0x7d0e00 is not simulated: only threads as pthread_create makes them are");
    guest.machine.states[0] = State::runs;
    CHECK(guest.call(0, number::clone3, guest.scratch, 88) == -ENOSYS);
    CHECK(guest.call(0, number::clone, pthread_flags, guest.scratch + 4096, 16, 0, 0) == -EFAULT);
    CHECK(guest.machine.states[1] == State::idle);
}

TEST_CASE("a thread's end clears its word, wakes who waits for it, and frees its core") {
    Guest guest;
    const std::uint64_t word = guest.put(0, std::uint32_t{2});
    guest.start_thread(0, 0, word);
    CHECK(guest.call(0, number::futex, word, 0, 2, 0) == std::nullopt);
    guest.call(1, number::exit, 0);
    CHECK(guest.machine.states[1] == State::idle);
    CHECK(guest.woken(0) == 0);
    CHECK(guest.get<std::uint32_t>(word) == 0);
    CHECK_FALSE(guest.kernel->exit_code());
    CHECK(guest.start_thread(0) == 3);  // a number is not used again
    CHECK(guest.machine.states[1] == State::runs);
}

TEST_CASE("set_tid_address replaces the word; one that cannot be written is left alone") {
    Guest guest;
    const std::uint64_t word = guest.put(0, std::uint32_t{2});
    guest.start_thread(0, 0, 16);
    guest.call(1, number::exit, 0);
    guest.start_thread(0, 0, 16);
    CHECK(guest.call(1, number::set_tid_address, word) == 3);
    guest.call(1, number::exit, 0);
    CHECK(guest.get<std::uint32_t>(word) == 0);
}

TEST_CASE("the program ends with exit_group, or with its last thread and the first one's status") {
    Guest group;
    group.start_thread(0);
    group.call(1, number::exit_group, 0x103);
    CHECK(group.kernel->exit_code() == 3);
    CHECK(group.kernel->threads().empty());

    Guest single;
    single.start_thread(0);
    single.call(0, number::exit, 7);
    CHECK_FALSE(single.kernel->exit_code());
    single.call(1, number::exit, 9);
    CHECK(single.kernel->exit_code() == 7);
    CHECK(single.kernel->threads().empty());
}

TEST_CASE("affinity: the mask is the machine's, and may be narrowed in place") {
    Guest guest(3);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 128, guest.scratch) == 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 0b111);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 0, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 12, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::sched_getaffinity, 99, 8, guest.scratch) == -ESRCH);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 8, 16) == -EFAULT);
    CHECK(pin(guest, 0, 0, 0b1001) == 0);
    CHECK(guest.call(0, number::sched_getaffinity, 1, 128, guest.scratch) == 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 0b001);
    CHECK(pin(guest, 0, 0, 0b1000) == -EINVAL);
    CHECK(guest.start_thread(0) == 2);
    CHECK(guest.call(1, number::sched_getaffinity, 0, 128, guest.scratch) == 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 0b001);  // inherited, though core 0 is taken
}

TEST_CASE("a new thread begins on a core of its creator's affinity, or on another if none of these is free") {
    Guest guest(5);
    CHECK(pin(guest, 0, 0, 0b11001) == 0);
    CHECK(guest.start_thread(0) == 2);
    CHECK(guest.machine.states[3] == State::runs);
    CHECK(guest.machine.states[1] == State::idle);
    CHECK(guest.call(3, number::sched_getaffinity, 0, 8, guest.scratch) == 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 0b11001);
    CHECK(guest.start_thread(3) == 3);
    CHECK(guest.machine.states[4] == State::runs);
    CHECK(guest.start_thread(4) == 4);
    CHECK(guest.machine.states[1] == State::runs);
    CHECK(guest.call(1, number::sched_getaffinity, 0, 8, guest.scratch) == 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 0b11001);
}

TEST_CASE("a thread that moves away leaves its core to one that waits for it") {
    Guest guest(3);
    guest.start_thread(0);
    CHECK(pin(guest, 0, 2, 0b100) == 0);  // core 2 is kept for it
    guest.machine.harts[0].x[18] = 77;
    CHECK(guest.start_thread(0) == 3);
    CHECK(guest.machine.states[2] == State::idle);
    SUBCASE("when it moves") {
        guest.call(1, number::gettid);
        CHECK(guest.machine.states[2] == State::runs);
        REQUIRE(guest.machine.states[1] == State::runs);
        CHECK(guest.machine.harts[1].x[18] == 77);
        CHECK(guest.call(1, number::gettid) == 3);
    }
    SUBCASE("or, when it is to stay, the one that was kept for it") {
        CHECK(pin(guest, 0, 2, 0b010) == 0);
        REQUIRE(guest.machine.states[2] == State::runs);
        CHECK(guest.call(2, number::gettid) == 3);
    }
}

TEST_CASE("a thread takes its interrupts' registers along when it moves, and a new one has none") {
    Guest guest(3);
    guest.machine.harts[0].interrupts.handler = 0x1234;
    guest.machine.harts[0].interrupts.enabled = true;
    guest.start_thread(0);
    CHECK(guest.machine.harts[1].interrupts.handler == 0);
    CHECK_FALSE(guest.machine.harts[1].interrupts.enabled);
    pin(guest, 0, 0, 0b100);
    CHECK(guest.machine.harts[2].interrupts.handler == 0x1234);
    CHECK(guest.machine.harts[2].interrupts.enabled);
}

TEST_CASE("a machine of more than 64 cores has longer masks") {
    Guest guest(70);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 8, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::sched_getaffinity, 0, 128, guest.scratch) == 16);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 0b111111);
    guest.put(0, std::array<std::uint64_t, 2>{0, 0b100000});
    guest.call(0, number::sched_setaffinity, 0, 16, guest.scratch);
    CHECK(guest.machine.states[69] == State::runs);
    CHECK(guest.machine.states[0] == State::idle);
}

TEST_CASE("a thread moves to the lowest free core of its mask, with its hart and its stack's home") {
    Guest guest(4);
    const auto stack = static_cast<std::uint64_t>(*guest.call(0, number::mmap, 0, 65536, 3, 0x22, -1, 0));
    guest.start_thread(0, stack + 65536);
    guest.machine.harts[1].x[20] = 55;
    guest.machine.harts[1].pc = 0x1234;
    pin(guest, 1, 0, 0b1101);
    CHECK(guest.machine.states[1] == State::idle);
    CHECK(guest.machine.states[2] == State::runs);
    CHECK(guest.machine.harts[2].x[10] == 0);
    CHECK(guest.machine.harts[2].x[20] == 55);
    CHECK(guest.machine.harts[2].pc == 0x1234);
    CHECK(home(guest, stack) == 2);
    CHECK(guest.call(2, number::gettid) == 2);
    CHECK(pin(guest, 2, 0, 0b0001) == -EINVAL);  // taken
    CHECK(guest.call(2, number::gettid) == 2);
}

TEST_CASE("a thread that waits is moved at once, and starts where it is when it wakes") {
    Guest guest(4);
    const std::uint64_t word = guest.put(0, std::uint32_t{5});
    guest.start_thread(0);
    guest.call(1, number::futex, word, 0, 5, 0);
    guest.machine.harts[1].pc = 0x4444;
    CHECK(pin(guest, 0, 2, 0b1000) == 0);
    CHECK(guest.machine.states[1] == State::idle);
    CHECK(guest.machine.states[3] == State::idle);
    CHECK(guest.kernel->threads()[1].core == 3);
    CHECK(guest.machine.harts[3].pc == 0x4444);
    CHECK(guest.start_thread(0) == 3);
    CHECK(guest.machine.states[1] == State::runs);
    CHECK(guest.call(0, number::futex, word, 1, 1) == 1);
    CHECK(guest.machine.states[3] == State::runs);
    CHECK(guest.result(3) == 0);
}

TEST_CASE("a thread that runs is moved with its next system call, and its new core is kept for it") {
    Guest guest(4);
    const std::uint64_t word = guest.put(0, std::uint32_t{5});
    guest.start_thread(0);
    CHECK(pin(guest, 0, 2, 0b0100) == 0);
    CHECK(guest.machine.states[1] == State::runs);
    guest.start_thread(0);
    CHECK(guest.machine.states[3] == State::runs);  // not core 2
    SUBCASE("one that returns") {
        guest.call(1, number::gettid);
        CHECK(guest.machine.states[1] == State::idle);
        CHECK(guest.machine.states[2] == State::runs);
        CHECK(guest.result(2) == 2);
    }
    SUBCASE("one that waits") {
        guest.call(1, number::futex, word, 0, 5, 0);
        CHECK(guest.machine.states[1] == State::idle);
        CHECK(guest.machine.states[2] == State::idle);
        guest.call(0, number::futex, word, 1, 1);
        CHECK(guest.machine.states[2] == State::runs);
    }
    SUBCASE("its end") {
        guest.call(1, number::exit, 0);
        CHECK(guest.machine.states[1] == State::idle);
        CHECK(pin(guest, 0, 0, 0b0100) == 12345);  // core 2 is free for another, which leaves core 0
        CHECK(guest.machine.states[2] == State::runs);
    }
    SUBCASE("a second thought") {
        CHECK(pin(guest, 0, 2, 0b0010) == 0);
        guest.call(1, number::gettid);
        CHECK(guest.machine.states[1] == State::runs);
        CHECK(guest.start_thread(0) == 4);
        CHECK(guest.machine.states[2] == State::runs);
    }
}

TEST_CASE("sleeping takes the time asked for, rounded up") {
    RunOptions options;
    Guest guest(2, options, 866);
    const std::uint64_t time = guest.put(0, abi::Time{0, 10});
    CHECK(guest.call(0, number::nanosleep, time, 0) == std::nullopt);
    CHECK(guest.kernel->next_timer() == 9);  // 8.66 cycles
    CHECK(guest.kernel->threads()[0].state == "sleeps until cycle 9");
    guest.pass_time(9);
    CHECK(guest.woken(0) == 0);
    CHECK(guest.call(0, number::nanosleep, guest.put(0, abi::Time{0, 0}), 0) == 0);
    CHECK(guest.call(0, number::nanosleep, guest.put(0, abi::Time{0, -1}), 0) == -EINVAL);
    CHECK(guest.call(0, number::nanosleep, 3, 0) == -EFAULT);
    guest.put(0, abi::Time{946'684'801, 0});
    CHECK(guest.call(0, number::clock_nanosleep, 0, 1, guest.scratch, 0) == std::nullopt);
    CHECK(guest.kernel->next_timer() == 866'000'000);
    guest.pass_time(866'000'000);
    CHECK(guest.call(0, number::clock_nanosleep, 0, 1, guest.scratch, 0) == 0);
    CHECK(guest.call(0, number::clock_nanosleep, 77, 0, guest.scratch, 0) == -EINVAL);
    CHECK(guest.call(0, number::ppoll, 0, 0, guest.put(0, abi::Time{1, 0}), 0) == std::nullopt);
    guest.pass_time(2 * 866'000'000);
    CHECK(guest.woken(0) == 0);
}

TEST_CASE("signals") {
    Guest guest;
    int code = 0;
    CHECK(guest.call(0, number::tkill, 1, 0) == 0);
    CHECK(guest.call(0, number::tkill, 9, 6) == -ESRCH);
    CHECK(guest.call(0, number::tgkill, 1, 1, 17) == 0);  // SIGCHLD
    CHECK(guest.call(0, number::kill, 1, 65) == -EINVAL);
    CHECK(guest.call(0, number::kill, 2, 6) == -ESRCH);
    guest.put(0, std::array<std::uint64_t, 3>{1, 2, 3});
    CHECK(guest.call(0, number::rt_sigaction, 15, guest.scratch, 0, 8) == 0);
    CHECK(guest.call(0, number::kill, 1, 15) == 0);  // ignored
    CHECK(guest.call(0, number::rt_sigaction, 15, 0, guest.scratch + 64, 8) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 80) == 3);
    CHECK(guest.call(0, number::rt_sigaction, 9, guest.scratch, 0, 8) == -EINVAL);
    CHECK(guest.call(0, number::rt_sigaction, 15, 40, 0, 8) == -EFAULT);
    guest.put(0, std::uint64_t{0b1100});
    CHECK(guest.call(0, number::rt_sigprocmask, 2, guest.scratch, 0, 8) == 0);
    CHECK(guest.call(0, number::rt_sigprocmask, 1, guest.put(0, std::uint64_t{0b100}), guest.scratch + 8, 8) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 0b1100);
    CHECK(guest.call(0, number::rt_sigprocmask, 0, 0, guest.scratch + 8, 8) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 0b1000);

    const auto send = [&](std::uint64_t signal) {
        guest.machine.states[0] = State::runs;
        try {
            guest.call(0, number::tkill, 1, signal);
        } catch (const GuestFault& fault) {
            code = fault.exit_code;
            return std::string(fault.what());
        }
        return std::string();
    };
    CHECK(send(6) == "the program was ended by SIGABRT (abort())");
    CHECK(code == 134);
    CHECK(send(11) == "the program was ended by SIGSEGV");
    CHECK(code == 139);
    CHECK(send(40) == "the program was ended by signal 40");
    CHECK(send(19) == "the program is stopped by SIGSTOP, and nobody could let it go on");
}

TEST_CASE("a handler finds the interrupted registers on its stack, and its return takes them back") {
    Guest guest;
    guest.put(0, std::array<std::uint64_t, 3>{0x10000, 0, 0b10});
    CHECK(guest.call(0, number::rt_sigaction, 10, guest.scratch, 0, 8) == 0);
    Hart& hart = guest.machine.harts[0];
    hart.pc = 0x10004, hart.f[3] = 77, hart.frm = 2, hart.fflags = 5, hart.x[9] = 99;
    const std::uint64_t sp = hart.x[2];
    guest.call(0, number::tgkill, 1, 1, 10);
    CHECK((hart.pc == 0x10000 && hart.x[10] == 10));
    const std::uint64_t frame = hart.x[2], context = hart.x[12];
    CHECK((frame % 16 == 0 && frame <= sp - 1088 && frame > sp - 1088 - 16 && hart.x[11] == frame));
    CHECK(guest.get<std::uint32_t>(frame) == 10);
    CHECK(guest.get<std::int32_t>(frame + 8) == -6);             // SI_TKILL
    CHECK(guest.get<std::uint64_t>(context + 176) == 0x10004);   // pc
    CHECK(guest.get<std::uint64_t>(context + 176 + 16) == sp);   // x2
    CHECK(guest.get<std::uint64_t>(context + 176 + 72) == 99);   // x9
    CHECK(guest.get<std::uint64_t>(context + 432 + 24) == 77);   // f3
    CHECK(guest.get<std::uint32_t>(context + 432 + 256) == 69);  // fcsr
    CHECK(guest.memory.allows(hart.x[1], 8, Permission::execute));
    guest.call(0, number::rt_sigprocmask, 0, 0, guest.scratch + 8, 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == (1 << 9 | 0b10));

    hart.x[9] = hart.f[3] = hart.frm = hart.fflags = 0;
    hart.x[2] = frame;
    guest.call(0, number::rt_sigreturn);
    CHECK((hart.pc == 0x10004 && hart.x[2] == sp && hart.x[9] == 99 && hart.x[10] == 0));
    CHECK((hart.f[3] == 77 && hart.frm == 2 && hart.fflags == 5));
    guest.call(0, number::rt_sigprocmask, 0, 0, guest.scratch + 8, 8);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 0);
    hart.x[2] = 64;
    CHECK_THROWS_WITH_AS(guest.call(0, number::rt_sigreturn),
                         "the program was ended by SIGSEGV: rt_sigreturn finds no frame", GuestFault);
}
