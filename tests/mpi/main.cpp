// Runs doctest in every process, on the same test at the same time, and ends with an error if an assertion failed in
// it. A test that does not end is ended, and says where. Shown is what rank 0 says, and any process in which one
// failed.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <iostream>
#include <sstream>

#include <croft/mpi/environment.hpp>
#include <croft/mpi/processes.hpp>

#include "../cpp/watch.hpp"
#include "meet.hpp"

namespace {

// No process begins the next test before all have ended this test.
struct watch_all : watch<60 * CROFT_TEST_SLOWER> {
    using watch::watch;
    void test_case_end(const doctest::CurrentTestCaseStats&) override { mpi_test::meet(croft::mpi::world()); }
};

}  // namespace

REGISTER_LISTENER("watch", 1, watch_all);

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
