#pragma once
// The parts of programs whose accesses race, or do not for a single reason. There are two threads at the same time, and
// accesses that stay where they are written. main() runs one case of many: PROGRAM CASE wrong|right.

#include <atomic>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace race_cases {

// Both have come, and neither knows more of the other by that.
inline void meet() {
    static std::atomic<int> here;
    const int mine = here.fetch_add(1, std::memory_order_relaxed);
    while (here.load(std::memory_order_relaxed) <= (mine | 1)) {
    }
}

// At the same time: a thread that begins when another has ended is ordered behind it.
template <class First, class Second>
void both(First first, Second second) {
    const auto together = [](auto work) {
        return [=] {
            meet();
            work();
        };
    };
    std::thread one(together(first)), other(together(second));
    one.join();
    other.join();
}

// The compiler keeps an access where it is written, and one access.
template <class T>
[[gnu::always_inline]] inline T get(const T& place) {
    return *const_cast<const volatile T*>(&place);
}
template <class T>
[[gnu::always_inline]] inline void put(T& place, T value) {
    *const_cast<volatile T*>(&place) = value;
}

// Seen by both threads without being ordered: what it tells is when, and nothing else.
class moment {
public:
    void has_come() { come_.store(true, std::memory_order_relaxed); }
    void wait() const {
        while (!come_.load(std::memory_order_relaxed)) {
        }
    }

private:
    std::atomic<bool> come_{false};
};

using case_list = std::map<std::string, std::function<void(bool wrong)>>;

inline int run_case(const case_list& cases, int count, char** with) {
    if (count != 3 || !cases.contains(with[1])) {
        for (const auto& [name, run] : cases) std::puts(name.c_str());
        return count == 1 ? 0 : 2;
    }
    cases.at(with[1])(std::strcmp(with[2], "wrong") == 0);
    return 0;
}

}  // namespace race_cases
