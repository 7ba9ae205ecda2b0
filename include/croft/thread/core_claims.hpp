#pragma once
// Which cores the pinned threads of this process have, so that two patterns that are pinned and run at the same time do
// not take the same ones. A hint and no lock: with more threads than cores some share one. What other processes have
// pinned shows only in the cores that are left to this one (taskset, a control group's cpuset).

#include <algorithm>
#include <cstddef>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include <croft/memory/ends.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

class core_claims {
public:
    static core_claims& here() {
        static core_claims one;
        return one;
    }
    // The cores in their order, but those first that fewer threads have.
    std::vector<int> least_claimed_first(std::vector<int> cores) {
        const std::lock_guard guard(lock_);
        std::stable_sort(cores.begin(), cores.end(), [this](int a, int b) { return count(a) < count(b); });
        return cores;
    }
    void change(const std::vector<int>& cores, int by) {
        const std::lock_guard guard(lock_);
        for (const int core : cores)
            if (core != any_core) claims_[core] += by;
    }

private:
    int count(int core) const {
        const auto found = claims_.find(core);
        return found == claims_.end() ? 0 : found->second;
    }

    std::mutex lock_;
    std::map<int, int> claims_;
};

// While it lives, these cores are some threads'.
class core_claim {
public:
    explicit core_claim(std::vector<int> cores) : cores_(std::move(cores)) {
        if (!cores_.empty()) core_claims::here().change(cores_, 1);
    }
    ~core_claim() {
        if (!cores_.empty()) core_claims::here().change(cores_, -1);
    }
    core_claim(const core_claim&) = delete;
    core_claim& operator=(const core_claim&) = delete;

private:
    std::vector<int> cores_;
};

// The cores that threads may be pinned to, the best ones first. A simulated machine has one program, whose patterns
// take the first ones.
inline std::vector<int> cores_to_pin() {
    std::vector<int> cores = port::allowed_cores_by_node();
    if constexpr (!port::waits_on_lines) return core_claims::here().least_claimed_first(std::move(cores));
    return cores;
}

}  // namespace croft::detail
