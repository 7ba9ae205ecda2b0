// A farm over a stream of matrix multiplications, C = A x B (paper 003, V.B, figures 7 and 8). A policy homes its data.
// The emitter writes A and B, a worker multiplies, the collector passes the task on; pointers travel.
//
// Prints: stream_matmul size=64 policy=hhn runtime=fastflow workers=54 slots=2 count=300
//         service_time_ns=... service_time_cycles=...     (in one line; common/service_time.hpp tells what is measured,
//         and of the sequential program it is all of a task: make, multiply)

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>

#include <croft/memory/task_allocator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

#include "common/matrix_product.hpp"
#include "common/options.hpp"
#include "common/pointer_farm.hpp"
#include "common/service_time.hpp"

namespace {

using namespace programs;

struct settings {
    std::size_t size = 64;
    std::string policy = "hhn";
    std::string runtime = "fastflow";
    std::size_t workers = 4;
    std::size_t slots = 2;
    std::uint32_t count = 100;
    bool stable = false;
    bool sequential = false;
    bool check = false;
};

croft::homes::of_data home_of(const std::string& policy) {
    if (policy == "nhn") return croft::homes::of_data::none;
    return policy == "fhn" ? croft::homes::of_data::fixed : croft::homes::of_data::hashed;
}

template <std::size_t Size>
struct job {
    std::uint32_t number = 0;
    croft::task_ptr<matrix_product<Size>> data;

    void hand_over(int worker) { data.hand_over(worker); }
};

template <std::size_t Size>
class stream {
public:
    explicit stream(const settings& asked)
        : asked_(asked),
          tasks_(home_of(asked.policy)),
          time_(asked.count, asked.sequential ? 1 : asked.workers * (2 * asked.slots + 1),
                asked.sequential ? 1 : asked.workers, asked.stable) {}

    void run() {
        if (asked_.sequential)
            run_sequentially();
        else if (asked_.runtime == "fastflow")
            run_queues();
        else
            run_farm();
        if (asked_.check) std::printf("check: %u products are those of a sequential computation\n", collected_);
        std::printf("stream_matmul size=%zu policy=%s runtime=%s workers=%zu slots=%zu count=%u ", Size,
                    asked_.policy.c_str(), asked_.sequential ? "sequential" : asked_.runtime.c_str(),
                    asked_.sequential ? 0 : asked_.workers, asked_.slots, static_cast<unsigned>(collected_));
        std::printf("service_time_ns=%.1f service_time_cycles=%.1f\n", time_.nanoseconds(), time_.cycles());
    }

private:
    using item = job<Size>;

    bool emit(item& it) {
        // Relaxed: a task more or less does not matter.
        if (emitted_ == asked_.count || settled_.load(std::memory_order_relaxed)) return false;
        it.number = emitted_++;
        it.data = tasks_.template make<matrix_product<Size>>();
        it.data->make(it.number);
        return true;
    }
    // The task, and with it its memory, is done with.
    void collect(item& it) {
        if (asked_.check && !it.data->is_right(it.number))
            throw std::runtime_error("product " + std::to_string(it.number) + " is not what it should be");
        it.data.reset();
        ++collected_;
        time_.result();
        if (time_.settled()) settled_.store(true, std::memory_order_relaxed);
    }

    void run_sequentially() {
        const croft::detail::data_worker_scope here;
        here.expect(croft::lines::this_core());
        for (item it; emit(it); collect(it)) it.data->multiply();
    }
    void run_queues() {
        run_pointer_farm<croft::policies, item>(
            asked_.workers, asked_.slots, [this](item& it) { return emit(it); }, [](item& it) { it.data->multiply(); },
            [this](item& it) { collect(it); });
    }
    void run_farm() {
        croft::run(
            [this]() -> std::optional<item> {
                item it;
                return emit(it) ? std::optional(std::move(it)) : std::nullopt;
            },
            croft::farm(
                [](item it) {
                    it.data->multiply();
                    return it;
                },
                {.workers = asked_.workers, .slots = asked_.slots}),
            [this](item it) { collect(it); }, {.place = croft::placements::thread_a_role{.pinned = true}});
    }

    const settings& asked_;
    croft::task_allocator tasks_;
    alignas(croft::port::cache_line) std::uint32_t emitted_ = 0;
    alignas(croft::port::cache_line) std::uint32_t collected_ = 0;
    service_time time_;
    alignas(croft::port::cache_line) std::atomic<bool> settled_{false};
};

int body(int argc, char** argv) {
    settings asked;
    std::string size = std::to_string(asked.size);
    options line("stream_matmul", "Multiplies a stream of pairs of matrices with a farm, its data homed by a policy.");
    line.choice("--size", size, {"32", "64", "128"}, "rows and columns of a matrix of ints");
    line.choice("--policy", asked.policy, {"hhn", "nhn", "fhn"},
                "where the data are homed: hashed, nowhere, or fixed at their worker");
    line.choice("--runtime", asked.runtime, {"fastflow", "croft"}, "queues of pointers as FastFlow's, or croft's farm");
    line.number<std::size_t>("--workers", asked.workers, 0, 4096, "of the farm; 0 is --sequential");
    line.number<std::size_t>("--slots", asked.slots, 1, 1024, "of each channel");
    line.number<std::uint32_t>("--count", asked.count, 1, 100'000'000, "pairs in the stream");
    line.flag("--stable", asked.stable, "end it when the service time is stable to 1%, not before 300 pairs");
    line.flag("--sequential", asked.sequential, "the same computation in one thread");
    line.flag("--check", asked.check, "compare with a sequential computation");
    if (!line.parse(argc, argv)) return 0;
    asked.sequential = asked.sequential || asked.workers == 0;
    if (size == "32")
        stream<32>(asked).run();
    else if (size == "64")
        stream<64>(asked).run();
    else
        stream<128>(asked).run();
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("stream_matmul", [&] { return body(argc, argv); });
}
