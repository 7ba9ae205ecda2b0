#pragma once
// The ways of an item from worker to worker (paper 001, V.B, figure 13). Worker 0 is the root of a binary tree that is
// mapped depth-first. The root of a branch of n workers sends to two. The next worker is its left branch, and the one
// 2^(i-1) behind it its right one, where i is the least level with n < 2^i. A branch is a range of workers, so its
// share of an item is one piece. With N = 2^i - 1 the tree is complete. With any other N the right branch is the
// smaller one, and no worker is more than log2 N steps from the root.

#include <bit>
#include <cstddef>
#include <vector>

#include <croft/pattern/map_options.hpp>

namespace croft::detail {

// The branches that worker `root.first` sends to, of those that begin with it.
inline std::vector<share> branches(share root) {
    std::vector<share> found;
    if (root.count < 2) return found;
    const std::size_t half = std::size_t{1} << (std::bit_width(root.count) - 1);
    found.push_back({root.first + 1, half - 1, root.workers});
    if (root.count > half) found.push_back({root.first + half, root.count - half, root.workers});
    return found;
}

// The branch within `all` that begins with that worker.
inline share branch_of(std::size_t worker, share all) {
    while (all.first != worker) {
        share next = all;
        for (const share& each : branches(all))
            if (each.first <= worker) next = each;
        all = next;
    }
    return all;
}

// For each worker the branch that begins with it.
inline void collect_branches(share root, std::vector<share>& of_worker) {
    of_worker[root.first] = root;
    for (const share& branch : branches(root)) collect_branches(branch, of_worker);
}

// The whole plan.
class multicast {
public:
    // `by_worker`: the emitter is worker 0, and sends as it does.
    multicast(distribution how, std::size_t workers, bool by_worker) : branch_(workers) {
        if (how == distribution::tree) {
            const share all{0, workers, workers};
            collect_branches(all, branch_);
            if (!by_worker) first_.push_back(all);
        } else {
            for (std::size_t i = 0; i < workers; ++i) branch_[i] = {i, 1, workers};
            for (std::size_t i = by_worker ? 1 : 0; i < workers; ++i) first_.push_back(branch_[i]);
        }
        if (by_worker && how == distribution::tree) first_ = branches(branch_[0]);
    }

    // To whom the emitter sends.
    const std::vector<share>& of_emitter() const { return first_; }
    // To whom a worker does, other than as the emitter.
    std::vector<share> of_worker(std::size_t worker) const { return branches(branch_[worker]); }
    // The workers for which a worker, or the emitter, is sent items.
    share branch(std::size_t worker) const { return branch_[worker]; }

private:
    std::vector<share> branch_, first_;
};

}  // namespace croft::detail
