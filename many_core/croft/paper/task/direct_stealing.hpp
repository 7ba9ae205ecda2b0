#pragma once
// Paper 002, figure 3c: direct task stealing by user-level interrupts, on a many-core that has them. The protocol is in
// interrupt_protocol.hpp; this is its run-time. Natively its idea is croft::direct_stealing.

#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <croft/paper/task/interrupt_protocol.hpp>
#include <croft/paper/task/join.hpp>
#include <croft/paper/task/thief_pause.hpp>
#include <croft/paper/task/user_interrupts.hpp>
#include <croft/paper/task/work.hpp>
#include <croft/task/crew.hpp>
#include <croft/task/victims.hpp>

namespace croft {

template <class Runtime>
class basic_task;

namespace paper {

// World and Form: as in interrupt_protocol.hpp.
template <class Victims = victims::random, class World = user_interrupts, class Form = corrected>
struct basic_direct_stealing {
    class worker;
    using join_count = interruptible_count<World>;
    using work = paper::work<worker, join_count>;
    static constexpr bool counts_tasks = true;

    template <class First, class Second>
    static void both(worker& here, First& first, Second& second) {
        paper::both<basic_direct_stealing>(here, first, second);
    }

    class worker : public detail::crew_member<worker>, public interrupt_protocol<worker, work, World, Form> {
        using base = detail::crew_member<worker>;
        using protocol = interrupt_protocol<worker, work, World, Form>;
        friend protocol;

    public:
        struct mark_type {};
        worker(typename base::crew_type& all, std::size_t number) : base(all, number), victims_(number) {
            if (!port::has(port::feature::core_interrupts))
                throw std::runtime_error(
                    "croft::paper::direct_stealing: no core of this machine can interrupt another");
        }

        void spawn(work& child, join_count& parent) {
            ++this->counts.spawned;
            protocol::spawn(child, parent);
        }
        void wait(join_count& parent, mark_type) { protocol::wait(parent); }

        // The thread is this worker from now on, and can be stolen from.
        void enter() {
            core_.store(static_cast<std::int32_t>(port::this_core()), std::memory_order_release);
            port::set_interrupt_handler(&interrupted);
            port::set_interrupt_sources(port::request_source);
            if (Form::listens_while_empty) port::enable_interrupts();  // else with the first task in the queue
        }
        void leave() { port::disable_interrupts(); }
        void work_until_end() {
            while (!this->all().ends())  // acquires, so seldom
                for (int i = 0; i < 64; ++i) steal_once();
        }

        mark_type mark() const { return {}; }
        static void child_finished(join_count&, worker&, worker&) {}  // the loops count
        bool should_split() const { return true; }
        void run(work& child, worker& owner) { child.run(child, *this, owner); }

        basic_task<basic_direct_stealing>* running = nullptr;

        // Asked of every worker by the crew, which never sleeps here.
        work* steal_from(worker&) { return nullptr; }
        void run_stolen(work&, worker&) {}
        bool offers_work() const { return false; }

    private:
        void steal_once() {
            if (this->all().size() == 1) return;
            worker& victim = this->all()[victims_.choose(this->all().size())];
            const std::int32_t core = victim.core_of();
            if (core < 0) return;
            port::request_interrupt(static_cast<unsigned>(core), static_cast<std::uint32_t>(this->number()));
            // One request at a time, and the answer says whether there is something, so a mailbox is never overwritten
            // before it was read.
            if (port::await_answer() != handed_over) return pause_.wait(this->all().size());
            ++this->counts.stolen;
            this->take_from_mailbox(victim);
        }
        static void interrupted(std::uint64_t) {
            const port::interrupt_request from = port::taken_request();
            worker& here = *worker::current();
            const bool given = here.hand_over(here.all()[from.word]);
            port::answer_interrupt(from.core, given ? handed_over : nothing);
        }
        // Which core its thread is on; -1 until that is known, which an old copy in a cache must not keep for ever.
        std::int32_t core_of() {
            const std::int32_t core = core_.load(std::memory_order_relaxed);
            return core >= 0 ? core : core_.fetch_or(0, std::memory_order_relaxed);
        }

        static constexpr std::uint64_t nothing = 0, handed_over = 1;
        std::atomic<std::int32_t> core_{-1};
        thief_pause pause_;
        Victims victims_;
    };
};

using direct_stealing = basic_direct_stealing<>;

}  // namespace paper
}  // namespace croft

#endif
