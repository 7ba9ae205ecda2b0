#pragma once
// The bodies of core_claims.hpp.

#include <algorithm>
#include <cstddef>
#include <mutex>

#include <croft/memory/ends.hpp>
#include <croft/port/never_destroyed.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/core_claims.hpp>

namespace croft::detail {

CROFT_INLINE core_claims& core_claims::here() {
    if constexpr (port::waits_on_lines) {
        static core_claims one;
        return one;
    } else {
        static port::never_destroyed<core_claims> one;
        return one.get();
    }
}

CROFT_INLINE void core_claims::begin_in_this_process() {
    if (process_.still()) return;
    claims_.clear();
    process_ = this_process();
}

CROFT_INLINE std::vector<int> core_claims::least_claimed_first(std::vector<int> cores) {
    const std::lock_guard guard(lock_);
    begin_in_this_process();
    const auto claims = [this](int core) {
        const auto at = static_cast<std::size_t>(core);
        return at < claims_.size() ? claims_[at] : 0;
    };
    std::stable_sort(cores.begin(), cores.end(), [&](int a, int b) { return claims(a) < claims(b); });
    return cores;
}

CROFT_INLINE void core_claims::change(const std::vector<int>& cores, int by) {
    const std::lock_guard guard(lock_);
    begin_in_this_process();
    for (const int core : cores) {
        if (core == any_core) continue;
        const auto at = static_cast<std::size_t>(core);
        if (at >= claims_.size()) claims_.resize(at + 1);
        claims_[at] += by;
    }
}

CROFT_INLINE core_claim::core_claim(std::vector<int> cores) : cores_(std::move(cores)) {
    if (!cores_.empty()) core_claims::here().change(cores_, 1);
}

CROFT_INLINE core_claim::~core_claim() {
    if (!cores_.empty() && process_.still()) core_claims::here().change(cores_, -1);
}

CROFT_INLINE std::vector<int> cores_to_pin() {
    std::vector<int> cores = port::allowed_cores_by_node();
    if constexpr (!port::waits_on_lines) return core_claims::here().least_claimed_first(std::move(cores));
    return cores;
}

}  // namespace croft::detail
