// What croft::mpi refuses before anything is sent: 0 if it was refused as it has to be, and told why.
//     mpiexec -n 1 test_mpi_refused none      MPI is not initialised
//     mpiexec -n 1 test_mpi_refused single    without threads
//     mpiexec -n 1 test_mpi_refused twice     initialised before the environment

#include <mpi.h>

#include <cstdio>
#include <string>

#include <croft/mpi/channel.hpp>
#include <croft/mpi/environment.hpp>

namespace {

template <class Call>
int refused(Call call, const char* begin) {
    try {
        call();
        std::fprintf(stderr, "nothing was thrown\n");
    } catch (const croft::mpi::error& thrown) {
        if (std::string(thrown.what()).starts_with(begin)) return 0;
        std::fprintf(stderr, "%s\n", thrown.what());
    }
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string what = argc > 1 ? argv[1] : "";
    const auto makes = [] { const croft::mpi::channel<int> one(croft::mpi::world(), 0, 1); };
    if (what == "none") return refused(makes, "croft::mpi: MPI is not initialised");
    int level = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, what == "single" ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    const int failed =
        what == "single"
            ? refused(makes, "croft::mpi: rank 0 has initialised MPI with MPI_THREAD_SINGLE")
            : refused([&] { const croft::mpi::environment again(argc, argv); }, "croft::mpi::environment: MPI is init");
    MPI_Finalize();
    return failed;
}
