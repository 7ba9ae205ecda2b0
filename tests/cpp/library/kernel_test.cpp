// The frame of paper 002's kernels: what it runs, and what it says of a result that is wrong.

#include "../../../programs/common/kernel.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <string>
#include <vector>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_invoke.hpp>

namespace {

// Adds up 0 to 99, or something else.
struct adding {
    static constexpr const char *name = "adding", *purpose = "Adds.";
    inline static int prepared, parallel_runs, serial_runs;
    inline static std::vector<programs::verification> checks;

    void declare(programs::options& line) { line.number("--more", more, 0, 10, "added in the end"); }
    void prepare() { ++prepared; }
    template <class Runtime>
    void parallel() {
        ++parallel_runs;
        std::atomic<int> all{more};
        croft::parallel_for<Runtime>(0, 100, [&](int i) { all += i; }, {.grain = 10});
        sum = all;
    }
    void serial() {
        ++serial_runs;
        for (int i = 0; i < 100; ++i) sum += i;
        sum += more;
    }
    void check(programs::verification how) const {
        checks.push_back(how);
        if (sum != 4950) throw std::runtime_error("the sum is wrong");
    }
    std::string numbers() const { return "more=" + std::to_string(more) + " "; }

    int more = 0, sum = 0;
};

int run(std::vector<std::string> arguments) {
    adding::prepared = adding::parallel_runs = adding::serial_runs = 0;
    adding::checks.clear();
    arguments.insert(arguments.begin(), "adding");
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    return programs::run_kernel<adding>(static_cast<int>(pointers.size()), pointers.data());
}

TEST_CASE("a kernel runs by the run-time that is asked for, and is looked at as closely as is asked for") {
    using programs::verification;
    for (const char* runtime : {"default", "shared_deques", "shared_deques_flushed", "chase_lev", "direct"}) {
        CAPTURE(runtime);
        CHECK(run({"--runtime", runtime, "--workers", "2"}) == 0);
        CHECK(adding::prepared == 1);
        CHECK(adding::parallel_runs == 1);
        CHECK(adding::serial_runs == 0);
        CHECK(adding::checks == std::vector{verification::quick});
    }
    CHECK(run({"--runtime", "serial", "--verify", "full"}) == 0);
    CHECK(adding::parallel_runs == 0);
    CHECK(adding::serial_runs == 1);
    CHECK(adding::checks == std::vector{verification::full});
}

TEST_CASE("a wrong result of a kernel is exit status 2, unless nobody looks") {
    CHECK(run({"--more", "1", "--workers", "2"}) == 2);
    CHECK(run({"--more", "1", "--runtime", "serial"}) == 2);
    CHECK(run({"--more", "1", "--verify", "none", "--workers", "2"}) == 0);
    CHECK(adding::checks.empty());
}

TEST_CASE("a kernel's command line") {
    CHECK(run({"--help"}) == 0);
    CHECK(adding::prepared == 0);
    CHECK(run({"--runtime", "cilk"}) == 2);
    CHECK(run({"--runtime", "direct_stealing"}) == 2);
    CHECK(run({"--verify", "maybe"}) == 2);
    CHECK(run({"--less", "1"}) == 2);
}

TEST_CASE("a scheduler tells what was spawned and stolen") {
    croft::detail::task_counts counts{99, 99};
    {
        croft::detail::basic_task_scheduler<croft::paper::shared_deques> scheduler({.workers = 1, .counts = &counts});
        scheduler.run([] { croft::parallel_for<croft::paper::shared_deques>(0, 64, [](int) {}, {.grain = 1}); });
    }
    CHECK(counts.spawned == 63);
    CHECK(counts.stolen == 0);
    {
        croft::detail::basic_task_scheduler<croft::paper::shared_deques> scheduler({.workers = 2, .counts = &counts});
        std::atomic<bool> other_began{false};
        scheduler.run([&] {
            // The first waits for the second, which lies in its worker's deque: so that is stolen.
            croft::parallel_invoke<croft::paper::shared_deques>(
                [&] {
                    while (!other_began) croft::port::pause();
                },
                [&] { other_began = true; });
        });
    }
    CHECK(counts.spawned == 1);
    CHECK(counts.stolen == 1);
}

}  // namespace
