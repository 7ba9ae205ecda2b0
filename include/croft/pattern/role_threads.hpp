#pragma once
// What the threads of one run of a pattern have in common: which cores its roles are pinned to, and what becomes of an
// exception that one of them throws.

#include <cstddef>
#include <exception>
#include <latch>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <croft/memory/ends.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stop_request.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// The core of each of a pattern's roles; empty if they are not pinned: as asked, or because there are too few cores.
// `roles` names them, for the std::invalid_argument that a wrong number of `named` cores is.
inline std::vector<int> place_roles(const std::string& pattern, const char* roles, std::size_t count, bool pinned,
                                    const std::vector<int>& named) {
    if (!pinned) return {};
    if (!named.empty() && named.size() != count)
        throw std::invalid_argument(pattern + ": " + std::to_string(named.size()) + " cores were named for " +
                                    std::to_string(count) + " roles (" + roles + ")");
    if (!named.empty()) return named;
    if (port::core_count() < count) return {};
    std::vector<int> allowed = port::allowed_cores_by_node();
    if (allowed.size() < count) return {};
    allowed.resize(count);
    return allowed;
}

class role_threads {
public:
    // `cores`: see place_roles. `insists`: they were named, so that not to get one is an error.
    role_threads(std::string pattern, stop_request& stop, std::vector<int> cores, bool insists)
        : pattern_(std::move(pattern)), state_(stop), cores_(std::move(cores)), insists_(insists) {}
    ~role_threads() { join(); }
    role_threads(const role_threads&) = delete;
    role_threads& operator=(const role_threads&) = delete;

    int core_of(std::size_t role) const { return cores_.empty() ? any_core : cores_[role]; }

    void pin(std::size_t role) const {
        if (cores_.empty() || port::pin_this_thread(cores_[role]) || !insists_) return;
        throw std::system_error(std::make_error_code(std::errc::invalid_argument),
                                pattern_ + ": no thread can be pinned to core " + std::to_string(cores_[role]));
    }

    // Starts `count` threads that each do body(number), once all are there. Throws std::system_error, and none does
    // anything, if one cannot be started: a channel whose other side does not exist may be waited at for ever.
    template <class Body>
    void start(std::size_t count, Body body) {
        threads_.reserve(count);
        try {
            for (std::size_t i = 0; i < count; ++i)
                threads_.emplace_back([this, i, body] {
                    gate_.wait();
                    if (complete_) body(i);
                });
        } catch (const std::system_error& error) {
            gate_.count_down();
            throw std::system_error(error.code(), pattern_ + ": of " + std::to_string(count) + " threads " +
                                                      std::to_string(threads_.size()) + " could be started");
        }
        complete_ = true;
        gate_.count_down();
    }
    void join() {
        for (std::thread& thread : threads_)
            if (thread.joinable()) thread.join();
    }

    // See run_state.
    template <class Action>
    bool guard(Action action) {
        return state_.guard(action);
    }
    void fail(std::exception_ptr why) { state_.fail(why); }
    // Once all threads were joined.
    void rethrow() { state_.rethrow(); }

private:
    std::string pattern_;
    run_state state_;
    std::vector<int> cores_;
    bool insists_;
    std::latch gate_{1};
    bool complete_ = false;  // written before the gate opens, read behind it
    std::vector<std::thread> threads_;
};

}  // namespace croft::detail
