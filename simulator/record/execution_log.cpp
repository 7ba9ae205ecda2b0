#include "record/execution_log.hpp"

#include <algorithm>
#include <type_traits>

#include "base/time.hpp"

namespace croftsim {

void ExecutionLog::follow(std::span<const Followed> functions) {
    followed_ = functions;
    for (const Followed& function : functions) followed_bits_ |= std::uint64_t{1} << (function.address / 2 % 64);
}

void ExecutionLog::follow(std::uint64_t next, const std::uint64_t* x) {
    constexpr int ra = 1, sp = 2, a0 = 10, a1 = 11;
    if (next == inside_.return_address && x[sp] == inside_.sp) {
        tell(Returned{next, inside_.first, inside_.second, x[a0], inside_.which});
        inside_ = {};
        return;
    }
    // One that has been left by an exception or longjmp() is over where the stack is above it again.
    if (inside_.return_address != nowhere && x[sp] <= inside_.sp) return;
    const auto function = std::ranges::find(followed_, next, &Followed::address);
    if (function != followed_.end()) inside_ = {x[ra], x[sp], x[a0], x[a1], function->which};
}

std::uint64_t ExecutionLog::first_left() const {
    std::uint64_t time = never;
    events_.find(events_.end(), [&]<class One>(const One& event) {
        if constexpr (std::is_same_v<One, Accessed> || std::is_same_v<One, Flows>) time = event.time;
        return time != never;
    });
    return time;
}

}  // namespace croftsim
