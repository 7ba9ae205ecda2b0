#pragma once
// What the tests of many processes have in common: every process runs doctest, on the same test at the same time, and
// ends with an error if an assertion failed in it. A test that does not end is ended, and says where.

#include <mpi.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstring>
#include <thread>

#include <doctest/doctest.h>

#include <croft/mpi/environment.hpp>
#include <croft/mpi/processes.hpp>

namespace mpi_test {

constexpr unsigned patience = 60;  // s, for one test

inline const char* volatile now = "what comes before the first test";

inline void give_up(int) {
    for (const char* part : {"\nnot ended in time: ", static_cast<const char*>(now), "\n"})
        if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
    _exit(3);
}

// A barrier that keeps no core from others: where there are fewer cores than processes, who waits must not spin.
inline void meet(const croft::mpi::processes& group) {
    MPI_Request all;
    MPI_Ibarrier(group.comm(), &all);
    for (int met = 0; !met; MPI_Test(&all, &met, MPI_STATUS_IGNORE))
        std::this_thread::sleep_for(std::chrono::microseconds(50));
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
    void test_case_end(const doctest::CurrentTestCaseStats&) override { meet(croft::mpi::world()); }
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace mpi_test

REGISTER_LISTENER("watch", 1, mpi_test::watch);

int main(int argc, char** argv) {
    const croft::mpi::environment mpi(argc, argv);
    static_cast<void>(croft::mpi::world());
    doctest::Context context(argc, argv);
    return context.run();
}
