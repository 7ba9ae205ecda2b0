// Runs doctest in every process, on the same test at the same time, and ends with an error if an assertion failed in
// it. A test that does not end is ended, and says where. Shown is what rank 0 says, and any process in which one
// failed.

#define DOCTEST_CONFIG_IMPLEMENT
#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <iostream>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>

#include <croft/mpi/environment.hpp>
#include <croft/mpi/processes.hpp>

#include "meet.hpp"

namespace {

constexpr unsigned patience = 60;  // s, for one test

const char* volatile now = "what comes before the first test";

void give_up(int) {
    for (const char* part : {"\nnot ended in time: ", static_cast<const char*>(now), "\n"})
        if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    _exit(3);
}

struct watch : doctest::IReporter {
    explicit watch(const doctest::ContextOptions&) {}
    void test_case_start(const doctest::TestCaseData& test) override {
        now = test.m_name;
        alarm(patience);
    }
    void test_run_start() override { signal(SIGALRM, give_up); }
    void test_run_end(const doctest::TestRunStats&) override { now = "what comes after the last test"; }

    void report_query(const doctest::QueryData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    // No process begins the next test before all have ended this one.
    void test_case_end(const doctest::CurrentTestCaseStats&) override { mpi_test::meet(croft::mpi::world()); }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

REGISTER_LISTENER("watch", 1, watch);

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
