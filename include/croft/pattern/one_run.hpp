#pragma once
// Something that one run at a time may use: a pattern, whose roles belong to the run, and a stopper. Debug builds
// (without NDEBUG) end with a sentence if a second run takes it meanwhile. That run may be another thread's, or of a
// role of the first, which it could wait for. Other builds do nothing.

#include <mutex>
#include <vector>

#include <croft/port/misuse.hpp>
#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

class one_run {
public:
    // For as long as this lives. (By address: so neither a pattern nor a stopper has anything in it for this.)
    template <class Used>
    one_run([[maybe_unused]] const Used& used, [[maybe_unused]] const char* sentence) {
#if !defined(NDEBUG)
        if constexpr (!port::waits_on_lines) take(used_ = &used, sentence);
#endif
    }
    ~one_run() {
#if !defined(NDEBUG)
        if constexpr (!port::waits_on_lines) give_back(used_);
#endif
    }
    one_run(const one_run&) = delete;
    one_run& operator=(const one_run&) = delete;

private:
    struct all_used {
        process_lock mutex;
        std::vector<const void*> now;
        this_process process;  // whose runs these are; in a child there are none
    };
    static all_used& all() {
        static port::never_destroyed<all_used> one;
        return one.get();
    }
    static void take(const void* used, const char* sentence) {
        const std::lock_guard lock(all().mutex);
        if (!all().process.still()) {
            all().now.clear();
            all().process = this_process();
        }
        for (const void* each : all().now) port::check_use(each != used, sentence);
        all().now.push_back(used);
    }
    static void give_back(const void* used) {
        const std::lock_guard lock(all().mutex);
        std::erase(all().now, used);
    }

    [[maybe_unused]] const void* used_ = nullptr;
};

}  // namespace croft::detail
