#pragma once
// MPI's beginning and end, for as long as an object lives. And a whole program around it, in which no rank waits for a
// rank that has failed.
//
//     int main(int argc, char** argv) {
//         return croft::mpi::program(argc, argv, [](const croft::mpi::processes& world) { work(world); });
//     }

#include <mpi.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <thread>
#include <utility>

#include <croft/mpi/error.hpp>
#include <croft/mpi/processes.hpp>

namespace croft::mpi {

namespace detail {

// Open MPI, up to 5.0 at least, ends in a fence of all processes that there were, lost ones included. So it may wait
// for ever (open-mpi/ompi, issue 9434), unless it is asked to end without. Ask before MPI begins. If the user has set
// it otherwise, it stays as it is.
inline void end_without_lost_processes() {
    if (std::getenv("OMPI_MCA_mpi_ft_enable")) ::setenv("OMPI_MCA_async_mpi_finalize", "1", 0);
}

}  // namespace detail

class environment {
public:
    // Asks for MPI_THREAD_MULTIPLE. Throws `error` if MPI was initialised before, or has no threads at all.
    environment(int& argc, char**& argv) {
        int initialised = 0, level = MPI_THREAD_SINGLE;
        MPI_Initialized(&initialised);
        if (initialised) throw error("croft::mpi::environment: MPI is initialised already");
        detail::end_without_lost_processes();
        detail::check(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level), "initialising MPI");
        try {
            detail::check_usable();
        } catch (...) {
            MPI_Finalize();
            throw;
        }
    }
    // All processes have to come here. One that comes by an exception would wait for others that wait for it: it ends
    // them all.
    ~environment() {
        if (std::uncaught_exceptions() > 0) MPI_Abort(MPI_COMM_WORLD, 1);
        MPI_Finalize();
    }
    environment(const environment&) = delete;
    environment& operator=(const environment&) = delete;
};

// Calls main(world()) with MPI initialised, and returns 0, or the int that it returns. An exception that leaves it is
// told on standard error, with its rank, and ends all processes.
template <class Main>
int program(int argc, char** argv, Main main) {
    try {
        const environment mpi(argc, argv);
        int rank = no_rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        try {
            if constexpr (requires { static_cast<int>(main(world())); }) {
                return static_cast<int>(main(world()));
            } else {
                main(world());
                return 0;
            }
        } catch (...) {
            std::fprintf(stderr, "rank %d: %s\n", rank, detail::what_of(std::current_exception()).c_str());
        }
        std::fflush(stderr);
        std::this_thread::sleep_for(std::chrono::milliseconds(200));  // launchers lose what they have not read by then
        MPI_Abort(MPI_COMM_WORLD, 1);
    } catch (const std::exception& thrown) {
        std::fprintf(stderr, "%s\n", thrown.what());
    }
    return 1;
}

}  // namespace croft::mpi
