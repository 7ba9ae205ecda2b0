#include "core/branch_predictor.hpp"

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
      stack_(shape.return_addresses) {}

BranchPredictor::Prediction BranchPredictor::branch(std::uint64_t pc) {
    Prediction made = here();
    made.local_history = local_histories_[pc / 2 & local_mask_];
    made.local = local_[made.local_history] > 1;
    made.global = global_[history_] > 1;
    made.taken = choice_[history_] > 1 ? made.global : made.local;
    history_ = (history_ << 1 | (made.taken ? 1 : 0)) & history_mask_;
    return made;
}

void BranchPredictor::undo(const Prediction& prediction) {
    history_ = prediction.history;
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
