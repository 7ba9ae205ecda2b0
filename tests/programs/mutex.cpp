// std::mutex, std::shared_mutex, std::recursive_mutex, std::call_once under contention. Usage: mutex N
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

int main(int argc, char** argv) {
    const int count = argc > 1 ? std::atoi(argv[1]) : 1;
    std::mutex mutex;
    std::shared_mutex shared;
    std::recursive_mutex recursive;
    std::once_flag once;
    int total = 0, initialised = 0, nested = 0;
    std::map<std::string, int> table;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] {
            std::call_once(once, [&] { ++initialised; });
            for (int j = 0; j < 50; ++j) {
                {
                    const std::lock_guard held(mutex);
                    ++total;
                }
                if (j % 10 == i % 10) {
                    const std::unique_lock writing(shared);
                    table["key " + std::to_string(j)] += 1;
                } else {
                    const std::shared_lock reading(shared);
                    if (table.count("key " + std::to_string(j)) > 1) std::abort();
                }
            }
            const std::lock_guard outer(recursive);
            const std::lock_guard inner(recursive);
            ++nested;
        });
    }
    for (auto& thread : threads) thread.join();
    std::printf("total %d, initialised %d, nested %d\n", total, initialised, nested);
    for (const auto& [key, value] : table) std::printf("%s: %d\n", key.c_str(), value);
}
