#include "core/issue_schedule.hpp"

#include <algorithm>
#include <utility>

#include "base/one_of.hpp"

namespace croftsim {
namespace {

enum Unit : std::uint32_t { simple = 0, memory = 1, complex = 2, all = memory | complex };

Unit kind_of_unit(Cost cost) {
    if (is_one_of(cost, {Cost::alu, Cost::branch, Cost::jump})) return simple;
    if (is_one_of(cost, {Cost::load, Cost::store, Cost::atomic, Cost::send, Cost::push, Cost::receive})) return memory;
    return is_one_of(cost, {Cost::fence, Cost::csr, Cost::system}) ? all : complex;
}

}  // namespace

std::uint32_t IssueSchedule::place(const Instruction& instruction, std::uint64_t address) {
    const Cost cost = cost_of(instruction.opcode);
    const std::uint32_t cycles = core_.cost[static_cast<std::size_t>(cost)];
    const bool wide = core_.issue_width > 1;
    const Unit unit = kind_of_unit(cost);
    const auto [result, sources] = operands_of(instruction);

    std::uint32_t at = next_;
    const bool alone = wide && unit == all;
    if (at == cycle_ && ((units_ & unit) || (alone && slots_ > 0))) ++at;
    for (const std::uint8_t source : sources) at = std::max(at, ready_[source]);
    if (wide) at = std::max(at, ready_[result]);

    const bool shows_time = cost == Cost::csr || cost == Cost::system;
    const bool touches_load = load_ && load_->result != no_register &&
                              (result == load_->result || std::ranges::find(sources, load_->result) != sources.end());
    if (unit & memory || shows_time || touches_load) close_load(at);

    if (at > cycle_) slots_ = units_ = 0;
    cycle_ = at;
    ++slots_;
    units_ |= unit;
    const bool holds_up = alone || (cycles > 1 && !(wide && cost == Cost::multiply));
    // Behind the instruction, though it is fetched before: what begins a block has to issue in its first cycle.
    const std::uint32_t split = instruction.length == 4 && address % 4 != 0 ? core_.split_fetch : 0;
    next_ = (holds_up ? at + cycles : slots_ == core_.issue_width || split ? at + 1 : at) + split;

    if (!wide) ready_.fill(0);
    if (result != no_register) ready_[result] = at + cycles + (cost == Cost::load ? l1_hit_ - 1 : 0);
    if (cost == Cost::load && core_.loads_block == CoreDescription::Loads::at_use)
        load_ = Load{slacks_.size(), result, at};
    slacks_.push_back(static_cast<std::uint16_t>(cycles));
    return at;
}

void IssueSchedule::close_load(std::uint32_t cycle) {
    if (!load_) return;
    slacks_[load_->index] = static_cast<std::uint16_t>(cycle - load_->cycle);  // blocks are much shorter
    load_.reset();
}

std::vector<std::uint16_t> IssueSchedule::slacks(std::uint32_t end) {
    close_load(end);
    return std::move(slacks_);
}

}  // namespace croftsim
