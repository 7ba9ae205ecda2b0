#pragma once
// How many threads a run gets if it names no number: one for each core that is left. A run of a pattern and an
// accelerator have their threads for as long as they last, and keep cores busy with them. So a run that asks meanwhile
// gets the cores that they have left, and runs that are begun at the same time share them out. A number that somebody
// names is not changed, and counts for those who come later.
//
// Loops take no share. A scheduler's threads sleep unless there is something to do just then. A loop is over long
// before a run that would have had to do with fewer threads for its sake.
//
// Shares count against each other where their threads may use the same cores (by the affinity of who asks). On a
// simulated machine there are none, and a run that asks gets all cores.

#include <cstddef>
#include <type_traits>
#include <vector>

#include <croft/port/compiled.hpp>
#include <croft/port/port.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

// Whether the thread that asks is one of those that work.
enum class caller { works, has_other_work };

class share_of_cores {
public:
    // So many threads, or, for 0, as many as cores are left; at least one.
    share_of_cores(std::size_t threads, caller asks);
    ~share_of_cores();
    share_of_cores(const share_of_cores&) = delete;
    share_of_cores& operator=(const share_of_cores&) = delete;

    std::size_t threads() const { return threads_; }
    // So many are all that it needs: the others are left to the next.
    void keep(std::size_t threads);

    // How many there would be now.
    static std::size_t left();
    // The threads of all shares, whichever cores they may use. A hint.
    static std::size_t threads_at_work();

    // While it lives, the calling thread is one of a share's, and takes no core more when it asks for one in its turn.
    class at_work {
    public:
        at_work();
        ~at_work();
        at_work(const at_work&) = delete;
        at_work& operator=(const at_work&) = delete;

    private:
        bool before_;
    };

private:
    struct all_shares;
    static all_shares& all();

    std::size_t threads_;
    std::size_t counted_ = 0;  // of them; a caller who is another share's counts there
    std::vector<int> cores_;
    share_of_cores* next_ = nullptr;
    this_process process_;
};

class all_cores {
public:
    all_cores(std::size_t threads, caller asks) : threads_(threads ? threads : number_for(asks)) {}
    std::size_t threads() const { return threads_; }
    void keep(std::size_t) {}
    static std::size_t left() { return port::core_count(); }
    struct at_work {
        at_work() {}  // (else one that is not used would be reported)
    };

private:
    static std::size_t number_for(caller asks) {
        const std::size_t cores = port::core_count();
        return asks == caller::works || cores == 1 ? cores : cores - 1;
    }
    std::size_t threads_;
};

using core_share = std::conditional_t<port::waits_on_lines, all_cores, share_of_cores>;

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/thread/core_share_body.hpp>
#endif
