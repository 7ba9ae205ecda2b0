#pragma once
// The end of something and a wait for it. Each is one step on one word, so the second of them knows of the first.

#include <atomic>
#include <cstdint>

namespace croft::detail {

template <class Waiter, template <class> class Atomic = std::atomic>
class completion {
public:
    // Acquire: what was written before end() is seen.
    bool is_over() const { return word_.load(std::memory_order_acquire) == over(); }
    // By one waiter at most. False: it is over. After true the waiter may be told, and gone, at any time. Release: the
    // one that ends it sees who waits. Acquire: as above.
    bool await(Waiter& who) {
        Waiter* before = nullptr;
        return word_.compare_exchange_strong(before, &who, std::memory_order_acq_rel, std::memory_order_acquire);
    }
    // The waiter to tell, or null. Nothing here may be touched afterwards: a waiter that came later has gone on.
    Waiter* end() { return word_.exchange(over(), std::memory_order_acq_rel); }

private:
    static Waiter* over() { return reinterpret_cast<Waiter*>(~std::uintptr_t{0}); }

    Atomic<Waiter*> word_{nullptr};
};

}  // namespace croft::detail
