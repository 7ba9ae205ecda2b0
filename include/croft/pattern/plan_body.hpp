#pragma once
// The bodies of plan.hpp.

#include <stdexcept>

#include <croft/pattern/plan.hpp>

namespace croft {

CROFT_INLINE std::string plan::to_string() const {
    std::string text;
    for (std::size_t i = 0; i < threads; ++i) {
        text += "thread " + std::to_string(i);
        if (!cores.empty()) text += ", core " + std::to_string(cores[i]);
        const char* separator = ": ";
        for (const plan::role& each : roles)
            if (each.thread == i) {
                text += separator + each.name;
                separator = ", ";
            }
        text += '\n';
    }
    return text;
}

CROFT_INLINE void plan::check() const {
    if (threads == 0) throw std::invalid_argument("croft::plan: there has to be a thread");
    if (!cores.empty() && cores.size() != threads)
        throw std::invalid_argument("croft::plan: " + std::to_string(cores.size()) + " cores for " +
                                    std::to_string(threads) + " threads");
    for (const plan::role& each : roles)
        if (each.thread >= threads)
            throw std::invalid_argument("croft::plan: " + each.name + " is on thread " + std::to_string(each.thread) +
                                        " of " + std::to_string(threads));
    if (!roles.empty() && roles.front().kind == plan::role_kind::source && roles.front().thread != 0)
        throw std::invalid_argument("croft::plan: the source runs on the calling thread, which is thread 0");
}

}  // namespace croft
