#pragma once
// The calls that are under way on a core, found by following its calls and returns, without an unwinder.
//
// A frame ends when control comes to its return address by a return, or by the end of a handler. But programs leave
// functions otherwise, too: by longjmp, by an exception's landing pad, by switching to another stack. Then the stack
// pointer tells. A function that was called at stack pointer s is over if the stack pointer is above s at a transfer.
// It is also over if the stack pointer is at s at a call, because a function that calls another has a frame below s. A
// tail call is a jump, and leaves no trace but in the function that runs.

#include <cstdint>
#include <vector>

#include "record/call_tree.hpp"

namespace croftsim {

class CallStack {
public:
    explicit CallStack(CallTree& tree) : tree_(tree) {}

    std::uint32_t node() const { return frames_.empty() ? CallTree::root : frames_.back().node; }
    std::size_t depth() const { return frames_.size(); }

    void call(std::uint64_t return_address, std::uint64_t sp, bool is_interrupt = false) {
        if (!is_interrupt)
            while (!frames_.empty() && frames_.back().sp <= sp && !frames_.back().is_interrupt) frames_.pop_back();
        // A recursion as deep as that has told all there is to tell.
        const bool is_deep = frames_.size() >= deepest;
        const std::uint32_t called = is_deep ? node() : tree_.call(node(), return_address, is_interrupt);
        frames_.push_back({return_address, sp, called, is_interrupt});
    }
    // A return, or the end of a handler.
    void go_back(std::uint64_t target, std::uint64_t sp) {
        for (std::size_t at = frames_.size(); at-- > 0;) {
            if (frames_[at].return_address == target && frames_[at].sp == sp) return frames_.resize(at);
            // An interrupted program goes on where it was: what it had called is still there.
            if (frames_[at].is_interrupt) break;
        }
        jump(sp);
    }
    // Any other indirect jump.
    void jump(std::uint64_t sp) {
        while (!frames_.empty() && frames_.back().sp < sp && !frames_.back().is_interrupt) frames_.pop_back();
    }
    void clear() { frames_.clear(); }

private:
    static constexpr std::size_t deepest = 256;
    struct Frame {
        std::uint64_t return_address, sp;
        std::uint32_t node;
        bool is_interrupt;
    };
    CallTree& tree_;
    std::vector<Frame> frames_;
};

}  // namespace croftsim
