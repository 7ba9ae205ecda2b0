// Farms of small tasks over processes: croft::mpi::across beside a master and workers written by hand with MPI's
// non-blocking calls. At rank 0 alone, while the others wait, croft's farm of threads and a plain loop run, too. All
// are medians of one interleaved run. `python -m bench across` runs it, in turn with the peers that are programs of
// their own:
//
//     mpiexec -n 2 bench_farm [rounds] [seconds of work a measurement] [steps a nanosecond]

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process_rows.hpp"
#include "task.hpp"

namespace {

struct task {
    std::uint32_t number;
    std::uint32_t steps;
};
struct result {
    std::uint32_t number;
    std::uint32_t value;
};

result work(const task& one) { return {one.number, bench::steps_of(one.number, one.steps)}; }

struct stream {
    std::uint32_t count, steps;
    std::uint32_t next = 0;
    std::optional<task> operator()() { return next < count ? std::optional(task{next++, steps}) : std::nullopt; }
};

// The master gives each worker two tasks, so that one is there when the other is done, and another one for each result.
// Rank 0 only gives and takes, as such masters do.
void by_hand(MPI_Comm comm, int rank, int size, std::uint32_t count, std::uint32_t steps,
             const std::function<void(const result&)>& take) {
    constexpr int ahead = 2, tag_task = 1, tag_end = 2, tag_result = 3;
    if (rank == 0) {
        const int places = ahead * (size - 1);
        std::vector<task> tasks(static_cast<std::size_t>(places));
        std::vector<result> results(tasks.size());
        std::vector<MPI_Request> sends(tasks.size(), MPI_REQUEST_NULL), receives(tasks.size(), MPI_REQUEST_NULL);
        std::uint32_t given = 0, taken = 0;
        const auto give = [&](int place) {
            const auto at = static_cast<std::size_t>(place);
            const int worker = 1 + place / ahead;
            MPI_Wait(&sends[at], MPI_STATUS_IGNORE);
            tasks[at] = {given++, steps};
            MPI_Irecv(&results[at], sizeof(result), MPI_BYTE, worker, tag_result, comm, &receives[at]);
            MPI_Isend(&tasks[at], sizeof(task), MPI_BYTE, worker, tag_task, comm, &sends[at]);
        };
        for (int place = 0; place < places && given < count; ++place) give(place);
        while (taken < count) {
            int place;
            MPI_Waitany(places, receives.data(), &place, MPI_STATUS_IGNORE);
            take(results[static_cast<std::size_t>(place)]);
            ++taken;
            if (given < count) give(place);
        }
        MPI_Waitall(places, sends.data(), MPI_STATUSES_IGNORE);
        for (int worker = 1; worker < size; ++worker) MPI_Send(nullptr, 0, MPI_BYTE, worker, tag_end, comm);
        return;
    }
    task tasks[ahead];
    result results[ahead];
    MPI_Request receives[ahead], sends[ahead] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    for (int i = 0; i < ahead; ++i) MPI_Irecv(&tasks[i], sizeof(task), MPI_BYTE, 0, MPI_ANY_TAG, comm, &receives[i]);
    for (int i = 0;; i = (i + 1) % ahead) {
        MPI_Status status;
        MPI_Wait(&receives[i], &status);
        if (status.MPI_TAG == tag_end) {
            const int other = (i + 1) % ahead;
            MPI_Cancel(&receives[other]);
            MPI_Wait(&receives[other], MPI_STATUS_IGNORE);
            MPI_Waitall(ahead, sends, MPI_STATUSES_IGNORE);
            return;
        }
        const task one = tasks[i];
        MPI_Irecv(&tasks[i], sizeof(task), MPI_BYTE, 0, MPI_ANY_TAG, comm, &receives[i]);
        MPI_Wait(&sends[i], MPI_STATUS_IGNORE);
        results[i] = work(one);
        MPI_Isend(&results[i], sizeof(result), MPI_BYTE, 0, tag_result, comm, &sends[i]);
    }
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        const int rounds = argc > 1 ? std::atoi(argv[1]) : 7;
        const double total = argc > 2 ? std::atof(argv[2]) : 0.1;  // seconds of work a measurement
        double rate = argc > 3 ? std::atof(argv[3]) : bench::steps_a_nanosecond();
        MPI_Bcast(&rate, 1, MPI_DOUBLE, 0, world.comm());
        std::uint64_t sum = 0;
        const auto take = [&](const result& one) { sum += one.value; };
        const auto across = [&](std::optional<bool> root_works, std::uint32_t count, std::uint32_t steps) {
            croft::mpi::run(stream{count, steps},
                            croft::mpi::across(world, croft::farm(work), {.root_works = root_works}), take);
        };
        for (const auto& [name, nanoseconds] :
             {std::pair{"nothing", 1.0}, {"1 us", 1e3}, {"10 us", 1e4}, {"100 us", 1e5}, {"1 ms", 1e6}}) {
            const auto steps = static_cast<std::uint32_t>(nanoseconds * rate);
            const auto count = static_cast<std::uint32_t>(std::clamp(total * 1e9 / nanoseconds, 20.0, total * 2e6));
            const std::vector<bench::row> rows = {
                {"a loop",
                 [&] {
                     bench::alone(world, [&] {
                         for (stream all{count, steps}; const auto one = all();) take(work(*one));
                     });
                 }},
                {"croft::farm, threads of one process",
                 [&] { bench::alone(world, [&] { croft::run(stream{count, steps}, croft::farm(work), take); }); }},
                {"croft::mpi::across", [&] { across({}, count, steps); }},
                {"croft::mpi::across, the root only gives", [&] { across(false, count, steps); }},
                {"a master and workers by hand",
                 [&] {
                     by_hand(MPI_COMM_WORLD, world.rank(), world.size(), count, steps, take);  // croft's is croft's
                 }},
            };
            std::uint64_t expected = 0;
            bench::measure(world, "tasks of " + std::string(name) + ", " + std::to_string(world.size()) + " processes",
                           rows, rounds, count, 1, "ns a task", [&](const bench::row& one) {
                               if (expected == 0) expected = sum;
                               if (std::exchange(sum, 0) != expected)
                                   throw std::runtime_error(one.name + ": other results");
                           });
        }
    });
}
