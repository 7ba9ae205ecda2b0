#pragma once
// A value for each thread that asks, made when it first does: sums, buffers, caches of the workers of a loop.
//
//     croft::worker_local<long> sum;
//     croft::parallel_for(0, n, [&](int i) { sum.local() += a[i]; });
//     long all = sum.combine(std::plus<>());
//
// A task that waits may run others on the same thread meanwhile, which find the same value. So a value read from
// local() ahead of a pattern or a wait may be another behind it.

#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/port/port.hpp>
#include <croft/task/default_runtime.hpp>

namespace croft {

// Which worker of its region the calling thread is. 0 is the thread that called run() (or a parallel loop outside of
// it); 1 to size() - 1 are the scheduler's threads. Nothing outside of any.
template <class Runtime = detail::default_task_runtime>
std::optional<std::size_t> worker_index() {
    const auto* const here = Runtime::worker::current();
    if (!here) return std::nullopt;
    return here->number();
}

namespace detail {

// The calling thread's, and never another's. Not the thread's id, which may be another's when it has ended.
inline std::uint64_t own_thread_number() {
    static constinit std::atomic<std::uint64_t> threads{0};
    // Relaxed: to be different is all that is asked of it.
    thread_local const std::uint64_t own = threads.fetch_add(1, std::memory_order_relaxed);
    return own;
}

}  // namespace detail

template <class T>
class worker_local {
public:
    // Values as T() makes them.
    worker_local()
        requires std::is_default_constructible_v<T>
        : make_([] { return T(); }) {}
    // As `make` does, called by the thread whose value it is.
    template <class Make>
        requires std::is_invocable_r_v<T, const Make&>
    explicit worker_local(Make make) : make_(std::move(make)) {}
    // Values equal to this.
    explicit worker_local(const T& value)
        requires std::copy_constructible<T>
        : make_([value] { return value; }) {}
    worker_local(const worker_local&) = delete;
    worker_local& operator=(const worker_local&) = delete;
    ~worker_local() {
        for (auto& bucket : buckets_)
            for (node* each = bucket.load(std::memory_order_relaxed); each;) delete std::exchange(each, each->next);
    }

    // The calling thread's. By any thread, at any time.
    T& local() {
        const std::uint64_t own = detail::own_thread_number();
        std::atomic<node*>& bucket = buckets_[own % buckets_.size()];
        // Acquire: nodes of other threads are passed on the way. The own one no other makes or changes.
        node* const first = bucket.load(std::memory_order_acquire);
        for (node* each = first; each; each = each->next)
            if (each->thread == own) [[likely]]
                return each->value;
        return make(bucket, first, own);
    }

    // All there are, in no order; once whoever uses theirs has been waited for.
    template <class Use>
    void for_each(Use use) {
        for (auto& bucket : buckets_)
            for (node* each = bucket.load(std::memory_order_acquire); each; each = each->next) use(each->value);
    }
    // All joined, in no order: `join` has to commute. Gives the value of a new one if there are none. Else as for_each.
    template <class Join>
    T combine(Join join) {
        std::optional<T> all;
        for_each([&](T& value) {
            if (all)
                all.emplace(join(std::move(*all), std::as_const(value)));
            else
                all.emplace(value);
        });
        return all ? std::move(*all) : make_();
    }
    // How many there are.
    std::size_t size() {
        std::size_t count = 0;
        for_each([&count](T&) { ++count; });
        return count;
    }

private:
    // On lines of its own, because its thread writes it all the time.
    struct alignas(port::cache_line) node {
        node(const std::function<T()>& make, node* follower, std::uint64_t own)
            : value(make()), next(follower), thread(own) {}
        T value;
        node* next;
        const std::uint64_t thread;
    };

    [[gnu::noinline]] T& make(std::atomic<node*>& bucket, node* first, std::uint64_t own) {
        node* const made = new node(make_, first, own);
        // Release: a thread that passes it sees its value. Lists only grow, at their beginning.
        while (!bucket.compare_exchange_weak(made->next, made, std::memory_order_release, std::memory_order_relaxed)) {
        }
        return made->value;
    }

    std::function<T()> make_;
    std::array<std::atomic<node*>, 64> buckets_{};
};

}  // namespace croft
