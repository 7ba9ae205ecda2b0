#include "core/schedule_memory.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

namespace croftsim {

std::size_t ScheduleMemory::Hash::operator()(const std::vector<std::uint32_t>& key) const {
    std::uint64_t hash = 0xcbf29ce484222325u;
    for (const std::uint32_t word : key) {
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

bool ScheduleStep::same_outcome(const ScheduleStep& other) const {
    const auto outcome = [](const ScheduleStep& step) {
        return std::tuple(step.kind, step.pc, step.predicted, step.target, step.early, step.executed, step.taken,
                          step.which, step.from, step.source, step.looked ? step.looked->older.size() : 0);
    };
    return outcome(*this) == outcome(other);
}

ScheduleState& ScheduleMemory::state(const std::vector<std::uint32_t>& key) {
    const auto found = states_.try_emplace(key).first;
    found->second.key = &found->first;  // neither moves
    return found->second;
}

void ScheduleMemory::add(ScheduleState& state, std::vector<ScheduleStep>&& steps, std::unique_ptr<Segment> segment) {
    const auto node_of = [](auto first, auto last) {
        auto node = std::make_unique<ScheduleNode>();
        node->first = std::move(*first);
        node->steps.assign(std::make_move_iterator(first + 1), std::make_move_iterator(last));
        return node;
    };
    ScheduleNode* node = &state.root;
    if (node->next.empty()) node->least_latest = segment->latest;
    auto step = steps.begin();
    for (;;) {
        node->least_latest = std::min(node->least_latest, segment->latest);
        if (step == steps.end()) return;  // it is known
        const auto child =
            std::ranges::find_if(node->next, [&](const auto& one) { return one->first.same_outcome(*step); });
        if (child == node->next.end()) break;
        node = child->get();
        ++step;
        const auto parts = std::ranges::find_if(node->steps, [&](const ScheduleStep& known) {
            if (step == steps.end() || !known.same_outcome(*step)) return true;
            ++step;
            return false;
        });
        if (parts == node->steps.end()) continue;
        auto rest = node_of(parts, node->steps.end());
        node->steps.erase(parts, node->steps.end());
        rest->next = std::move(node->next);
        rest->segment = std::move(node->segment);
        rest->least_latest = node->least_latest;
        node->next.clear();
        node->next.push_back(std::move(rest));
    }
    if (node->segment) return;
    steps_ += static_cast<std::size_t>(steps.end() - step);
    auto leaf = node_of(step, steps.end());
    leaf->least_latest = segment->latest;
    leaf->segment = std::move(segment);
    node->next.push_back(std::move(leaf));
}

}  // namespace croftsim
