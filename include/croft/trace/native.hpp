#pragma once
// Marks and landmarks (croft/port/marks.hpp) in a native program that is built with CROFT_TRACE. Each thread keeps
// those that it came by, and when. At its exit the program writes them to a file for ui.perfetto.dev. The environment's
// CROFT_TRACE_FILE names it; otherwise it is croft-trace.pftrace.
//
// One costs a look at the clock and 24 bytes. A thread keeps `most` of them; later ones are not recorded, and a
// sentence says so. If a program ends otherwise than by its exit, there is no file.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include <croft/trace/perfetto_file.hpp>

namespace croft::trace::native {

// The names of landmarks.
inline constexpr const char *task = "task", *stolen_task = "stolen task", *emitter = "emitter", *worker = "worker",
                            *collector = "collector";

// The marks that one thread came by. It alone adds; whoever writes the file may read beside it.
class thread_log {
public:
    static constexpr std::size_t most = std::size_t{1} << 23;

    void add(event_type type, const char* text) {
        if (count_ == most) return;
        const std::size_t at = count_ % of_block;
        if (at == 0) latest_ = add_block();
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        latest_->events[at] = {
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count()), text, type};
        ++count_;
        latest_->count.store(at + 1, std::memory_order_release);
    }

    template <class Take>
    void each(Take take) const {
        for (const block* one = &first_; one; one = one->next.load(std::memory_order_acquire)) {
            const std::size_t count = one->count.load(std::memory_order_acquire);
            for (std::size_t i = 0; i < count; ++i) take(one->events[i]);
        }
    }

private:
    static constexpr std::size_t of_block = 4096;
    struct block {
        std::array<event, of_block> events;
        std::atomic<std::size_t> count{0};
        std::atomic<block*> next{nullptr};
    };
    block* add_block() {
        if (!latest_) return &first_;
        auto* const made = new block;
        latest_->next.store(made, std::memory_order_release);
        return made;
    }

    block first_;
    block* latest_ = nullptr;
    std::size_t count_ = 0;
};

// All threads'. They are never freed: a thread may come by something while the program exits.
class log {
public:
    static log& all() {
        static log* const one = new log;
        return *one;
    }
    thread_log& add_thread() {
        auto* const made = new thread_log;
        const std::lock_guard guard(lock_);
        threads_.push_back(made);
        return *made;
    }

private:
    log() {
        std::atexit([] { all().write(); });
    }
    void write() {
        const char* const named = std::getenv("CROFT_TRACE_FILE");
        const char* const path = named && *named ? named : "croft-trace.pftrace";
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path, "wb"), &std::fclose);
        if (!file) {
            std::fprintf(stderr, "croft: %s: the trace cannot be written\n", path);
            return;
        }
        const std::lock_guard guard(lock_);
        perfetto_file to(*file);
        for (std::size_t i = 0; i < threads_.size(); ++i) {
            std::size_t count = 0;
            to.begin_thread(i);
            threads_[i]->each([&](const event& one) { to.add(one), ++count; });
            to.end_thread();
            if (count == thread_log::most)
                std::fprintf(stderr, "croft: %s: of thread %zu what comes behind its first %zu events is left out\n",
                             path, i, count);
        }
        if (!to.finish()) std::fprintf(stderr, "croft: %s: the trace could not be written wholly\n", path);
    }

    std::mutex lock_;
    std::vector<thread_log*> threads_;
};

inline thread_log& here() {
    thread_local thread_log& mine = log::all().add_thread();
    return mine;
}
inline void instant(const char* text) { here().add(event_type::instant, text); }
inline void begin(const char* text) { here().add(event_type::begin, text); }
inline void end() { here().add(event_type::end, nullptr); }

}  // namespace croft::trace::native
