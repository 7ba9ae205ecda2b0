#pragma once
// Ends a test that does not end, and says which. A program that hangs keeps whoever waits for it for ever, and does not
// say where.

#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

// To be registered: REGISTER_LISTENER("watch", 1, watch<SECONDS>). `Patience`: of one test, in seconds.
template <unsigned Patience>
struct watch : doctest::IReporter {
    explicit watch(const doctest::ContextOptions&) {}
    void test_case_start(const doctest::TestCaseData& test) override {
        now = test.m_name;
        alarm(Patience);
    }
    void test_run_start() override { signal(SIGALRM, give_up); }
    void test_run_end(const doctest::TestRunStats&) override { now = "what comes after the last test"; }

    void report_query(const doctest::QueryData&) override {}
    void test_case_reenter(const doctest::TestCaseData&) override {}
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}

private:
    static void give_up(int) {
        for (const char* part : {"\nnot ended in time: ", static_cast<const char*>(now), "\n"})
            if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
        std::abort();
    }

    static inline const char* volatile now = "what comes before the first test";
};
