#pragma once
// The frame of the kernels of paper 002, table III: options, the run-time, the measured region, verification and the
// line of numbers. A kernel is a class with
//
//     static constexpr const char* name, * purpose;
//     void declare(programs::options&);               its own options
//     void prepare();                                 makes the input; not measured
//     template <class Runtime> void parallel();       measured, inside of a scheduler's run()
//     void serial();                                  measured instead with --runtime serial: no tasks at all
//     void check(programs::verification) const;       throws std::runtime_error saying what is wrong
//     std::string numbers() const;                    "size=100 grain=4 ": of its input, each followed by a space
//
// and its program is int main(int argc, char** argv) { return programs::run_kernel<kernel>(argc, argv); }
//
// Prints: NAME runtime=direct_stealing [numbers()] workers=64 cycles=... ns=... tasks=... steals=... ok  (in one line)
// tasks: how many were spawned, and the first, by those run-times that count them. steals: how many of them by thieves.
// instructions: those of the sequential program, on a many-core.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

#include <croft/paper/task/direct_stealing.hpp>
#include <croft/paper/task/shared_deques.hpp>
#include <croft/paper/task/shared_deques_flushed.hpp>
#include <croft/port/port.hpp>
#include <croft/task/default_runtime.hpp>
#include <croft/task/direct_stealing.hpp>
#include <croft/task/interrupt_stealing.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/task/shared_deques.hpp>

#include "moment.hpp"
#include "options.hpp"

namespace programs {

// quick: a property that wrong results hardly have, by a pass much cheaper than the kernel. full: equality with what
// another program makes of the same input.
enum class verification { none, quick, full };

struct measured {
    moment begin, end;
    croft::detail::task_counts counts;
    bool has_tasks = false;
    std::uint64_t instructions = 0;  // of the sequential program, on a machine that counts them
};

namespace detail {

template <class Region>
void measure(measured& result, Region region) {
    result.begin = moment::now();
    // The statistics of a run are those of what lies between.
    croft::port::region_begin();
    region();
    croft::port::region_end();
    result.end = moment::now();
}

template <class Runtime, class Kernel>
measured run_tasks(Kernel& kernel, std::size_t workers) {
    measured result;
    {
        croft::detail::basic_task_scheduler<Runtime> scheduler({.workers = workers, .counts = &result.counts});
        // On a many-core the threads that were just started are to be on their way before the clock is.
        if constexpr (croft::port::waits_on_lines) std::this_thread::sleep_for(std::chrono::microseconds(20));
        measure(result, [&] { scheduler.run([&] { kernel.template parallel<Runtime>(); }); });
    }
    result.has_tasks = requires { Runtime::counts_tasks; };
    return result;
}

template <class Kernel>
measured run_serial(Kernel& kernel) {
    measured result;
#if defined(CROFT_MANY_CORE)
    measure(result, [&] {
        const std::uint64_t before = croft::port::instructions();
        kernel.serial();
        result.instructions = croft::port::instructions() - before;
    });
#else
    measure(result, [&] { kernel.serial(); });
#endif
    return result;
}

template <class Kernel>
measured run_by(const std::string& runtime, Kernel& kernel, std::size_t workers) {
    if (runtime == "serial") return run_serial(kernel);
    if (runtime == "shared_deques") return run_tasks<croft::paper::shared_deques>(kernel, workers);
    if (runtime == "shared_deques_flushed") return run_tasks<croft::paper::shared_deques_flushed>(kernel, workers);
    // Each of the others is compiled only where it is meant to run: six of a kernel's loops take long enough.
#if defined(CROFT_MANY_CORE)
    if (runtime == "direct_stealing") return run_tasks<croft::paper::direct_stealing>(kernel, workers);
    if (runtime == "interrupt_stealing") return run_tasks<croft::interrupt_stealing>(kernel, workers);
    if (runtime != "default") throw usage_error("--runtime " + runtime + " is for programs that run natively");
#else
    if (runtime == "chase_lev") return run_tasks<croft::shared_deques>(kernel, workers);
    if (runtime == "direct") return run_tasks<croft::direct_stealing>(kernel, workers);
    if (runtime != "default")
        throw usage_error("--runtime " + runtime + " takes a many-core whose cores interrupt each other");
#endif
    return run_tasks<croft::detail::default_task_runtime>(kernel, workers);
}

template <class Kernel>
int kernel_body(int argc, char** argv) {
    std::string runtime = "default", verify = "quick";
    std::size_t workers = 0;
    Kernel kernel;
    options line(Kernel::name, Kernel::purpose);
    line.choice("--runtime", runtime,
                {"default", "shared_deques", "shared_deques_flushed", "direct_stealing", "chase_lev", "direct",
                 "interrupt_stealing", "serial"},
                "figures 3a, 3b, 3c; croft's own three; or no tasks");
    line.number<std::size_t>("--workers", workers, 0, 4096, "threads; 0: one for each core");
    line.choice("--verify", verify, {"none", "quick", "full"}, "how much of the result is looked at");
    kernel.declare(line);
    if (!line.parse(argc, argv)) return 0;
    if (runtime == "serial") workers = 1;
    if (workers == 0) workers = croft::port::core_count();

    kernel.prepare();
    const measured result = run_by(runtime, kernel, workers);
    if (verify != "none") kernel.check(verify == "full" ? verification::full : verification::quick);
    std::printf("%s runtime=%s %sworkers=%zu cycles=%.0f ns=%.0f ", Kernel::name, runtime.c_str(),
                kernel.numbers().c_str(), workers, cycles(result.begin, result.end),
                nanoseconds(result.begin, result.end));
    if (result.has_tasks) std::printf("tasks=%llu ", static_cast<unsigned long long>(result.counts.spawned + 1));
    if (result.instructions) std::printf("instructions=%llu ", static_cast<unsigned long long>(result.instructions));
    if (runtime != "serial") std::printf("steals=%llu ", static_cast<unsigned long long>(result.counts.stolen));
    std::printf("%s\n", verify == "none" ? "unverified" : "ok");
    return 0;
}

}  // namespace detail

template <class Kernel>
int run_kernel(int argc, char** argv) {
    return run_program(Kernel::name, [&] { return detail::kernel_body<Kernel>(argc, argv); });
}

}  // namespace programs
