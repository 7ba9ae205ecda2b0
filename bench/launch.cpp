// Runs PROGRAM and writes to FILE what it took: seconds of time, seconds of processor time, and KiB of memory at its
// peak. (Python would do, but a child's peak is at least what its parent has, and Python has much.)
//
//     launch FILE PROGRAM [ARGUMENT...]

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

int main(int count, char** arguments) {
    if (count < 3) return 2;
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = fork();
    if (child == 0) {
        execv(arguments[2], arguments + 2);
        _exit(127);
    }
    int status = 0;
    rusage used{};
    if (child < 0 || wait4(child, &status, 0, &used) != child) return 2;
    const double took = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    };
    std::FILE* const file = std::fopen(arguments[1], "w");
    if (!file) return 2;
    std::fprintf(file, "%.6f %.6f %ld\n", took, seconds(used.ru_utime) + seconds(used.ru_stime), used.ru_maxrss);
    std::fclose(file);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
