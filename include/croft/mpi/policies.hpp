#pragma once
// How the threads of a pattern across processes wait: as natively, by a doorbell; but one that waits for MPI as well
// would not be rung by it. That one naps: it looks, MPI included, for as long as a doorbell spins, then sleeps for a
// while, during which its own process's threads may still ring, and looks again, once; each time it finds nothing it
// sleeps twice as long, up to a bound. So what comes by MPI waits `most` longer than it would at worst, after a pause,
// and a process with nothing to do leaves its core to others for all but a fiftieth of the time.

#include <algorithm>
#include <atomic>
#include <chrono>

#include <croft/channel/doorbell.hpp>
#include <croft/channel/policies.hpp>

namespace croft::mpi {

class napping_doorbell {
    using bell = waits::doorbell<std::atomic, waits::operating_system>;

public:
    static constexpr std::chrono::nanoseconds least{20'000}, most{1'000'000};

    void share_cores() {
        bell_.share_cores();
        shares_ = true;
    }
    // Its owner waits for what does not ring. To be called by it, or before it runs.
    void nap() { naps_ = true; }

    template <class Scan>
    void wait(Scan scan) {
        if (!naps_) return bell_.wait(scan);
        if (!shares_) bell_.spin_for(nap_ == least ? bell::default_spin : std::chrono::nanoseconds(0));
        // (A doorbell scans once more before it sleeps, so what MPI has brought is found before each nap.)
        if (bell_.wait_until(scan, std::chrono::steady_clock::now() + nap_))
            nap_ = least;
        else
            nap_ = std::min(2 * nap_, most);
    }
    template <class Scan>
    bool wait_until(Scan scan, deadline end) {
        if (!naps_) return bell_.wait_until(scan, end);
        wait(scan);
        return std::chrono::steady_clock::now() < end;
    }
    void notify() { bell_.notify(); }

private:
    bell bell_;
    std::chrono::nanoseconds nap_ = least;
    bool naps_ = false, shares_ = false;
};

struct policies : croft::policies {
    using wait = napping_doorbell;
};

}  // namespace croft::mpi
