// A caller that does not say how many threads it wants gets the cores that are left.

#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstddef>
#include <thread>
#include <vector>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/port.hpp>
#include <croft/task/scheduler.hpp>
#include <croft/thread/core_share.hpp>

#include "in_child.hpp"
#include "streams.hpp"

namespace {

using croft::detail::caller;
using croft::detail::core_share;

std::size_t cores() { return croft::port::core_count(); }
auto farm() {
    return croft::farm([](int i) { return i; });
}

}  // namespace

TEST_CASE("shares: what is left, what is given back, what is asked for") {
    REQUIRE(core_share::left() == cores());
    {
        core_share all(0, caller::works);
        CHECK(all.threads() == cores());
        CHECK(core_share::left() == 1);  // the caller's own
        all.keep(1);
        CHECK(core_share::left() == cores() - (cores() > 1 ? 1 : 0));
        const core_share asked(3 * cores(), caller::works);
        CHECK(asked.threads() == 3 * cores());
        CHECK(core_share::left() == 1);
        CHECK(core_share(0, caller::works).threads() == 1);
        CHECK(core_share(0, caller::has_other_work).threads() == 1);
    }
    CHECK(core_share::left() == cores());
    CHECK(core_share(0, caller::has_other_work).threads() == (cores() > 1 ? cores() - 1 : 1));
    CHECK(core_share::threads_at_work() == 0);
}

TEST_CASE("shares count against each other where their threads may use the same core") {
    using croft::detail::have_one_in_common;
    CHECK(have_one_in_common({0, 1, 5}, {2, 5}));
    CHECK_FALSE(have_one_in_common({0, 2, 4}, {1, 3, 5, 7}));
    CHECK_FALSE(have_one_in_common({0, 2, 4}, {}));
    CHECK(have_one_in_common({}, {}));
}

TEST_CASE("a run within a run, and a scheduler, get what the run has left") {
    std::size_t within = 0, workers = 0;
    croft::run(streams::count_to(1), farm(), [&](int) {
        within = croft::plan_of(farm()).threads;
        workers = croft::task_scheduler().size();
    });
    CHECK(within == 1);
    CHECK(workers == 1);
    // One that needs fewer leaves the others.
    croft::run(
        streams::count_to(1), [](int i) { return i; }, [&](int) { workers = croft::task_scheduler().size(); },
        {.threads = 1});
    CHECK(workers == cores());
    CHECK(croft::task_scheduler().size() == cores());
}

TEST_CASE("beside an accelerator a run has the core that is its caller's") {
    croft::accelerator<int, int> one(farm());
    CHECK(one.plan().threads == (cores() > 1 ? cores() - 1 : 1));
    CHECK(croft::plan_of(farm()).threads == 1);
    CHECK(croft::plan_of(farm(), {.threads = 5}).threads == 5);
    CHECK(croft::task_scheduler::common().size() == cores());  // it is not for now only
}

TEST_CASE("runs that begin at the same time have as many threads as there are cores, or callers") {
    constexpr std::size_t callers = 6;
    std::barrier all_run(static_cast<std::ptrdiff_t>(callers));
    std::atomic<std::size_t> threads{0};
    {
        std::vector<std::jthread> all;
        for (std::size_t i = 0; i < callers; ++i)
            all.emplace_back([&] {
                croft::run(
                    [&, begun = false]() mutable -> std::optional<int> {
                        if (begun) return std::nullopt;
                        begun = true;
                        all_run.arrive_and_wait();
                        return 1;
                    },
                    farm(), [](int) {}, {.place = [&](croft::plan& made, std::size_t most) {
                        croft::placements::neighbours{}(made, most);
                        threads += made.threads;
                    }});
            });
    }
    CHECK(threads == cores() + callers - 1);  // the first has them all, and each caller is one
    CHECK(core_share::left() == cores());
}

TEST_CASE("in a child of a fork nobody has a share yet") {
    const core_share all(0, caller::works);
    CHECK(in_child::ends_by([] { return core_share::left() == cores() ? 7 : 8; }) == "status 7");
}
