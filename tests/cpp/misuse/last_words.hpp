#pragma once
// Whether a program that does something ends itself, and what it says then.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

// In a child process, which has 20 seconds; so the tests themselves must not start threads. `went_on` if it does not
// end by abort().
inline const std::string went_on = "it went on";

template <class Action>
std::string last_words(Action action) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const pid_t child = ::fork();
    if (child == 0) {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        const rlimit no_core{0, 0};
        ::setrlimit(RLIMIT_CORE, &no_core);
        std::signal(SIGABRT, SIG_DFL);  // doctest's would print its own
        ::alarm(20);
        action();
        ::_exit(0);
    }
    ::close(ends[1]);
    std::string said;
    char buffer[256];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT) return went_on;
    while (!said.empty() && said.back() == '\n') said.pop_back();
    return said;
}
