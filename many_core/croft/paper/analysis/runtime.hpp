#pragma once
// A run-time that runs every task where it is spawned and measures the program's graph meanwhile: `croft run
// --analyze`. One worker does everything, the one that calls run(). Loops are cut as if somebody took every chunk, and
// those without a grain as on a machine of `assumed_workers`.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <croft/paper/analysis/dag_meter.hpp>
#include <croft/paper/analysis/report.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/work.hpp>

namespace croft {

template <class Runtime>
class basic_task;

namespace analysis {

struct runtime {
    class worker;
    using work = detail::work<worker>;
    static constexpr bool counts_tasks = true;
    static constexpr std::size_t assumed_workers = 64;

    // The longest way to the end of any child since the last wait.
    struct join_count {
        join_count& operator=(std::int32_t) { return *this; }
        join_count& operator+=(std::int32_t) { return *this; }
        std::uint64_t latest = 0;
        bool has_children = false;
    };

    template <class First, class Second>
    [[gnu::always_inline]] static void both(worker& here, First& first, Second& second) {
        dag_meter& meter = here.meter;
        meter.end_strand();
        ++here.counts.spawned;
        const std::uint64_t fork = meter.here();
        meter.begin_strand();
        first();
        meter.end_strand();
        const std::uint64_t end_of_first = meter.here();
        meter.go_back(fork);
        meter.begin_strand();
        second();
        meter.end_strand();
        meter.join(end_of_first);
        meter.begin_strand();
    }

    class worker : public detail::crew_member<worker> {
    public:
        struct mark_type {};
        using crew_member::crew_member;

        void spawn(work& child, join_count& parent) {
            meter.end_strand();
            ++counts.spawned;
            const std::uint64_t fork = meter.here();
            meter.begin_strand();
            child.run(child, *this, *this);
            meter.end_strand();
            parent.latest = std::max(parent.latest, meter.here());
            parent.has_children = true;
            meter.go_back(fork);
            meter.begin_strand();
        }
        void wait(join_count& children, mark_type) {
            meter.end_strand();
            if (children.has_children) meter.join(children.latest);
            children.latest = 0;
            children.has_children = false;
            meter.begin_strand();
        }
        mark_type mark() const { return {}; }
        static void child_finished(join_count&, worker&, worker&) {}
        bool should_split() const { return true; }

        // The thread that calls run(), as long as it does. A run() in another scheduler's is that one's strand.
        void enter() {
            if (number() != 0 || open_runs_++ != 0) return;
            meter.reset();
            meter.begin_strand();
        }
        void leave() {
            if (number() != 0 || --open_runs_ != 0) return;
            meter.end_strand();
            the_report.add(meter.so_far());
        }

        // Nobody ever has anything to steal.
        work* steal_from(worker&) { return nullptr; }
        void run_stolen(work&, worker&) {}
        bool offers_work() const { return false; }

        basic_task<runtime>* running = nullptr;
        dag_meter meter;

    private:
        inline static constinit thread_local int open_runs_ = 0;
    };
};

}  // namespace analysis
}  // namespace croft

#endif
