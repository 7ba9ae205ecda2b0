#pragma once
// How many messages are in a loop. The loop's entry counts those it lets in and its exit those that leave, both on one
// thread. A role inside that makes several messages of one, on any thread, adds the difference.
//
// Relaxed is enough for the entry to know that a loop is empty. A message that was added was counted before it was
// published, and its publish and receipt, link by link, are a release and an acquire. So by the time the exit counts it
// out, the thread of entry and exit has that addition before it. Coherence then keeps the thread's reads from missing
// it. A count of zero therefore has every message both counted in and counted out. (Nobody waits for the count: it
// becomes zero only by the exit, on the entry's own thread.)

#include <atomic>
#include <cstdint>

namespace croft::detail {

template <template <class> class Atomic = std::atomic>
class basic_flight {
public:
    // `around`: the loop that this loop is inside of. All that is added here is added there too.
    explicit basic_flight(basic_flight* around = nullptr) : around_(around) {}

    void add(std::int64_t messages) {
        for (basic_flight* each = this; each; each = each->around_)
            each->count_.fetch_add(messages, std::memory_order_relaxed);
    }
    void enter() { count_.fetch_add(1, std::memory_order_relaxed); }
    void leave() { count_.fetch_sub(1, std::memory_order_relaxed); }
    bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }

    basic_flight* around() const { return around_; }

private:
    Atomic<std::int64_t> count_{0};
    basic_flight* around_;
};

using flight = basic_flight<>;

}  // namespace croft::detail
