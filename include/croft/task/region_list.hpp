#pragma once
// The regions of one scheduler (regions.hpp): a list that only grows, in which each region is somebody's or nobody's. A
// caller takes the first region that is nobody's. If there is none, it makes one more, at the end. So there are as many
// as there ever were callers at the same time.
//
// (Apart from regions.hpp, and with its atomics as a parameter, so that callers can be explored: tests/cpp/library/
// task_explored_test.cpp.)

#include <atomic>
#include <utility>

namespace croft::detail {

// The base of a region.
template <class Region, template <class> class Atomic = std::atomic>
struct listed_region {
    Atomic<bool> taken{false};
    Atomic<Region*> next{nullptr};

    // Relaxed, for those who look for work: they acquire the work that they find there with it. For one that falls
    // asleep the heavy fence has seen to it that this is true, or that the region's opener sees the sleeper.
    bool is_open() const { return taken.load(std::memory_order_relaxed); }
};

template <class Region>
class region_list {
public:
    // The first one is not the list's own.
    explicit region_list(Region& first) : first_(first) {}
    region_list(const region_list&) = delete;
    region_list& operator=(const region_list&) = delete;

    // One that nobody else has, until give_back(). `make()` makes another, in memory that stays until nobody uses the
    // list.
    template <class Make>
    Region& take(Make make) {
        Region* last = nullptr;
        for (Region* each = &first_; each; each = after(*each)) {
            // Acquire: see give_back().
            if (!each->taken.load(std::memory_order_relaxed) && !each->taken.exchange(true, std::memory_order_acquire))
                return *each;
            last = each;
        }
        Region* const made = make();
        made->taken.store(true, std::memory_order_relaxed);
        // Release: a thread that comes along the list sees the region that it leads to. So does a thread that comes by
        // one that was put behind it. Acquire: one that another has put there meanwhile is passed.
        for (Region* next = nullptr;
             !last->next.compare_exchange_weak(next, made, std::memory_order_release, std::memory_order_acquire);
             next = nullptr)
            if (next) last = next;
        return *made;
    }
    // Release: the next one to take it goes on with what this thread has left.
    static void give_back(Region& one) { one.taken.store(false, std::memory_order_release); }

    // Acquire: see take().
    static Region* after(const Region& one) { return one.next.load(std::memory_order_acquire); }

private:
    Region& first_;
};

}  // namespace croft::detail
