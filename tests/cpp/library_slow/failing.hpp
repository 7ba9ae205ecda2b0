#pragma once
// Failures at every place where one can be. A test does something again and again. The first time the first copy (or
// move, or construction, or allocation) throws, then the second, and so on until all goes through. Each time the
// exception has to arrive at the caller, and nothing may hang or be left over. The same once more, without a failure,
// has to work.

#include <doctest/doctest.h>

#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <utility>

namespace failing {

enum class what { nothing, copy, move, construction, allocation };
inline std::string name_of(what kind) {
    constexpr const char* names[] = {"nothing", "copy", "move", "construction", "allocation"};
    return names[static_cast<int>(kind)];
}

struct refused : std::exception {
    const char* what() const noexcept override { return "refused"; }
};

// Says what throws, in any thread: one of a kind, so many of it away; or it and all behind it.
class plan {
public:
    static void begin(what kind, long number, bool for_good) {
        left_.store(number);
        for_good_.store(for_good);
        fired_.store(false);
        kind_.store(kind);
    }
    static void end() { kind_.store(what::nothing); }
    static bool fired() { return fired_.load(); }

    // Whether the next one of that kind throws.
    static bool refuses(what kind) noexcept {
        if (kind_.load(std::memory_order_relaxed) != kind) return false;
        const long before = left_.fetch_sub(1);
        if (before != 1 && !(before < 1 && for_good_.load())) return false;
        fired_.store(true);
        return true;
    }
    static void one(what kind) {
        if (refuses(kind)) throw refused();
    }

private:
    static inline std::atomic<what> kind_{what::nothing};
    static inline std::atomic<long> left_{0};
    static inline std::atomic<bool> for_good_{false}, fired_{false};
};

// A value that is sent, computed and kept. There are as many as before once all is over.
class thing {
public:
    thing() : thing(0) {}
    explicit thing(int value) : value_(value) {
        plan::one(what::construction);
        ++alive;
    }
    thing(const thing& from) : value_(from.value_) {
        plan::one(what::copy);
        ++alive;
    }
    thing(thing&& from) : value_(from.value_) {
        plan::one(what::move);
        from.value_ = -1;
        ++alive;
    }
    thing& operator=(const thing& from) {
        plan::one(what::copy);
        value_ = from.value_;
        return *this;
    }
    thing& operator=(thing&& from) {
        plan::one(what::move);
        value_ = std::exchange(from.value_, -1);
        return *this;
    }
    ~thing() { --alive; }

    int value() const { return value_; }
    void become(int value) noexcept { value_ = value; }
    friend thing operator+(const thing& a, const thing& b) { return thing(a.value_ + b.value_); }

    static inline std::atomic<long> alive{0};

private:
    int value_;
};

// The same without a default constructor.
class numbered_thing : public thing {
public:
    explicit numbered_thing(int value) : thing(value) {}
};

// Ends the program where a case hangs, and says which.
class case_watch {
public:
    case_watch() : before_(signal(SIGALRM, give_up)) {}
    ~case_watch() {
        alarm(0);
        signal(SIGALRM, before_);
    }
    void now(const std::string& which, what kind, long number, bool for_good) {
        std::snprintf(text_, sizeof text_, "\nhangs: %s, %s %ld%s\n", which.c_str(), name_of(kind).c_str(), number,
                      for_good ? " and all behind it" : "");
        alarm(120);
    }

private:
    static void give_up(int) {
        for (const char* at = text_; *at; ++at)
            if (write(STDERR_FILENO, at, 1) < 0) break;
        std::abort();
    }
    static inline char text_[256];
    void (*before_)(int);
};

// `attempt()` does it, and returns what it came to, which is always the same; where it throws, that is what it throws.
// Before the first, once without a failure: threads are there then.
template <class Attempt>
void at_every_place(const std::string& which, Attempt attempt) {
    case_watch watch;
    watch.now(which, what::nothing, 0, false);
    const auto expected = attempt();
    const long alive = thing::alive.load();
    long refusals = 0;
    for (const what kind : {what::copy, what::move, what::construction, what::allocation})
        for (const bool for_good : {false, true})
            for (long number = 1, goes_on = 1; goes_on; ++number) {
                watch.now(which, kind, number, for_good);
                bool threw = false;
                plan::begin(kind, number, for_good);
                try {
                    attempt();
                } catch (const refused&) {
                    threw = kind != what::allocation;
                } catch (const std::bad_alloc&) {
                    threw = kind == what::allocation;
                }
                plan::end();
                goes_on = plan::fired();
                refusals += goes_on;
                const bool right = threw == plan::fired() && thing::alive.load() == alive && attempt() == expected &&
                                   thing::alive.load() == alive;
                if (right) continue;
                INFO(which << std::string(", ") << name_of(kind) << std::string(" ") << number
                           << std::string(for_good ? " and all behind it" : ""));
                CHECK(threw == plan::fired());
                CHECK(thing::alive.load() == alive);
                CHECK(attempt() == expected);
                CHECK(thing::alive.load() == alive);
                return;
            }
    INFO(which);
    CHECK(refusals > 10);  // or it would have been in vain
}

// The same where a step that throws is done again, as `attempt(again)` does by again(step): whatever step it was, the
// outcome is that of no failure.
template <class Attempt>
void and_once_more(const std::string& which, Attempt attempt) {
    case_watch watch;
    const auto again = [](auto step) {
        for (;;) try {
                return step();
            } catch (const refused&) {
            } catch (const std::bad_alloc&) {
            }
    };
    const long alive = thing::alive.load();
    const auto expected = attempt(again);
    for (const what kind : {what::copy, what::move, what::construction, what::allocation})
        for (long number = 1, goes_on = 1; goes_on; ++number) {
            watch.now(which, kind, number, false);
            plan::begin(kind, number, false);
            const auto found = attempt(again);
            plan::end();
            goes_on = plan::fired();
            if (found == expected && thing::alive.load() == alive) continue;
            INFO(which << std::string(", ") << name_of(kind) << std::string(" ") << number
                       << std::string(", and again"));
            CHECK(found == expected);
            CHECK(thing::alive.load() == alive);
            return;
        }
}

}  // namespace failing
