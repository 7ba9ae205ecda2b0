#pragma once
// A task scheduler as P2300's scheduler (P2300R10, [exec.sched]; its sender [exec.snd], its operation state
// [exec.opstate]; C++26, clause 33 [exec]). It is a light handle, whose schedule() is a sender that completes on one of
// the scheduler's threads.
//
// Which library's senders these are is a parameter, since the tags have to be that library's: senders.hpp names the one
// that is there. A Library has
//
//   sender_tag, scheduler_tag, operation_state_tag, set_value_t, set_stopped_t, completion_signatures<...>,
//   get_completion_scheduler_t<Tag>, get_forward_progress_guarantee_t    the names of [exec.syn]
//   parallel                               what its forward_progress_guarantee calls so
//   unstoppable<Env...>                    whether no stop can be requested in such an environment, or there is none
//   environment_of<Receiver>, stop_requested(receiver)
//
// A receiver gets set_value() on a worker, in a region of its own, so that parallel loops in its continuation are
// helped with. It gets set_stopped(), there too, if a stop was requested by then and its token allows for one. It never
// gets an error: a start needs no memory and no further thread (task/detached.hpp). Once it has begun, it has a thread
// to itself until it ends. So an operation that it waits for need not be on the same thread's stack: forward progress
// is `parallel`.
//
// bulk is not customised: how a scheduler's domain is asked for it has changed with every revision of the proposal.
// There is the parallel scheduler's backend instead (parallel_scheduler.hpp), and a parallel_for in a `then`.

#include <utility>

#include <croft/task/detached.hpp>
#include <croft/task/scheduler.hpp>

namespace croft::interop {

template <class Library>
class sender_scheduler {
    using set_value_t = typename Library::set_value_t;
    using set_stopped_t = typename Library::set_stopped_t;
    template <class Tag>
    using get_completion_scheduler_t = typename Library::template get_completion_scheduler_t<Tag>;
    template <class... Signatures>
    using completion_signatures = typename Library::template completion_signatures<Signatures...>;

public:
    using scheduler_concept = typename Library::scheduler_tag;

    template <class Receiver>
    class operation final : detached {
    public:
        using operation_state_concept = typename Library::operation_state_tag;

        operation(task_scheduler& on, Receiver&& receiver) : on_(on), receiver_(std::move(receiver)) {}
        void start() & noexcept { on_.post(*this); }

    private:
        // The receiver may destroy this operation.
        void run() noexcept override {
            if constexpr (!Library::template unstoppable<typename Library::template environment_of<Receiver>>)
                if (Library::stop_requested(receiver_)) return set_stopped_t()(std::move(receiver_));
            set_value_t()(std::move(receiver_));
        }

        task_scheduler& on_;
        Receiver receiver_;
    };

    // The sender's attributes: where it completes, whichever way.
    class attributes {
    public:
        explicit attributes(task_scheduler& on) : on_(&on) {}
        sender_scheduler query(get_completion_scheduler_t<set_value_t>) const noexcept { return sender_scheduler(on_); }
        sender_scheduler query(get_completion_scheduler_t<set_stopped_t>) const noexcept {
            return sender_scheduler(on_);
        }

    private:
        task_scheduler* on_;
    };

    class sender {
    public:
        using sender_concept = typename Library::sender_tag;

        template <class, class... Env>
        static consteval auto get_completion_signatures() noexcept {
            if constexpr (Library::template unstoppable<Env...>)
                return completion_signatures<set_value_t()>();
            else
                return completion_signatures<set_value_t(), set_stopped_t()>();
        }
        template <class Receiver>
        operation<Receiver> connect(Receiver receiver) const {
            return operation<Receiver>(*on_, std::move(receiver));
        }
        attributes get_env() const noexcept { return attributes(*on_); }

    private:
        friend sender_scheduler;
        explicit sender(task_scheduler& on) : on_(&on) {}
        task_scheduler* on_;
    };

    // `on` has to outlive all that is started here. Throws std::system_error if its thread for posts cannot be started.
    explicit sender_scheduler(task_scheduler& on) : on_(&on) { on.begin_posts(); }

    sender schedule() const noexcept { return sender(*on_); }
    auto query(typename Library::get_forward_progress_guarantee_t) const noexcept { return Library::parallel; }
    bool operator==(const sender_scheduler&) const noexcept = default;

private:
    explicit sender_scheduler(task_scheduler* on) noexcept : on_(on) {}
    task_scheduler* on_;
};

}  // namespace croft::interop
