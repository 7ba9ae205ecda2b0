#pragma once
// The parallel scheduler's backend (P2079R10; C++26, [exec.parschedrepl]). With it all that a program starts on
// get_parallel_scheduler(), bulk included, runs on croft's workers, beside croft's own loops. There are no threads of
// one more pool. docs/interop.md shows how a program names it.
//
// Here is nothing where there are no senders: sender_library.hpp.

#include <croft/interop/sender_library.hpp>

#if defined(CROFT_HAS_SENDERS)

#include <cstddef>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include <croft/task/detached.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/scheduler.hpp>

namespace croft::interop {

class parallel_scheduler final
    : public detail::sender_names::parallel_scheduler_replacement::parallel_scheduler_backend {
    using receiver = detail::sender_names::parallel_scheduler_replacement::receiver_proxy;
    using bulk_receiver = detail::sender_names::parallel_scheduler_replacement::bulk_item_receiver_proxy;
    using scratch = std::span<std::byte>;

public:
    // Throws std::system_error if the scheduler's thread for posts cannot be started.
    explicit parallel_scheduler(task_scheduler& on = task_scheduler::common()) : on_(on) { on.begin_posts(); }

    void schedule(receiver& to, scratch room) noexcept override {
        start(to, room, [](receiver&) {});
    }
    void schedule_bulk_chunked(std::size_t count, bulk_receiver& to, scratch room) noexcept override {
        start(to, room, [count](bulk_receiver& each) {
            parallel_for_intervals(std::size_t{0}, count,
                                   [&each](std::size_t first, std::size_t last) { each.execute(first, last); });
        });
    }
    void schedule_bulk_unchunked(std::size_t count, bulk_receiver& to, scratch room) noexcept override {
        start(to, room, [count](bulk_receiver& each) {
            parallel_for(std::size_t{0}, count, [&each](std::size_t i) { each.execute(i, i + 1); });
        });
    }

private:
    // It ends before the receiver is told, because the receiver may give away the room in which it lies.
    template <class Receiver, class Work>
    class operation final : public detached {
    public:
        operation(Receiver& to, Work work, bool allocated) : to_(to), work_(std::move(work)), allocated_(allocated) {}
        void run() noexcept override {
            Receiver& to = to_;
            Work work = std::move(work_);
            allocated_ ? delete this : std::destroy_at(this);
            if (stop_requested(to)) return to.set_stopped();
            try {
                work(to);
            } catch (...) {
                return to.set_error(std::current_exception());
            }
            to.set_value();
        }

    private:
        Receiver& to_;
        Work work_;
        bool allocated_;
    };

    template <class Receiver, class Work>
    void start(Receiver& to, scratch room, Work work) noexcept {
        using made = operation<Receiver, Work>;
        void* at = room.data();
        std::size_t size = room.size();
        if (std::align(alignof(made), sizeof(made), at, size))
            return on_.post(*new (at) made(to, std::move(work), false));
        try {
            on_.post(*new made(to, std::move(work), true));
        } catch (const std::bad_alloc&) {
            to.set_error(std::current_exception());
        }
    }
    static bool stop_requested(const receiver& of) noexcept {
        const auto token =
            of.template try_query<detail::token_names::inplace_stop_token>(detail::token_names::get_stop_token);
        return token && token->stop_requested();
    }

    task_scheduler& on_;
};

}  // namespace croft::interop

#endif
