// wrong NAME: does something wrong, by name, and says what came of it.

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/pipeline.hpp>

#include <chrono>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

auto numbers(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}
long square(int n) { return long{n} * n; }

// With MPI initialised by hand, with so few threads.
int with_level(int asked, int argc, char** argv, void (*main)()) {
    int level;
    MPI_Init_thread(&argc, &argv, asked, &level);
    int status = 0;
    if (level != asked) {
        // This MPI gives more than it is asked for; so there is nothing to be found out.
        std::printf("rank 0 has initialised MPI with %s\n",
                    asked == MPI_THREAD_SINGLE ? "MPI_THREAD_SINGLE, and croft runs threads"
                                               : "MPI_THREAD_FUNNELED, and this pattern calls it from another thread");
    } else {
        try {
            main();
        } catch (const std::exception& thrown) {
            std::printf("%s\n", thrown.what());
            std::fflush(stdout);
            std::this_thread::sleep_for(
                std::chrono::milliseconds(200));  // launchers lose what they have not read by then
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    MPI_Finalize();
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    using croft::mpi::across, croft::mpi::world;
    if (what == "not_initialised") {
        try {
            world();
        } catch (const std::exception& thrown) {
            std::printf("%s\n", thrown.what());
        }
        return 0;
    }
    if (what == "twice") {
        MPI_Init(&argc, &argv);
        try {
            const croft::mpi::environment again(argc, argv);
        } catch (const std::exception& thrown) {
            std::printf("%s\n", thrown.what());
        }
        return MPI_Finalize();
    }
    if (what == "single") return with_level(MPI_THREAD_SINGLE, argc, argv, [] { world(); });
    if (what == "funneled")
        return with_level(MPI_THREAD_FUNNELED, argc, argv, [] {
            // Two threads a process: the stage is on one, what is across processes on the other.
            croft::mpi::run(numbers(10), croft::pipeline(square, across(world(), [](long n) { return n; })),
                            [](long) {}, {.threads = 4});
        });
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& all) {
        const auto run = [&](auto pattern) { croft::mpi::run(numbers(10), pattern, [](long) {}); };
        if (what == "another_pattern") {
            if (all.rank() == 0)
                run(across(all, croft::farm(square)));
            else
                run(across(all, croft::farm([](int n) { return long{n} + 1; })));
        } else if (what == "other_frames") {
            run(across(all, croft::farm(square), {.frames = {.bytes = all.rank() == 0 ? 4'096u : 8'000u}}));
        } else if (what == "throws_before") {
            if (all.rank() == 1) throw std::runtime_error("no data at rank 1");
            run(across(all, croft::farm(square)));
        } else if (what == "late") {
            if (all.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(10'500));
            run(across(all, croft::farm(square)));
        } else if (what == "no_such_root") {
            run(across(all, croft::farm(square), {.root = 7}));
        } else if (what == "no_such_rank") {
            run(croft::mpi::at(all, 7, square));
        } else if (what == "not_by_mpi_run") {
            croft::run<croft::mpi::policies>(numbers(10), across(all, croft::farm(square)), [](long) {});
        } else {
            throw std::invalid_argument("wrong: there is nothing of the name '" + what + "'");
        }
    });
}
