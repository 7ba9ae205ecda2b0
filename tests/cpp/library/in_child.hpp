#pragma once
// Says what becomes of a process that forks, or exits. Each is tried in a child, which has twenty seconds.

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>

namespace in_child {

// By what a process ended: its status, or a signal.
inline std::string told(int status) {
    return WIFEXITED(status) ? "status " + std::to_string(WEXITSTATUS(status))
                             : "signal " + std::to_string(WTERMSIG(status));
}
// In a process just forked.
inline void limit() {
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    std::signal(SIGABRT, SIG_DFL);  // doctest's would print its own
    ::alarm(20);
}

// By what a child ended that calls `action`, and then exit() with what that returns.
template <class Action>
std::string ends_by(Action action) {
    std::fflush(nullptr);
    const pid_t child = ::fork();
    if (child == 0) {
        limit();
        try {
            std::exit(action());
        } catch (const std::exception& error) {
            std::fprintf(stderr, "in the child: %s\n", error.what());
            std::exit(99);
        }
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return told(status);
}
// The same, with what it says to stderr instead.
template <class Action>
std::string last_words(Action action) {
    int ends[2];
    if (::pipe(ends) != 0) return "no pipe";
    const std::string ended = ends_by([&] {
        ::dup2(ends[1], STDERR_FILENO);
        ::close(ends[0]);
        return action();
    });
    ::close(ends[1]);
    std::string said;
    char buffer[256];
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;)
        said.append(buffer, static_cast<std::size_t>(got));
    ::close(ends[0]);
    return said + ended;
}

}  // namespace in_child

// It knows nothing of the library, and would end a child that starts a thread.
#if defined(__SANITIZE_THREAD__)
#define CROFT_UNDER_TSAN
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CROFT_UNDER_TSAN
#endif
#endif
#if defined(CROFT_UNDER_TSAN)
extern "C" [[gnu::used]] inline const char* __tsan_default_options() { return "die_after_fork=0"; }
#endif
