#pragma once
// The host's floating-point mode while the simulator computes with the host's unit.

#include <cfenv>

namespace croftsim::fp {

// While it lives, the calling thread rounds to nearest and computes with subnormal numbers; then it has the mode it had
// before. One per run suffices. It is there because a thread inherits the mode from the thread that starts it. A shared
// library that was linked with -ffast-math makes every thread of a Python process flush subnormals to zero.
class HostEnvironment {
public:
    HostEnvironment() {
        std::fegetenv(&saved_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~HostEnvironment() { std::fesetenv(&saved_); }
    HostEnvironment(const HostEnvironment&) = delete;
    HostEnvironment& operator=(const HostEnvironment&) = delete;

private:
    std::fenv_t saved_;
};

}  // namespace croftsim::fp
