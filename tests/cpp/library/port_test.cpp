// What the port of the machine that runs the tests promises.

#include <croft/port/port.hpp>

#include <doctest/doctest.h>

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
        return port::detail::nested_quota(root.string(), "/outer/inner");
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
    CHECK(port::detail::nested_quota(root.string(), "/old") == 3);
    std::ofstream(root / "old/cpu.cfs_quota_us") << "-1";
    CHECK(port::detail::nested_quota(root.string(), "/old") == 0);
    fs::remove_all(root);
}
