#include "kernel/kernel.hpp"

#include <doctest/doctest.h>

#include <set>

#include "guest.hpp"

using namespace croftsim;

TEST_CASE("a program finds its arguments, its environment and the auxiliary vector on its stack") {
    RunOptions options;
    options.arguments = {"program", "first", ""};
    options.environment = {"HOME=/", "X=1"};
    Guest guest(2, options);
    std::uint64_t at = guest.machine.harts[0].x[2];
    const auto next = [&] { return guest.get<std::uint64_t>(std::exchange(at, at + 8)); };
    const auto text = [&](std::uint64_t address) { return std::string(guest.string(address, 16).c_str()); };
    CHECK(next() == 3);
    const std::uint64_t name = next();
    CHECK(text(name) == "program");
    CHECK(text(next()) == "first");
    CHECK(text(next()).empty());
    CHECK(next() == 0);
    CHECK(text(next()) == "HOME=/");
    CHECK(text(next()) == "X=1");
    CHECK(next() == 0);
    std::map<std::uint64_t, std::uint64_t> auxiliary;
    for (std::uint64_t key = next(); key != 0; key = next()) auxiliary[key] = next();
    CHECK(auxiliary.at(6) == 4096);
    CHECK(auxiliary.at(9) == 0x10000);
    CHECK(auxiliary.at(4) == 56);
    CHECK(auxiliary.at(16) == 0x112d);
    CHECK(auxiliary.at(23) == 0);
    CHECK(auxiliary.at(11) == auxiliary.at(12));
    CHECK(text(auxiliary.at(31)) == "program");
    CHECK(guest.string(auxiliary.at(25), 16) != std::string(16, '\0'));
}

TEST_CASE("segments are loaded with their permissions, and the rest of their memory is zero") {
    Guest guest;
    CHECK(guest.memory.allows(0x10000, 4, Permission::read | Permission::execute));
    CHECK_FALSE(guest.memory.allows(0x10000, 4, Permission::write));
    CHECK(guest.memory.allows(0x12000, 4096, Permission::read | Permission::write));
    CHECK(guest.get<std::uint64_t>(0x12000) == 0x0807060504030201);
    CHECK(guest.get<std::uint64_t>(0x12008) == 0);
    const std::uint64_t sp = guest.machine.harts[0].x[2];
    CHECK(guest.memory.allows(sp - (7 << 20), 7 << 20, Permission::read | Permission::write));
    CHECK(guest.memory.resident_bytes() < 64 * 1024);
}

TEST_CASE("segments that meet within a page share it") {
    ElfImage image = ElfImage::program();
    image.segments[1].address = 0x10800;
    AddressSpace memory;
    FakeMachine machine(memory, 1);
    Kernel kernel(memory, machine, {});
    kernel.load(image.bytes());
    CHECK(memory.allows(0x10000, 4096, Permission::read | Permission::write | Permission::execute));
    std::uint8_t byte = 0;
    memory.read_dram(0x10000, &byte, 1);
    CHECK(byte == 0x73);
    memory.read_dram(0x10807, &byte, 1);
    CHECK(byte == 8);
}

TEST_CASE("too many arguments and bad programs are refused") {
    RunOptions options;
    options.arguments = {std::string(3 << 20, 'x')};
    CHECK_THROWS_WITH_AS(Guest(1, options), doctest::Contains("longer than 2 MiB"), BadProgram);
    options.arguments.assign(300'000, "x");
    CHECK_THROWS_WITH_AS(Guest(1, options), doctest::Contains("longer than 2 MiB"), BadProgram);
    AddressSpace memory;
    FakeMachine machine(memory, 1);
    Kernel kernel(memory, machine, {});
    CHECK_THROWS_AS(kernel.load({}), BadProgram);
}

TEST_CASE("system calls that are not simulated fail, and are counted by name") {
    Guest guest;
    CHECK(guest.kernel->unsimulated().empty());
    CHECK(guest.call(0, number::io_uring_setup) == -ENOSYS);
    for (int i = 0; i < 3; ++i) CHECK(guest.call(0, number::perf_event_open) == -ENOSYS);
    CHECK(guest.call(0, 250) == -ENOSYS);
    CHECK(guest.call(0, ~std::uint64_t{0}) == -ENOSYS);
    CHECK(guest.call(0, number::rseq) == -ENOSYS);  // every C library asks for it
    using Rows = std::vector<std::pair<std::string, std::uint64_t>>;
    CHECK(guest.kernel->unsimulated() ==
          Rows{{"perf_event_open", 3}, {"io_uring_setup", 1}, {"calls that Linux lacks", 2}});
}

TEST_CASE("if the user wants it, the first system call that is not simulated ends the run") {
    const auto fault = [](std::uint64_t which) {
        RunOptions options;
        options.strict_system_calls = true;
        Guest guest(1, options);
        try {
            guest.call(0, which);
        } catch (const GuestFault& fault) {
            return std::string(fault.what());
        }
        return std::string();
    };
    CHECK(fault(number::io_uring_setup) == "system call io_uring_setup (425) is not simulated");
    CHECK(fault(250) == "system call 250 is not simulated");
    CHECK(fault(~std::uint64_t{0}) == "system call 18446744073709551615 is not simulated");
    CHECK(fault(number::rseq).empty());
}

TEST_CASE("calls that C libraries do without") {
    Guest guest;
    CHECK(guest.call(0, number::rseq) == -ENOSYS);
    CHECK(guest.call(0, number::set_robust_list, guest.scratch, 24) == -ENOSYS);
    CHECK(guest.call(0, number::membarrier, 0, 0) == 0);
    CHECK(guest.call(0, number::membarrier, 16, 0) == -EINVAL);
    CHECK(guest.call(0, number::riscv_flush_icache, 0, 0, 0) == 0);
    CHECK(guest.machine.synchronisations == 1);
}

TEST_CASE("randomness comes from the seed") {
    const auto draw = [](std::uint64_t seed) {
        RunOptions options;
        options.seed = seed;
        Guest guest(1, options);
        CHECK(guest.call(0, number::getrandom, guest.scratch, 100, 0) == 100);
        CHECK(guest.call(0, number::getrandom, 16, 100, 0) == -EFAULT);
        return guest.string(guest.scratch, 100);
    };
    CHECK(draw(1) == draw(1));
    CHECK(draw(1) != draw(2));
    const std::string bytes = draw(3);
    CHECK(std::set<char>(bytes.begin(), bytes.end()).size() > 60);
}

TEST_CASE("what the machine says of itself") {
    Guest guest;
    CHECK(guest.call(0, number::uname, guest.scratch) == 0);
    CHECK(std::string(guest.string(guest.scratch, 65).c_str()) == "Linux");
    CHECK(std::string(guest.string(guest.scratch + 65, 65).c_str()) == "croft");
    CHECK(std::string(guest.string(guest.scratch + 130, 65).c_str()) == "6.1.0");
    CHECK(std::string(guest.string(guest.scratch + 260, 65).c_str()) == "riscv64");
    CHECK(guest.call(0, number::uname, 16) == -EFAULT);
    CHECK(guest.call(0, number::getuid) == 1000);
    CHECK(guest.call(0, number::sysinfo, guest.scratch) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 32) == std::uint64_t{16} << 30);
    CHECK(guest.call(0, number::prlimit64, 0, 3, 0, guest.scratch) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch) == 8 << 20);
    CHECK(guest.call(0, number::getrlimit, 99, guest.scratch) == -EINVAL);
    CHECK(guest.call(0, number::prctl, 15, guest.text(0, "a name longer than fits")) == 0);
    CHECK(guest.call(0, number::prctl, 16, guest.scratch + 64) == 0);
    CHECK(std::string(guest.string(guest.scratch + 64, 16).c_str()) == "a name longer t");
    guest.put(0, std::array<std::int64_t, 6>{3, 0, 4, 0, 1000, 5});
    CHECK(guest.call(0, number::riscv_hwprobe, guest.scratch, 3, 0, 0, 0) == 0);
    CHECK(guest.get<std::uint64_t>(guest.scratch + 8) == 1);
    // FD, C, Zba, Zbb, Zbs, Zicboz (bits 0, 1, 3 to 6); Zkt (16); Zfhmin, Zihintntl (28, 29). Zfa, Zacas, Zicond,
    // Zihintpause (32, 34 to 36); Zimop, Zca, Zcb, Zcd, Zcmop, Zawrs (42 to 45, 47, 48).
    // Zicntr, Zihpm (50, 51); Zicbom, Zaamo, Zalrsc, Zabha (55 to 58).
    CHECK(guest.get<std::uint64_t>(guest.scratch + 24) == 0x78dbc1d3001007b);
    CHECK(guest.get<std::int64_t>(guest.scratch + 32) == -1);
}

// A pointer may be anything: every call gets nothing but bad pointers and must neither crash nor go on for ever.
TEST_CASE("no system call falls for a bad pointer") {
    const std::uint64_t bad[] = {
        0, 1, 0xfff, 0x10000 - 4, 0x7fffffffffff, std::uint64_t{1} << 38, ~std::uint64_t{0}, ~std::uint64_t{0} - 7};
    for (std::uint64_t which = 0; which < 472; ++which) {
        if (which == number::exit || which == number::exit_group) continue;
        for (const std::uint64_t pointer : bad) {
            Guest guest(2);
            guest.machine.time = 1000;
            try {
                guest.call(0, which, pointer, pointer, pointer, pointer, pointer, pointer);
            } catch (const GuestFault&) {
            }
            Guest small(2);
            try {
                small.call(0, which, 1, pointer, 1, pointer, 1, pointer);
            } catch (const GuestFault&) {
            }
        }
    }
}
