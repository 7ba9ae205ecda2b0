// Workers fall asleep and are woken where the kernel refuses membarrier, from the beginning or from some time on. Each
// case is a process of its own: this program again, with a test that is otherwise skipped.

#include <doctest/doctest.h>

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <thread>

#include "task_programs.hpp"

namespace {

using croft::port::detail::fence_pair;
using croft::port::detail::fences;

// For this thread, the threads that it starts, and what it executes.
bool forbid_membarrier() {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{static_cast<unsigned short>(std::size(program)), program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// Thousands of times everybody falls asleep and somebody is woken, and until one of them has met the filter.
bool sleeps_and_wakes() {
    croft::task_scheduler scheduler({.workers = 3, .spin = std::chrono::nanoseconds{0}});
    for (int i = 0; i < 1'000 || fence_pair == fences::asymmetric; ++i)
        if (scheduler.run([] { return task_programs::fib<croft::direct_stealing>(8); }) != task_programs::fib_of(8))
            return false;
    return true;
}

// This program, with that test only: its exit status; -1 if it does not end.
int run_alone(const char* test, bool forbidden) {
    const pid_t child = fork();
    if (child == 0) {
        if (forbidden && !forbid_membarrier()) _exit(3);
        const std::string chosen = std::string("--test-case=") + test;
        execl("/proc/self/exe", "test", chosen.c_str(), "--no-skip", nullptr);
        _exit(4);
    }
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    int status = 0;
    while (waitpid(child, &status, WNOHANG) == 0) {
        if (std::chrono::steady_clock::now() > end) {
            kill(child, SIGKILL);
            waitpid(child, &status, 0);
            return -1;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -2;
}

}  // namespace

TEST_CASE("alone: membarrier was never allowed" * doctest::skip()) {
    CHECK(sleeps_and_wakes());
    CHECK(fence_pair == fences::symmetric);
}

TEST_CASE("alone: membarrier is forbidden when workers sleep already" * doctest::skip()) {
    croft::task_scheduler before(2);  // whose threads are allowed what they were
    CHECK(before.run([] { return task_programs::fib<croft::direct_stealing>(8); }) == task_programs::fib_of(8));
    REQUIRE(forbid_membarrier());
    CHECK(sleeps_and_wakes());
    CHECK(before.run([] { return task_programs::fib<croft::direct_stealing>(8); }) == task_programs::fib_of(8));
}

TEST_CASE("where membarrier is refused workers sleep and wake as elsewhere") {
    if (run_alone("nothing is of this name", true) == 3) {
        MESSAGE("not tested: no filter of system calls can be set here");
        return;
    }
    CHECK(run_alone("alone: membarrier was never allowed", true) == 0);
    CHECK(run_alone("alone: membarrier is forbidden when workers sleep already", false) == 0);
}
