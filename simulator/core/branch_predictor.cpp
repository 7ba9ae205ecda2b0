#include "core/branch_predictor.hpp"

#include <algorithm>
#include <bit>

namespace croftsim {

BranchPredictor::BranchPredictor(const OutOfOrderDescription& shape)
    : local_mask_(shape.local_histories - 1),
      local_bits_((1u << shape.local_history_bits) - 1),
      history_mask_(shape.global_counters - 1),
      targets_mask_(shape.branch_targets - 1),
      local_histories_(shape.local_histories),
      local_(std::size_t{1} << shape.local_history_bits, 1),
      global_(shape.global_counters, 1),
      choice_(shape.global_counters, 1),
      targets_(shape.branch_targets),
      stack_(std::max(shape.return_addresses, 1u)),
      has_stack_(shape.return_addresses > 0),
      indirect_mask_(shape.indirect_sets - 1),
      indirect_ways_(shape.indirect_ways),
      indirect_path_(shape.indirect_path),
      indirect_shift_(shape.indirect_sets
                          ? static_cast<std::uint32_t>(std::countr_zero(shape.indirect_sets)) / shape.indirect_path
                          : 0),
      path_mask_(shape.indirect_path < 4 ? (std::uint64_t{1} << bits_of_target * shape.indirect_path) - 1
                                         : ~std::uint64_t{0}),
      indirect_(std::size_t{shape.indirect_sets} * shape.indirect_ways) {}

BranchPredictor::Prediction BranchPredictor::branch(std::uint64_t pc) {
    Prediction made = here();
    made.local_history = local_histories_[pc / 2 & local_mask_];
    made.local = local_[made.local_history] > 1;
    made.global = global_[history_] > 1;
    made.taken = choice_[history_] > 1 ? made.global : made.local;
    history_ = (history_ << 1 | (made.taken ? 1 : 0)) & history_mask_;
    return made;
}

std::uint64_t BranchPredictor::indirect(std::uint64_t pc, std::uint64_t behind, Prediction& made) {
    std::uint64_t set = pc >> shift_of_instructions ^ history_;
    for (unsigned p = 0; p < indirect_path_; ++p) set ^= (path_ >> bits_of_target * p & 0xffff) >> p * indirect_shift_;
    made.set = static_cast<std::uint32_t>(set) & indirect_mask_;
    std::uint64_t to = behind;
    const Indirect* const first = &indirect_[std::size_t{made.set} * indirect_ways_];
    for (const Indirect* one = first; one != first + indirect_ways_; ++one)
        if (one->tag == (pc >> shift_of_instructions & 0xffff)) to = one->to;
    path_ = path_behind(path_, to);
    return to;
}

// Of a set's targets any may go: a shift register of sixteen bits says which.
void BranchPredictor::learn_indirect(std::uint64_t pc, const Prediction& prediction, std::uint64_t to) {
    const std::uint64_t tag = pc >> shift_of_instructions & 0xffff;
    Indirect* const first = &indirect_[std::size_t{prediction.set} * indirect_ways_];
    Indirect* place = std::find_if(first, first + indirect_ways_, [&](const Indirect& one) { return one.tag == tag; });
    if (place == first + indirect_ways_) {
        set(turn_, turn_ >> 1 ^ (turn_ & 1 ? 0xb400u : 0u));
        place = first + turn_ % indirect_ways_;
    }
    set(place->tag, tag);
    set(place->to, to);
}

void BranchPredictor::undo(const Prediction& prediction) {
    history_ = prediction.history;
    path_ = prediction.path;
    top_ = prediction.top;
    set(stack_[above()], prediction.returns_to);
}

void BranchPredictor::learn_branch(std::uint64_t pc, const Prediction& prediction, bool taken) {
    if (prediction.local != prediction.global) count(choice_[prediction.history], prediction.global == taken);
    count(local_[prediction.local_history], taken);
    count(global_[prediction.history], taken);
    std::uint32_t& history = local_histories_[pc / 2 & local_mask_];
    set(history, (history << 1 | (taken ? 1 : 0)) & local_bits_);
}

}  // namespace croftsim
