#include "core/fast_forward.hpp"

#include <algorithm>

namespace croftsim {

FastForward::FastForward(const CoreKind& kind, Core& core, DecodedCode& code, BlockCache& blocks)
    : core_(core),
      in_order_(core),
      window_(kind, core, code),
      blocks_of_window_(*core.blocks),
      blocks_in_order_(blocks) {
    core_.blocks = &blocks_in_order_;
}

void FastForward::measure(bool on, std::uint64_t now) {
    measures_ = on;
    if (!in_window_) return;
    if (on)
        window_.stay(now);
    else
        window_.drain(true);
}

void FastForward::run(std::uint64_t safe, std::uint64_t stop) {
    if (in_window_ && !measures_ && window_.leave(window_.next_to_leave())) leave_window();
    if (!in_window_ && measures_) enter_window();
    if (in_window_)
        window_.run(safe, stop);
    else
        in_order_.run(safe, stop);
}

// As an interrupt cuts in (Core::interrupt): what of the block is done counts, and the window begins behind the data of
// the last load, in whose slack the core may have gone on.
void FastForward::enter_window() {
    const std::uint64_t at = std::max(core_.time(), core_.data_came);
    CoreStatistics& counts = core_.statistics;
    if (core_.op) core_.blocks->count_up_to(*core_.block, core_.op, counts.instructions, counts.loads, counts.stores);
    core_.hart.pc = core_.pc();
    core_.cycle = at;
    core_.op = nullptr;
    core_.block = nullptr;
    core_.runs_ahead = false;  // all that it has done is final
    core_.blocks = &blocks_of_window_;
    window_.take_over();
    in_window_ = true;
    instructions_ = in_order_instructions();
}

void FastForward::leave_window() {
    core_.blocks = &blocks_in_order_;
    in_window_ = false;
    left_ = core_.statistics.instructions;
}

std::uint64_t FastForward::in_order_instructions() const {
    return instructions_ + (core_.statistics.instructions - left_);
}

void FastForward::statistics(std::uint32_t core, const StatisticRow& row) const {
    window_.statistics(core, row);
    row("window", core, "in_order", "instructions", in_window_ ? instructions_ : in_order_instructions());
}

}  // namespace croftsim
