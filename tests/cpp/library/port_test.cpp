// The promises of the port for the machine that runs the tests.

#include <croft/port/port.hpp>

#include <doctest/doctest.h>

#include <sys/mman.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace port = croft::port;

TEST_CASE("cores: those allowed are counted, and a thread can be pinned to each") {
    const auto allowed = port::allowed_cores();
    REQUIRE_FALSE(allowed.empty());
    CHECK(std::is_sorted(allowed.begin(), allowed.end()));
    CHECK(port::core_count() >= 1);
    CHECK(port::core_count() <= allowed.size());
    for (const int core : allowed) {
        port::affinity_guard guard;
        CHECK(port::pin_this_thread(core));
        CHECK(port::allowed_cores() == std::vector<int>{core});
        CHECK(sched_getcpu() == core);
    }
    CHECK(port::allowed_cores() == allowed);
    CHECK_FALSE(port::pin_this_thread(-1));
    CHECK_FALSE(port::pin_this_thread(1 << 20));
}

TEST_CASE("the cycle counter runs forward") {
    const auto before = port::cycles();
    volatile int spent = 0;
    for (int i = 0; i < 100'000; ++i) spent = spent + 1;
    CHECK(port::cycles() > before);
}

TEST_CASE("sleep_while returns at once if the word holds something else") {
    std::atomic<std::uint32_t> word{1};
    port::sleep_while(word, 0);
    CHECK(word == 1);
}

TEST_CASE("the quota of a control group, and of those around it") {
    namespace fs = std::filesystem;
    const fs::path root = fs::temp_directory_path() / ("croft-cgroup-test-" + std::to_string(getpid()));
    fs::create_directories(root / "outer/inner");
    const auto quota = [&](const std::string& outer, const std::string& inner) {
        std::ofstream(root / "outer/cpu.max") << outer;
        std::ofstream(root / "outer/inner/cpu.max") << inner;
        return port::detail::nested_quota(root.c_str(), "/outer/inner");
    };
    CHECK(quota("max 100000", "max 100000") == 0);
    CHECK(quota("max 100000", "200000 100000") == 2);
    CHECK(quota("150000 100000", "max 100000") == 2);  // one and a half is room for two
    CHECK(quota("100000 100000", "400000 100000") == 1);
    CHECK(quota("400000 100000", "100000 100000") == 1);
    CHECK(quota("", "nonsense") == 0);
    fs::create_directories(root / "old");
    std::ofstream(root / "old/cpu.cfs_quota_us") << "300000";
    std::ofstream(root / "old/cpu.cfs_period_us") << "100000";
    CHECK(port::detail::nested_quota(root.c_str(), "/old") == 3);
    std::ofstream(root / "old/cpu.cfs_quota_us") << "-1";
    CHECK(port::detail::nested_quota(root.c_str(), "/old") == 0);
    fs::remove_all(root);
}

TEST_CASE("lists of numbers as the kernel writes them") {
    using port::detail::numbers_of_list;
    CHECK(numbers_of_list("0-3,8,10-11\n") == std::vector<int>{0, 1, 2, 3, 8, 10, 11});
    CHECK(numbers_of_list("5") == std::vector<int>{5});
    for (const char* wrong : {"", "\n", "x", "-3", "3-1", "2-", "0-99999999999"}) CHECK(numbers_of_list(wrong).empty());
    CHECK(numbers_of_list("1,x,3") == std::vector<int>{1});
}

TEST_CASE("nodes of memory, from a folder of files") {
    namespace fs = std::filesystem;
    const fs::path root = fs::temp_directory_path() / ("croft-numa-test-" + std::to_string(getpid()));
    const auto write = [&](const std::string& file, const std::string& text) {
        fs::create_directories((root / file).parent_path());
        std::ofstream(root / file) << text << '\n';
    };
    CHECK_FALSE(port::memory_nodes(root.c_str()).several());

    write("online", "0");
    write("node0/cpulist", "0-3");
    const port::memory_nodes one(root.c_str());
    CHECK_FALSE(one.several());
    CHECK(one.of_core(2) == -1);
    CHECK(one.together({2, 0, 1}) == std::vector<int>{2, 0, 1});

    // Two with interleaved cores, one with memory alone, one that is not there.
    write("online", "0,2-3");
    write("node0/cpulist", "0,2,4");
    write("node2/cpulist", "1,3,5,7");
    write("node3/cpulist", "");
    write("node4/cpulist", "6");
    const port::memory_nodes two(root.c_str());
    CHECK(two.several());
    CHECK(two.of_core(4) == 0);
    CHECK(two.of_core(7) == 2);
    CHECK(two.of_core(6) == -1);
    CHECK(two.together({0, 1, 2, 3, 4, 5, 7}) == std::vector<int>{1, 3, 5, 7, 0, 2, 4});
    CHECK(two.together({0, 1, 2, 3}) == std::vector<int>{0, 2, 1, 3});
    CHECK(two.together({0, 1, 2, 4}) == std::vector<int>{0, 2, 4, 1});
    fs::remove_all(root);
}

TEST_CASE("pages can be asked for on a node, and be used whatever the kernel says") {
    constexpr std::size_t bytes = 1 << 16;
    void* const pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(pages != MAP_FAILED);
    port::put_on_node(pages, bytes, 0);
    CHECK_FALSE(port::put_on_node(pages, bytes, 5000));
    static_cast<char*>(pages)[bytes - 1] = 7;
    CHECK(static_cast<char*>(pages)[bytes - 1] == 7);
    munmap(pages, bytes);
    std::vector<int> all = port::allowed_cores_by_node();
    std::sort(all.begin(), all.end());
    CHECK(all == port::allowed_cores());
}
