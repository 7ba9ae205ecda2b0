// std::async, std::future, std::promise, std::packaged_task, and an exception that crosses threads. Usage: async N
#include <cstdio>
#include <cstdlib>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::vector<std::future<int>> futures;
    for (int i = 0; i < count; ++i) futures.push_back(std::async(std::launch::async, fibonacci, i % 12));
    int sum = 0;
    for (auto& future : futures) sum += future.get();

    auto failing = std::async(std::launch::async, []() -> int { throw std::runtime_error("from another thread"); });
    std::string caught = "nothing";
    try {
        (void)failing.get();
    } catch (const std::runtime_error& error) {
        caught = error.what();
    }
    std::packaged_task<int(int)> task(fibonacci);
    auto packaged = task.get_future();
    std::thread runner(std::move(task), 15);
    runner.join();

    std::promise<std::string> promise;
    auto promised = promise.get_future();
    std::thread keeper([&] { promise.set_value("kept"); });
    const std::string word = promised.get();
    keeper.join();
    auto lazy = std::async(std::launch::deferred, [] { return 7; });
    std::printf("sum %d, caught %s, packaged %d, promise %s, lazy %d\n", sum, caught.c_str(), packaged.get(),
                word.c_str(), lazy.get());
}
