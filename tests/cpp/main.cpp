// doctest's main, and who ends a test that does not end: a program that hangs keeps whoever waits for it for ever, and
// does not say where.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

// The longest takes half a minute; under a sanitizer, beside other work, much longer.
constexpr unsigned patience = 15 * 60;  // s

const char* volatile now = "what comes before the first test";

void say(const char* what) {
    if (write(STDERR_FILENO, what, std::strlen(what)) < 0) return;
}
void give_up(int) {
    say("\nnot ended after 15 minutes: ");
    say(now);
    say("\n");
    std::abort();
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
    void test_case_end(const doctest::CurrentTestCaseStats&) override {}
    void test_case_exception(const doctest::TestCaseException&) override {}
    void subcase_start(const doctest::SubcaseSignature&) override {}
    void subcase_end() override {}
    void log_assert(const doctest::AssertData&) override {}
    void log_message(const doctest::MessageData&) override {}
    void test_case_skipped(const doctest::TestCaseData&) override {}
};

}  // namespace

REGISTER_LISTENER("watch", 1, watch);
