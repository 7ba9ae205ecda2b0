#pragma once
// A waiter's look (channel/wait.hpp), whatever its type: for waits that are long beside a call of a function. There is
// one for each place that waits, and each of the waiter's loops would be compiled for each of them.

#include <memory>

#include <croft/channel/flag.hpp>

namespace croft::mpi::detail {

// It refers to one that outlives it.
class any_scan {
public:
    template <class Scan>
    static any_scan of(Scan& scan) {
        return {std::addressof(scan), [](void* which) {
                    return static_cast<bool>((*static_cast<Scan*>(which))(croft::detail::relaxed_load{}));
                }};
    }
    bool operator()(croft::detail::relaxed_load) const { return look_(scan_); }

private:
    any_scan(void* scan, bool (*look)(void*)) : scan_(scan), look_(look) {}

    void* scan_;
    bool (*look_)(void*);
};

}  // namespace croft::mpi::detail
