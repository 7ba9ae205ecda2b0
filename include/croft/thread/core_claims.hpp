#pragma once
// The cores of this process's pinned threads. Because of it, two patterns that are pinned and run at the same time do
// not take the same cores. A hint and no lock: with more threads than cores some share one. Pins of other processes
// show only in the cores that are left to this one (taskset, a control group's cpuset).

#include <utility>
#include <vector>

#include <croft/port/compiled.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

class core_claims {
public:
    static core_claims& here();
    // The cores in their order, but those first that fewer threads have.
    std::vector<int> least_claimed_first(std::vector<int> cores);
    void change(const std::vector<int>& cores, int by);

private:
    void begin_in_this_process();

    process_lock lock_;
    std::vector<int> claims_;                     // by core, as far as there was one
    [[no_unique_address]] this_process process_;  // whose they are; in a child there are none
};

// While it lives, these cores are some threads'.
class core_claim {
public:
    explicit core_claim(std::vector<int> cores);
    ~core_claim();
    core_claim(const core_claim&) = delete;
    core_claim& operator=(const core_claim&) = delete;

private:
    std::vector<int> cores_;
    [[no_unique_address]] this_process process_;
};

// The cores that threads may be pinned to, the best ones first. A simulated machine has one program, whose patterns
// take the first ones.
std::vector<int> cores_to_pin();

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/thread/core_claims_body.hpp>
#endif
