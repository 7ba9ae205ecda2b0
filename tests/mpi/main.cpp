// Runs doctest in every process. Of its output only that of rank 0 is shown, and that of a process in which an
// assertion failed.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <croft/mpi/environment.hpp>
#include <iostream>
#include <sstream>

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        std::ostringstream said;
        doctest::Context context(argc, argv);
        context.setCout(&said);
        const int failed = context.run();
        if (failed || world.rank() == 0) std::cout << "rank " << world.rank() << ":\n" << said.str() << std::flush;
        return failed;
    });
}
