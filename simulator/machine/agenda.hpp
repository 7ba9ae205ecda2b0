#pragma once
// When each node acts next. Most nodes wait, and those that act do so within few cycles of each other. So they are
// found by time, in a ring of slots of one cycle each, without a look at the rest.
//
// The ring has the nodes that act in [now, now + slots), those of each slot as a doubly linked list. All others that
// act at all are in one list beyond it. The list is gone through only when the ring has come as far as its first node.

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/archive.hpp"
#include "base/time.hpp"
#include "machine/cycle_ring.hpp"

namespace croftsim {

class Agenda {
public:
    static constexpr std::uint32_t slots = CycleRing::slots;

    explicit Agenda(std::size_t nodes) : nodes_(nodes) { heads_.fill(none); }

    // When the node acts next, which is not before `now`; `never`: not at all.
    void set(std::uint32_t node, std::uint64_t time) {
        if (nodes_[node].time == time) return;
        leave(node);
        nodes_[node].time = time;
        enter(node);
    }
    // No node acts before `now` any more. It does not go back.
    void advance_to(std::uint64_t now) {
        now_ = now;
        if (beyond_ < now + slots) refill();
    }

    struct Earliest {
        std::uint64_t first = never, second = never;  // of two nodes, maybe at the same time
    };
    Earliest earliest() {
        const std::uint64_t first = first_from(now_);
        if (first == never) return heads_[slots] == none ? Earliest{} : least_beyond();
        if (nodes_[head_of(first)].behind != none) return {first, first};
        const std::uint64_t second = first_from(first + 1);
        return {first, second == never ? beyond_ : second};
    }

    // The nodes that act before `bound`, in the order of their times.
    void before(std::uint64_t bound, std::vector<std::uint32_t>& to) const {
        for (std::uint64_t time = first_from(now_); time < bound; time = first_from(time + 1))
            for (std::uint32_t node = head_of(time); node != none; node = nodes_[node].behind) to.push_back(node);
        if (beyond_ >= bound) return;
        for (std::uint32_t node = heads_[slots]; node != none; node = nodes_[node].behind)
            if (nodes_[node].time < bound) to.push_back(node);
    }

    // Which node is in front of which within a slot changes nothing; it is kept as it is so that nobody has to prove
    // that.
    void serialise(Archive& archive) {
        archive(now_, occupied_, heads_, beyond_);
        archive.each(nodes_);
        for (const std::uint32_t head : heads_) check(head);
        for (const Node& node : nodes_) {
            check(node.before);
            check(node.behind);
            if (node.list != none && node.list > slots) Archive::damaged();
        }
    }

private:
    static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
    struct Node {
        static constexpr bool is_plain = true;
        std::uint64_t time = never;
        std::uint32_t before = none, behind = none;  // in its list
        std::uint32_t list = none;                   // a slot of the ring, or `slots`: beyond it
    };

    void check(std::uint32_t node) const {
        if (node != none && node >= nodes_.size()) Archive::damaged();
    }
    std::uint64_t first_from(std::uint64_t time) const { return occupied_.first(time, now_ + slots); }
    std::uint32_t head_of(std::uint64_t time) const { return heads_[CycleRing::slot_of(time)]; }

    void enter(std::uint32_t node) {
        Node& entry = nodes_[node];
        if (entry.time == never) return;
        assert(entry.time >= now_ && "a node acts in the past");
        if (entry.time - now_ < slots) {
            entry.list = CycleRing::slot_of(entry.time);
            occupied_.insert(entry.list);
        } else {
            entry.list = slots;
            if (entry.time < beyond_) beyond_ = entry.time;
        }
        entry.before = none;
        entry.behind = heads_[entry.list];
        if (entry.behind != none) nodes_[entry.behind].before = node;
        heads_[entry.list] = node;
    }
    void leave(std::uint32_t node) {
        Node& entry = nodes_[node];
        if (entry.list == none) return;
        if (entry.behind != none) nodes_[entry.behind].before = entry.before;
        if (entry.before != none) {
            nodes_[entry.before].behind = entry.behind;
        } else {
            heads_[entry.list] = entry.behind;
            if (entry.behind == none) {
                if (entry.list < slots)
                    occupied_.erase(entry.list);
                else
                    beyond_ = never;
            }
        }
        entry.list = none;
    }
    // Into the ring with those for which it has room now.
    void refill() {
        beyond_ = never;
        for (std::uint32_t node = heads_[slots], behind; node != none; node = behind) {
            behind = nodes_[node].behind;
            if (nodes_[node].time - now_ < slots) {
                leave(node);
                enter(node);
            } else {
                beyond_ = beyond_ < nodes_[node].time ? beyond_ : nodes_[node].time;
            }
        }
    }
    Earliest least_beyond() {
        Earliest least;
        for (std::uint32_t node = heads_[slots]; node != none; node = nodes_[node].behind) {
            const std::uint64_t time = nodes_[node].time;
            least.second = std::min(least.second, std::max(least.first, time));
            least.first = std::min(least.first, time);
        }
        beyond_ = least.first;
        return least;
    }

    std::uint64_t now_ = 0;
    CycleRing occupied_;                          // the slots that are not empty
    std::array<std::uint32_t, slots + 1> heads_;  // the last: beyond the ring
    std::uint64_t beyond_ = never;                // no node beyond the ring acts before
    std::vector<Node> nodes_;
};
static_assert(is_listed<Agenda, 1104>);

}  // namespace croftsim
