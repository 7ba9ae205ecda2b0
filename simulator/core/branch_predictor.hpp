#pragma once
// Where an out-of-order core goes on fetching before it knows. It has the tournament predictor of the Alpha 21264
// (Kessler, IEEE Micro 19(2), 1999). For each branch that predictor chooses between the branch's own last outcomes and
// those of all branches. There are also the targets of the control transfers taken last, and a stack of return
// addresses.
//
// A core may have gem5's predictor of indirect jumps, too. That is a table of targets, found by the jump's address, the
// global history and the targets of the indirect jumps before it. It learns from jumps that were mispredicted. It
// predicts an unknown jump to fall through, a return as well if there is no stack.
//
// The histories and the stack follow the predicted path, so they are taken back with it. The tables learn only from
// instructions that retire, in the program's order.

#include <cstdint>
#include <cstring>
#include <vector>

#include "base/archive.hpp"
#include "contract/description.hpp"

namespace croftsim {

class BranchPredictor {
public:
    explicit BranchPredictor(const OutOfOrderDescription& shape);

    // A prediction, and the state with which it is taken back or learned from.
    struct Prediction {
        bool taken = false;
        bool local = false, global = false;  // what each of the two said
        std::uint8_t top = 0;                // of the stack, before
        std::uint32_t history = 0;           // global, before
        std::uint32_t local_history = 0;
        std::uint32_t set = 0;         // of an indirect jump
        std::uint64_t returns_to = 0;  // what lay in the stack's place that was written
        std::uint64_t path = 0;        // before
    };

    // The present state, for a control transfer that changes none of it.
    Prediction here() const { return {true, false, false, top_, history_, 0, 0, stack_[above()], path_}; }
    // A branch: which way. From now on that is its outcome in the history.
    Prediction branch(std::uint64_t pc);
    // The target of a control transfer that is taken, or 0 if it is not known.
    std::uint64_t target(std::uint64_t pc) const {
        const Target& entry = targets_[pc / 2 & targets_mask_];
        return entry.pc == pc ? entry.to : 0;
    }
    bool has_stack() const { return has_stack_; }
    void call(std::uint64_t returns_to) {
        if (!has_stack_) return;
        top_ = above();
        set(stack_[top_], returns_to);
    }
    bool predicts_indirect() const { return !indirect_.empty(); }
    // The target of an indirect jump, or `behind` if it is not known. From now on that is the latest in the path.
    std::uint64_t indirect(std::uint64_t pc, std::uint64_t behind, Prediction& made);
    // 0 if there is none.
    std::uint64_t return_address() {
        const std::uint64_t to = stack_[top_];
        top_ = static_cast<std::uint8_t>(top_ == 0 ? stack_.size() - 1 : top_ - 1);
        return to;
    }

    // The instruction, and all behind it, did not happen. The youngest of several comes first.
    void undo(const Prediction& prediction);
    // A branch went the other way. All behind it has been undone.
    void correct(const Prediction& prediction, bool taken) {
        history_ = (prediction.history << 1 | (taken ? 1 : 0)) & history_mask_;
    }
    // An indirect jump went elsewhere. All behind it has been undone.
    void correct_path(const Prediction& prediction, std::uint64_t to) { path_ = path_behind(prediction.path, to); }
    // It has retired.
    void learn_branch(std::uint64_t pc, const Prediction& prediction, bool taken);
    void learn_indirect(std::uint64_t pc, const Prediction& prediction, std::uint64_t to);
    void learn_target(std::uint64_t pc, std::uint64_t to) {
        Target& target = targets_[pc / 2 & targets_mask_];
        set(target.pc, pc);
        set(target.to, to);
    }

    // Everything from now on may be taken back as a whole.
    void begin_trial() {
        tries_ = true;
        journaled_ = 0;
        history_before_ = history_;
        path_before_ = path_;
        top_before_ = top_;
    }
    void end_trial(bool keep) {
        tries_ = false;
        if (keep) return;
        while (journaled_ > 0) {
            const Entry& entry = journal_[--journaled_];
            std::memcpy(entry.where, &entry.value, entry.size);
        }
        history_ = history_before_;
        path_ = path_before_;
        top_ = top_before_;
    }

    // Not while something is tried.
    void serialise(Archive& archive) {
        archive.each(local_histories_);
        archive.each(local_);
        archive.each(global_);
        archive.each(choice_);
        archive.each(targets_);
        archive.each(stack_);
        archive.each(indirect_);
        archive(history_, top_, path_, turn_);
        if (top_ >= stack_.size()) Archive::damaged();
    }

private:
    struct Entry {  // of the journal: what was there
        void* where;
        std::uint64_t value;
        std::size_t size;
    };
    template <class Number>
    void set(Number& to, Number value) {
        if (tries_) {
            if (journaled_ == journal_.size()) journal_.resize(2 * journaled_ + 64);
            journal_[journaled_++] = {&to, to, sizeof to};
        }
        to = value;
    }
    void count(std::uint8_t& counter, bool up) {
        if (up ? counter < 3 : counter > 0) set(counter, static_cast<std::uint8_t>(up ? counter + 1 : counter - 1));
    }
    struct Target {
        static constexpr bool is_plain = true;
        std::uint64_t pc = 1, to = 0;  // no instruction is at an odd address
    };
    struct Indirect {
        static constexpr bool is_plain = true;
        std::uint64_t tag = ~std::uint64_t{0}, to = 0;
    };
    // The targets before an indirect jump in sixteen bits each, the latest lowest.
    static constexpr unsigned bits_of_target = 16, shift_of_instructions = 2;
    std::uint64_t path_behind(std::uint64_t path, std::uint64_t to) const {
        return (path << bits_of_target | (to >> shift_of_instructions & 0xffff)) & path_mask_;
    }
    std::uint8_t above() const { return static_cast<std::uint8_t>(top_ + 1u == stack_.size() ? 0 : top_ + 1); }

    std::uint32_t local_mask_, local_bits_, history_mask_, targets_mask_;
    std::vector<std::uint32_t> local_histories_;
    // Counters of two bits: 0 and 1 say not taken (or, of the choice, local).
    std::vector<std::uint8_t> local_, global_, choice_;
    std::vector<Target> targets_;
    std::vector<std::uint64_t> stack_;
    bool has_stack_;
    std::uint32_t indirect_mask_, indirect_ways_, indirect_path_, indirect_shift_;
    std::uint64_t path_mask_;
    std::vector<Indirect> indirect_;  // by sets; empty: there is none
    std::uint64_t path_ = 0;
    std::uint32_t turn_ = 1;  // decides which of a set's targets is replaced
    std::uint32_t history_ = 0;
    std::uint8_t top_ = 0;
    bool tries_ = false;
    std::uint32_t history_before_ = 0;
    std::uint64_t path_before_ = 0;
    std::uint8_t top_before_ = 0;
    std::vector<Entry> journal_;
    std::size_t journaled_ = 0;
};
static_assert(is_listed<BranchPredictor, 288>);

}  // namespace croftsim
