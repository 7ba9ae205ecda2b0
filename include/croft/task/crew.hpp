#pragma once
// Workers that steal from each other share a crew. A worker with nothing of its own to do steals from the others, for a
// bounded time, and then sleeps.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include <croft/port/port.hpp>
#include <croft/task/idle_workers.hpp>
#include <croft/task/sleeper.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

// Counts since a scheduler was made.
struct task_counts {
    std::uint64_t spawned = 0;  // only by run-times with `counts_tasks`
    std::uint64_t stolen = 0;   // of those, by workers that found none of their own

    task_counts& operator+=(const task_counts& other) {
        spawned += other.spawned;
        stolen += other.stolen;
        return *this;
    }
};

}  // namespace croft::detail

namespace croft::detail {

template <class Worker>
class crew {
public:
    // `spin`: how long an idle worker looks for work before it sleeps. `idle`: threads that are none of the crew now,
    // and may come to help.
    crew(std::size_t workers, std::chrono::nanoseconds spin, idle_workers* idle = nullptr)
        : workers_(*this, workers), spin_(spin), idle_(idle) {}

    std::size_t size() const { return workers_.size; }
    Worker& operator[](std::size_t i) const { return workers_.first[i]; }
    std::chrono::nanoseconds spin() const { return spin_; }

    // All go home; called when none has work.
    void end() {
        ending_.store(true, std::memory_order_release);
        port::light_fence();
        for (std::size_t i = 0; i < size(); ++i) workers_.first[i].wake();
    }
    bool ends() const { return ending_.load(std::memory_order_acquire); }

    // Wakes one of those who sleep, if any, after work for it was published: of the crew, or else one that may come.
    // From `first` on, so that not always the same one gets up.
    void wake_one(std::size_t first) {
        port::light_fence();
        if (members_sleep())
            for (std::size_t i = 0; i < size(); ++i)
                if (workers_.first[(first + i) % size()].wake_claimed()) return;
        if (idle_) idle_->wake_one(first);
    }
    bool somebody_sleeps() const { return members_sleep() || (idle_ && idle_->somebody_sleeps()); }
    // Asked by one that falls asleep, behind its heavy fence: whether there is something for worker `thief`.
    bool offers_work_to(std::size_t thief) {
        for (std::size_t i = 0; i < size(); ++i)
            if (i != thief && workers_.first[i].offers_work()) return true;
        return false;
    }
    const idle_workers* idle() const { return idle_; }
    // Once nobody works.
    task_counts counted() const {
        task_counts all;
        for (std::size_t i = 0; i < size(); ++i) all += workers_.first[i].counts;
        return all;
    }

    sleeper_count<> sleepers;
    [[no_unique_address]] const this_process process;

private:
    // Relaxed: the asker's light fence has seen to it that those that matter are counted (stealing.md).
    bool members_sleep() const { return sleepers.asleep.load(std::memory_order_relaxed) != 0; }

    // Behind each other: fields at one place of each of them then lie at all banks of a shared cache. Allocated one by
    // one they may all lie 16 KiB apart, and one bank had every lock that thieves take.
    struct row {
        row(crew& all, std::size_t workers) : first(std::allocator<Worker>().allocate(workers)), room(workers) {
            try {
                for (; size < room; ++size) std::construct_at(first + size, all, size);
            } catch (...) {
                clear();
                throw;
            }
        }
        ~row() { clear(); }
        row(const row&) = delete;
        row& operator=(const row&) = delete;
        void clear() {
            std::destroy_n(first, size);
            std::allocator<Worker>().deallocate(first, room);
        }

        Worker* first;
        std::size_t room, size = 0;
    } workers_;
    std::chrono::nanoseconds spin_;
    std::atomic<bool> ending_{false};
    idle_workers* idle_;
};

// Derived has steal_from(victim), which returns work or null, run_stolen(work, victim), and offers_work(). A worker
// that falls asleep asks offers_work(), behind its heavy fence, whether there is something to steal. If there will be,
// the asker is woken (stealing.md). Derived may have take_posted(), the newest of its posted tasks (posted_tasks.hpp).
// It may have others of the functions that a thread calls when it becomes this worker, ends being it, or has nothing
// else to do.
template <class Derived>
class crew_member {
public:
    using crew_type = crew<Derived>;

    crew_member(crew_type& all, std::size_t number) : crew_(all), number_(number), random_(2 * number + 1) {}
    crew_member(const crew_member&) = delete;
    crew_member& operator=(const crew_member&) = delete;

    // The worker that the calling thread is, or null.
    static Derived* current() { return current_; }
    static void set_current(Derived* worker) { current_ = worker; }

    crew_type& all() const { return crew_; }
    std::size_t number() const { return number_; }

    // Works for others until done(), which is asked often, and has to acquire what made it true. The thread that makes
    // it true wakes this worker afterwards.
    template <class Done>
    void help_until(Done done) {
        if (done()) return;
        // Every stolen task may wait for others of its own, on top of this stack. A worker that is in very deep only
        // waits. Its wait ends: another worker runs the task that it waits for, and that task cannot be waiting for a
        // task begun after it (stealing.md).
        const bool may_steal = depth_ < deepest;
        ++depth_;
        while (!done())
            if (!find_and_run(may_steal) && !look_around(done, may_steal)) sleep(done, may_steal);
        --depth_;
    }

    // By a thread that is in no region: it becomes this worker, and works as long as there is something. False: there
    // was nothing.
    bool help() {
        current_ = &self();
        self().enter();
        if (!find_and_run(true)) return false;
        while (find_and_run(true)) {
        }
        return true;
    }

    void enter() {}
    void leave() {}
    void work_until_end() {
        help_until([this] { return crew_.ends(); });
    }

    void wake() {
        port::light_fence();
        sleeper_.wake(crew_.sleepers);
    }
    bool wake_claimed() { return sleeper_.wake(crew_.sleepers); }

    task_counts counts;  // by this worker only

private:
    static constexpr int deepest = 200;

    // Its own posted task may be the one it waits for, however deep it is.
    bool find_and_run(bool may_steal) {
        if constexpr (requires { self().take_posted(); })
            if (auto* const found = self().take_posted()) {
                found->run(*found, self(), self());
                return true;
            }
        return may_steal && steal_and_run();
    }
    // One look at every other worker's, beginning anywhere.
    bool steal_and_run() {
        const std::size_t others = crew_.size();
        if (others == 1) return false;
        random_ ^= random_ << 13, random_ ^= random_ >> 7, random_ ^= random_ << 17;
        std::size_t victim = static_cast<std::size_t>((random_ >> 16) % others);
        for (std::size_t i = 0; i < others; ++i, victim = victim + 1 == others ? 0 : victim + 1) {
            if (victim == number_) continue;
            if (auto* found = self().steal_from(crew_[victim])) {
                ++counts.stolen;
                self().run_stolen(*found, crew_[victim]);
                return true;
            }
        }
        return false;
    }
    // For the bounded time of the spin; true: done, or something was run.
    template <class Done>
    bool look_around(Done done, bool may_steal) {
        if (crew_.spin().count() <= 0) return false;
        const auto end = std::chrono::steady_clock::now() + crew_.spin();
        do {
            for (int looks = 0; looks < 16; ++looks) {
                if (done() || find_and_run(may_steal)) return true;
                port::pause();
            }
        } while (std::chrono::steady_clock::now() < end);
        return false;
    }
    template <class Done>
    void sleep(Done done, bool may_steal) {
        crew_.process.check();
        sleeper_.sleep(crew_.sleepers, [&] {
            if (done()) return true;
            return may_steal && crew_.offers_work_to(number_);
        });
    }
    Derived& self() { return static_cast<Derived&>(*this); }

    inline static constinit thread_local Derived* current_ = nullptr;

    crew_type& crew_;
    const std::size_t number_;
    std::uint64_t random_;
    int depth_ = 0;
    sleeper<> sleeper_;
};

}  // namespace croft::detail
