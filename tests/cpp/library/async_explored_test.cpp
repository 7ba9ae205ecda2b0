// A coroutine that ends, and another that waits for it (coroutine/completion.hpp), in every interleaving.

#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <croft/coroutine/completion.hpp>

#include "explored.hpp"

#if !defined(__SANITIZE_THREAD__)  // it takes fibers for one thread, and has nothing to find here

namespace {

using namespace explorer;

// One thread ends, another waits; the waiter sees what the ender has written, and is told at most once.
struct meeting {
    croft::detail::completion<data, atomic> over;
    data result, of_waiter;
    atomic<std::uint32_t> told{0};

    std::vector<std::function<void()>> threads() {
        return {[this] {
                    result.set(7);
                    if (data* const waits = over.end()) {
                        if (waits->get() != 5) machine::current()->fail("who ends does not see who waits");
                        told.store(1, std::memory_order_release);
                    }
                },
                [this] {
                    of_waiter.set(5);
                    if (over.await(of_waiter)) {
                        do {
                            machine::current()->knows(std::array{0});
                            machine::current()->waits_again();
                        } while (told.load(std::memory_order_acquire) == 0);
                    } else if (!over.is_over()) {
                        machine::current()->fail("nobody waits, and it is not over");
                    }
                    if (result.get() != 7) machine::current()->fail("who waits does not see the result");
                }};
    }
    std::string check() const { return ""; }
};

}  // namespace

TEST_CASE("explorer: a coroutine's end and the one that waits for it do not miss each other") {
    CHECK(machine().explore<meeting>().violation == "");
    const std::size_t word = machine().explore<meeting>().atomics.at(0);
    for (const auto what : {weak_memory::weakened::loads, weak_memory::weakened::stores}) {
        machine one;
        one.weaken(word, what);
        CHECK(one.explore<meeting>().violation != "");
    }
}

#endif
