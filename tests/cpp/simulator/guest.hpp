#pragma once
// A program that the test plays: it makes system calls on chosen cores, and has memory to pass pointers to.

#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "elf_image.hpp"
#include "fake_machine.hpp"
#include "kernel/kernel.hpp"
#include "kernel/linux_abi.hpp"

namespace croftsim {

namespace number {
enum : std::uint64_t {
    setxattr = 5,
    getxattr = 8,
    listxattr = 11,
    getcwd = 17,
    eventfd2 = 19,
    epoll_create1 = 20,
    epoll_ctl = 21,
    epoll_pwait = 22,
    dup = 23,
    dup3 = 24,
    fcntl = 25,
    inotify_init1 = 26,
    ioctl = 29,
    mkdirat = 34,
    unlinkat = 35,
    symlinkat = 36,
    statfs = 43,
    fstatfs = 44,
    truncate = 45,
    ftruncate = 46,
    fallocate = 47,
    faccessat = 48,
    chdir = 49,
    fchdir = 50,
    fchmod = 52,
    openat = 56,
    close = 57,
    pipe2 = 59,
    getdents64 = 61,
    lseek = 62,
    read = 63,
    write = 64,
    readv = 65,
    writev = 66,
    pread64 = 67,
    pwrite64 = 68,
    sendfile = 71,
    pselect6 = 72,
    ppoll = 73,
    readlinkat = 78,
    newfstatat = 79,
    fstat = 80,
    timerfd_create = 85,
    timerfd_settime = 86,
    timerfd_gettime = 87,
    capget = 90,
    capset = 91,
    exit = 93,
    exit_group = 94,
    set_tid_address = 96,
    futex = 98,
    set_robust_list = 99,
    nanosleep = 101,
    clock_gettime = 113,
    clock_getres = 114,
    clock_nanosleep = 115,
    sched_setaffinity = 122,
    sched_getaffinity = 123,
    sched_yield = 124,
    sched_rr_get_interval = 127,
    kill = 129,
    tkill = 130,
    tgkill = 131,
    sigaltstack = 132,
    rt_sigaction = 134,
    rt_sigprocmask = 135,
    rt_sigreturn = 139,
    setuid = 146,
    setresuid = 147,
    setpgid = 154,
    getpgid = 155,
    getsid = 156,
    setsid = 157,
    uname = 160,
    getrlimit = 163,
    setrlimit = 164,
    prctl = 167,
    getcpu = 168,
    gettimeofday = 169,
    getpid = 172,
    getuid = 174,
    gettid = 178,
    sysinfo = 179,
    socket = 198,
    socketpair = 199,
    bind = 200,
    listen = 201,
    accept = 202,
    connect = 203,
    getsockname = 204,
    getpeername = 205,
    sendto = 206,
    recvfrom = 207,
    setsockopt = 208,
    getsockopt = 209,
    shutdown = 210,
    sendmsg = 211,
    recvmsg = 212,
    brk = 214,
    munmap = 215,
    mremap = 216,
    clone = 220,
    mmap = 222,
    mprotect = 226,
    msync = 227,
    mincore = 232,
    madvise = 233,
    mbind = 235,
    get_mempolicy = 236,
    set_mempolicy = 237,
    perf_event_open = 241,
    accept4 = 242,
    riscv_hwprobe = 258,
    riscv_flush_icache = 259,
    prlimit64 = 261,
    sched_setattr = 274,
    sched_getattr = 275,
    renameat2 = 276,
    getrandom = 278,
    memfd_create = 279,
    membarrier = 283,
    copy_file_range = 285,
    preadv2 = 286,
    pwritev2 = 287,
    statx = 291,
    rseq = 293,
    io_uring_setup = 425,
    clone3 = 435,
    close_range = 436,
    faccessat2 = 439,
    epoll_pwait2 = 441,
};
}

class Guest {
public:
    static constexpr std::uint64_t cwd = static_cast<std::uint64_t>(std::int64_t{abi::at_cwd});

    explicit Guest(std::uint32_t cores = 4, RunOptions options = {}, double mhz = 1000) : machine(memory, cores, mhz) {
        if (!options.output) options.output = [this](int stream, std::string_view text) { output[stream] += text; };
        kernel = std::make_unique<Kernel>(memory, machine, options);
        kernel->load(ElfImage::program().bytes());
        scratch = static_cast<std::uint64_t>(*call(0, number::mmap, 0, 1 << 20, 3, 0x22, -1, 0));
    }

    // Executes ecall on the core; the result is none if the thread does not go on at once.
    template <class... Arguments>
    std::optional<std::int64_t> call(std::uint32_t core, std::uint64_t which, Arguments... arguments) {
        const std::array<std::uint64_t, 6> values{static_cast<std::uint64_t>(arguments)...};
        REQUIRE(machine.states.at(core) == FakeMachine::Core::runs);
        Hart& hart = machine.hart(core);
        hart.x[17] = which;
        std::copy(values.begin(), values.end(), hart.x.begin() + 10);
        machine.states[core] = FakeMachine::Core::in_kernel;
        kernel->system_call(core);
        if (machine.states[core] != FakeMachine::Core::runs) return std::nullopt;
        return result(core);
    }
    std::int64_t result(std::uint32_t core) { return static_cast<std::int64_t>(machine.hart(core).x[10]); }

    // The value in a0 once a thread that waited has been resumed; none while it waits.
    std::optional<std::int64_t> woken(std::uint32_t core) {
        if (machine.states.at(core) != FakeMachine::Core::runs) return std::nullopt;
        return result(core);
    }

    void pass_time(std::uint64_t until) {
        while (kernel->next_timer() <= until) {
            machine.time = kernel->next_timer();
            kernel->expire_timers();
        }
        machine.time = until;
    }

    // Starts a thread as pthread_create does; the result is its number.
    std::int64_t start_thread(std::uint32_t core, std::uint64_t stack = 0, std::uint64_t clear_child_tid = 0) {
        const auto id = call(core, number::clone, 0x7d0f00, stack ? stack : scratch + 0x80000, scratch + 0xff000, 0,
                             clear_child_tid);
        REQUIRE(id);
        return *id;
    }

    // Bytes of the program's memory. `at` is an offset into a MiB of scratch memory.
    template <class T>
    std::uint64_t put(std::uint64_t at, const T& value) {
        machine.write(scratch + at, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
        return scratch + at;
    }
    std::uint64_t text(std::uint64_t at, std::string_view value) {
        machine.write(scratch + at, {reinterpret_cast<const std::uint8_t*>(value.data()), value.size()});
        put(at + value.size(), '\0');
        return scratch + at;
    }
    template <class T>
    T get(std::uint64_t address) {
        T value;
        machine.read(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
        return value;
    }
    std::string string(std::uint64_t address, std::size_t bytes) {
        std::string value(bytes, '\0');
        machine.read(address, {reinterpret_cast<std::uint8_t*>(value.data()), bytes});
        return value;
    }

    AddressSpace memory;
    FakeMachine machine;
    std::map<int, std::string> output;
    std::unique_ptr<Kernel> kernel;
    std::uint64_t scratch = 0;
};

}  // namespace croftsim
