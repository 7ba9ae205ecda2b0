#pragma once
// How a thief asks a worker of interrupt_stealing.hpp and gets an answer of one word. It asks by an interrupt, or, if
// the machine's cores cannot interrupt each other, by a word in the victim's memory. The victim looks at that word when
// it has something new to give, and at each chunk of a loop.

#include <croft/port/handing_over.hpp>
#include <croft/port/port.hpp>

#if defined(CROFT_MANY_CORE)

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace croft::detail {

// Derived has number() and all(), and hand_over(thief, slower): the answer for it, or `nothing`. `slower`: its core is.
template <class Derived>
class steal_requests {
public:
    static constexpr std::uint64_t nothing = 0;

    steal_requests() {
        if (!by_interrupt && port::has(port::feature::software_coherence))
            throw std::runtime_error(
                "croft::interrupt_stealing: no core of this machine can interrupt another, and no hardware keeps its "
                "L1s coherent");
    }

    // ---- the victim ----

    // The thread can be asked from now on.
    void begin_requests() {
        cores_.resize(self().all().size(), unknown);
        core_.store(static_cast<std::int32_t>(port::this_core()), std::memory_order_release);
        if (!interrupts_) return;
        wide_ = port::is_wide_core();
        port::set_interrupt_handler(&interrupted);
        refuse_requests();
        port::enable_interrupts();
    }
    void end_requests() {
        if (interrupts_) port::disable_interrupts();
    }
    // Behind a push: requests are taken again if they were refused.
    void has_something_new() {
        std::atomic_signal_fence(std::memory_order_seq_cst);
        if (notice_.load(std::memory_order_relaxed)) [[unlikely]]
            attend();
    }
    // Between two chunks.
    void look_for_request() {
        if (!interrupts_ && notice_.load(std::memory_order_relaxed)) [[unlikely]]
            attend();
    }
    // Until there is something new: the hardware answers, and the thread goes on undisturbed. (A thief that asks by
    // memory gives up by itself.)
    void refuse_requests() {
        if (!interrupts_) return;
        notice_.store(refuses, std::memory_order_relaxed);
        port::set_interrupt_sources(0);
    }

    // ---- the thief ----

    // All workers, this one among them. Since begin_requests().
    std::size_t workers() const { return cores_.size(); }
    std::uint64_t ask(std::size_t victim) {
        if (!interrupts_) return ask_by_memory(self().all()[victim]);
        if (cores_[victim] == unknown) [[unlikely]]
            if (!find_core(victim)) return nothing;
        port::request_interrupt(cores_[victim],
                                static_cast<std::uint32_t>(self().number()) | (wide_ ? asker_is_wide : 0));
        const std::uint64_t answer = port::await_answer();
        return answer == port::no_answer ? nothing : answer;
    }

private:
    static constexpr std::uint32_t silent = 0, refuses = 1, first_thief = 2;
    static constexpr std::uint64_t no_answer_yet = ~std::uint64_t{0};
    static constexpr int patience = 50;
    static constexpr std::uint32_t asker_is_wide = std::uint32_t{1} << 31;  // in a request, beside its number

    [[gnu::noinline]] void attend() {
        if (!interrupts_) return serve();
        // A handler that comes between the two and refuses again has found nothing to give.
        notice_.store(silent, std::memory_order_relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        port::set_interrupt_sources(port::request_source);
    }
    static void interrupted(std::uint64_t) {
        const port::interrupt_request from = port::taken_request();
        Derived& here = *Derived::current();
        const bool slower = here.wide_ && !(from.word & asker_is_wide);
        port::answer_interrupt(from.core, here.hand_over(here.all()[from.word & ~asker_is_wide], slower));
    }
    // An atomic, because an old copy in a cache must not hide for ever that it is known.
    [[gnu::noinline]] bool find_core(std::size_t victim) {
        steal_requests& other = self().all()[victim];
        const std::int32_t core = other.core_.fetch_or(0, std::memory_order_relaxed);
        if (core >= 0) cores_[victim] = static_cast<std::uint16_t>(core);
        return core >= 0;
    }

    // Acquire: the thief's mailbox, and its answer set back, are seen. Release: the data that it is to read go with the
    // answer.
    void serve() {
        const std::uint32_t asked = notice_.exchange(silent, std::memory_order_acquire);
        if (asked == silent) return;  // it has given up
        Derived& thief = self().all()[asked - first_thief];
        port::traced_leave(thief.answer_, self().hand_over(thief, false), std::memory_order_release);
    }
    std::uint64_t ask_by_memory(Derived& victim) {
        if (notice_.load(std::memory_order_relaxed)) serve();
        std::uint32_t before = silent;
        const auto mine = static_cast<std::uint32_t>(self().number()) + first_thief;
        if (victim.notice_.load(std::memory_order_relaxed) != silent) return nothing;
        answer_.store(no_answer_yet, std::memory_order_relaxed);
        if (!victim.notice_.compare_exchange_strong(before, mine, std::memory_order_release, std::memory_order_relaxed))
            return nothing;
        bool waits = true;
        for (int looks = 1;; ++looks) {
            const std::uint64_t answer = port::traced_take(answer_, std::memory_order_acquire);
            if (answer != no_answer_yet) return answer;
            // Two who ask each other.
            if (notice_.load(std::memory_order_relaxed)) serve();
            port::pause();
            if (!waits || looks < patience) continue;
            before = mine;
            // A victim that has taken the request already will answer.
            if (victim.notice_.compare_exchange_strong(before, silent, std::memory_order_relaxed)) return nothing;
            waits = false;
        }
    }
    Derived& self() { return static_cast<Derived&>(*this); }

    inline static const bool by_interrupt = port::has(port::feature::core_interrupts);
    // Used by the own thread and its handler only, where there are interrupts; else also by the thread that asks.
    alignas(port::cache_line) std::atomic<std::uint32_t> notice_{by_interrupt ? refuses : silent};
    alignas(port::cache_line) std::atomic<std::uint64_t> answer_{0};
    // Which core its thread is on; -1 until that is known.
    alignas(port::cache_line) std::atomic<std::int32_t> core_{-1};
    // The look for work reads these again and again: its own copies, in few lines, and nothing that lies where the
    // linker put it. An L1 of two ways has room for little else in a set, and a line more made idle cores drop theirs
    // all the time.
    alignas(port::cache_line) const bool interrupts_ = by_interrupt;
    bool wide_ = false;
    // The cores of the others, as far as this worker has found out.
    static constexpr std::uint16_t unknown = 0xffff;
    std::vector<std::uint16_t> cores_;
};

}  // namespace croft::detail

#endif
