// The explorer itself: it knows what the memory model allows (explorer.hpp), and what fences, release and acquire
// forbid.

#include "explored_programs.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;
constexpr auto relaxed = std::memory_order_relaxed, acquire = std::memory_order_acquire,
               release = std::memory_order_release;

// Mutants of the world.
struct no_heavy_fence : world {
    static void light_fence() {}
    static void heavy_fence() {}
};
struct own_fence_only : world {
    static void light_fence() {}
    static void heavy_fence() { machine::current()->full_fence(); }
};
struct no_fence_of_the_sleeper : world {
    static void light_fence() { machine::current()->full_fence(); }
    static void heavy_fence() {}
};
// A doorbell whose owner shares cores; and a mutant of it.
template <class World>
struct sharing : bell<World> {
    sharing() { this->share_cores(); }
};
struct no_full_fence : asymmetric {
    static void full_fence() {}
};
// Sleeps without looking once more.
struct no_second_look : bell<asymmetric> {
    template <class Scan>
    void wait(Scan) {
        bell<asymmetric>::wait([](auto) { return false; });
    }
};
// Rings without having set its event first, as if the two were exchanged.
struct deaf : bell<asymmetric> {
    void notify() {}
};

// Two threads write one word each and then read the other's.
struct dekker {
    atomic<std::uint32_t> x, y;
    std::uint32_t saw_x = 0, saw_y = 0;
    std::vector<std::function<void()>> threads() {
        return {[this] { x.store(1, release), saw_y = y.load(acquire); },
                [this] { y.store(1, release), saw_x = x.load(acquire); }};
    }
    std::string check() const { return saw_x || saw_y ? "" : "both blind"; }
};

// One thread writes a payload and then a flag, the other reads the flag and then the payload.
template <std::memory_order Store, std::memory_order Load>
struct passing {
    atomic<std::uint32_t> payload, flag;
    std::uint32_t seen = 1;
    std::vector<std::function<void()>> threads() {
        return {[this] { payload.store(1, relaxed), flag.store(1, Store); },
                [this] {
                    if (flag.load(Load)) seen = payload.load(relaxed);
                }};
    }
    std::string check() const { return seen ? "" : "flag before payload"; }
};
// The same with a payload that is no atomic.
template <std::memory_order Store, std::memory_order Load>
struct racing {
    data payload;
    atomic<std::uint32_t> flag;
    std::vector<std::function<void()>> threads() {
        return {[this] { payload.set(1), flag.store(1, Store); },
                [this] {
                    if (flag.load(Load) && payload.get() != 1) machine::current()->fail("the payload is not there");
                }};
    }
    std::string check() const { return ""; }
};

}  // namespace

TEST_CASE("explorer: it knows store buffering, and that fences forbid it") {
    CHECK(explore<dekker>().violation == "both blind");
    struct fenced : dekker {
        std::vector<std::function<void()>> threads() {
            return {[this] {
                        x.store(1, relaxed);
                        machine::current()->full_fence();
                        saw_y = y.load(relaxed);
                    },
                    [this] {
                        y.store(1, relaxed);
                        machine::current()->full_fence();
                        saw_x = x.load(relaxed);
                    }};
        }
    };
    CHECK(explore<fenced>().violation == "");
    struct one_sided : dekker {
        std::vector<std::function<void()>> threads() {
            return {[this] { x.store(1, relaxed), saw_y = y.load(relaxed); },
                    [this] {
                        y.store(1, relaxed);
                        machine::current()->membarrier();
                        saw_x = x.load(relaxed);
                    }};
        }
    };
    CHECK(explore<one_sided>().violation == "");
}

TEST_CASE("explorer: it knows message passing, and that it takes release and acquire") {
    CHECK(explore<passing<relaxed, acquire>>().violation == "flag before payload");
    CHECK(explore<passing<release, relaxed>>().violation == "flag before payload");
    CHECK(explore<passing<release, acquire>>().violation == "");
    CHECK(explore<racing<relaxed, acquire>>().violation == "a race: read while it may be written");
    CHECK(explore<racing<release, relaxed>>().violation == "a race: read while it may be written");
    CHECK(explore<racing<release, acquire>>().violation == "");
    CHECK(places_that_may_be_relaxed<racing<release, acquire>>() == 0);
}

TEST_CASE("explorer: all threads agree on the order of stores to one location, and only there") {
    // Two write, two read both.
    struct coherence {
        atomic<std::uint32_t> x;
        std::uint32_t first = 0, second = 0;
        std::vector<std::function<void()>> threads() {
            return {[this] { x.store(1, relaxed), x.store(2, relaxed); },
                    [this] { first = x.load(relaxed), second = x.load(relaxed); }};
        }
        std::string check() const { return first <= second ? "" : "backwards"; }
    };
    CHECK(explore<coherence>().violation == "");
    struct two_locations {
        atomic<std::uint32_t> x, y;
        std::uint32_t first = 0, second = 0;
        std::vector<std::function<void()>> threads() {
            return {[this] { x.store(1, relaxed), y.store(1, relaxed); },
                    [this] { first = y.load(relaxed), second = x.load(relaxed); }};
        }
        std::string check() const { return first <= second ? "" : "backwards"; }
    };
    CHECK(explore<two_locations>().violation == "backwards");
}

TEST_CASE("explorer: of several read-modify-writes one reads a value") {
    struct tickets {
        atomic<std::uint32_t> x{1};
        std::uint32_t won = 0;
        std::vector<std::function<void()>> threads() {
            const auto take = [this] { won += x.exchange(0, relaxed); };
            return {take, take, take};
        }
        std::string check() const { return won == 1 ? "" : "not one winner"; }
    };
    CHECK(explore<tickets>().violation == "");
}

TEST_CASE("explorer: with a limit it finds what as many preemptions can bring about") {
    // One adds twice, the other once: only a preemption comes between the two.
    struct parted {
        atomic<std::uint32_t> x;
        bool together = true;
        std::vector<std::function<void()>> threads() {
            return {[this] {
                        const auto first = x.fetch_add(1, relaxed);
                        together = x.fetch_add(1, relaxed) == first + 1;
                    },
                    [this] { x.fetch_add(1, relaxed); }};
        }
        std::string check() const { return together ? "" : "parted"; }
    };
    CHECK(explore<parted>(0).violation == "");
    CHECK(explore<parted>(0).endings == 2);
    CHECK(explore<parted>(1).violation == "parted");
    CHECK(explore<parted>().violation == "parted");
}

TEST_CASE("explorer: plain data may not be written while it may be read, nor used before it is known to be made") {
    struct overwriting {
        data payload;
        atomic<std::uint32_t> done;
        std::vector<std::function<void()>> threads() {
            return {[this] { payload.get(), done.store(1, relaxed); },
                    [this] {
                        if (done.load(acquire)) payload.set(1);
                    }};
        }
        std::string check() const { return ""; }
    };
    CHECK(explore<overwriting>().violation == "a race: written while it may be read");
    struct unmade {
        atomic<atomic<std::uint32_t>*> pointer{nullptr};
        std::unique_ptr<atomic<std::uint32_t>> object;
        std::vector<std::function<void()>> threads() {
            return {[this] {
                        object = std::make_unique<atomic<std::uint32_t>>(1);
                        pointer.store(object.get(), relaxed);
                    },
                    [this] {
                        if (auto* const there = pointer.load(acquire)) there->load(relaxed);
                    }};
        }
        std::string check() const { return ""; }
    };
    CHECK(explore<unmade>().violation == "an object is used that may not be made yet");
}

TEST_CASE("explorer: no wake-up is lost, with either pair of fences") {
    hold<one_event<bell<asymmetric>>>();
    hold<one_event<bell<symmetric>>>();
}

TEST_CASE("explorer: no wake-up is lost of an owner that shares cores, and its fences are needed" *
          doctest::test_suite("slow")) {
    hold<one_event<sharing<asymmetric>>>();
    hold<one_event<sharing<symmetric>>>();
    hold<stream<modelled<croft::events::flags<croft::events::turns>, sharing<asymmetric>>, 1, 1>>();
    CHECK(explore<one_event<sharing<no_full_fence>>>().violation == "a thread sleeps for ever");
}

TEST_CASE("explorer: a missing fence or look loses a wake-up, and is caught") {
    const char* const lost = "a thread sleeps for ever";
    CHECK(explore<one_event<bell<no_heavy_fence>>>().violation == lost);
    CHECK(explore<one_event<bell<own_fence_only>>>().violation == lost);
    CHECK(explore<one_event<bell<no_fence_of_the_sleeper>>>().violation == lost);
    CHECK(explore<one_event<no_second_look>>().violation == lost);
    CHECK(explore<one_event<deaf>>().violation == lost);
    CHECK(
        explore<stream<modelled<croft::events::flags<croft::events::turns>, bell<no_heavy_fence>>, 1, 1>>().violation ==
        lost);
    CHECK(explore<stream<modelled<croft::events::flags<croft::events::turns>, no_second_look>, 1, 1>>().violation ==
          lost);
}

#endif
