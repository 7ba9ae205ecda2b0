#include "network/mesh.hpp"

#include <cstdlib>

namespace croftsim {

Mesh::Mesh(const MachineDescription& machine) : network_(machine.network), tiles_(machine.tiles()) {
    for (std::uint32_t tile = 0; tile < tiles_; ++tile)
        positions_.push_back(
            {static_cast<std::int32_t>(tile % network_.columns), static_cast<std::int32_t>(tile / network_.columns)});
    for (const auto& controller : machine.memory.controllers) positions_.push_back({controller.column, controller.row});
    for (const auto& cache : machine.cache_places()) positions_.push_back({cache.column, cache.row});
    free_.resize(positions_.size() * directions);
}

std::uint32_t Mesh::hops(std::uint32_t from, std::uint32_t to) const {
    const Position a = positions_[from], b = positions_[to];
    const auto attached = (from >= tiles_ ? 1 : 0) + (to >= tiles_ ? 1 : 0);
    return static_cast<std::uint32_t>(std::abs(a.column - b.column) + std::abs(a.row - b.row) + attached);
}

std::uint64_t Mesh::send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t time) {
    Position at = positions_[from];
    const Position end = positions_[to];
    const auto columns = static_cast<std::int32_t>(network_.columns);
    const auto link = [&](Direction direction) {
        return static_cast<std::uint32_t>(at.row * columns + at.column) * directions + direction;
    };
    ++statistics_.messages;
    statistics_.flits += flits;
    statistics_.hops += hops(from, to);
    statistics_.busy += std::uint64_t{flits} *
                        static_cast<std::uint32_t>(std::abs(at.column - end.column) + std::abs(at.row - end.row));

    if (!carried_.empty()) [[unlikely]]
        watch(at, end, flits);

    std::uint64_t head = time;
    if (from >= tiles_) head = pass(from * directions + attach, head, flits);
    for (; at.column < end.column; ++at.column) head = pass(link(east), head, flits);
    for (; at.column > end.column; --at.column) head = pass(link(west), head, flits);
    for (; at.row < end.row; ++at.row) head = pass(link(south), head, flits);
    for (; at.row > end.row; --at.row) head = pass(link(north), head, flits);
    if (to >= tiles_) head = pass(to * directions + detach, head, flits);
    return head + (flits - 1);
}

// Beside the way that send() takes and not in it, where every link would ask whether anybody wants to know.
void Mesh::watch(Position at, Position end, std::uint32_t flits) {
    const auto carry = [&](Direction direction) {
        const std::uint32_t router = static_cast<std::uint32_t>(at.row) * network_.columns + at.column;
        carried_[router * ways + direction] += flits;
    };
    for (; at.column < end.column; ++at.column) carry(east);
    for (; at.column > end.column; --at.column) carry(west);
    for (; at.row < end.row; ++at.row) carry(south);
    for (; at.row > end.row; --at.row) carry(north);
}

}  // namespace croftsim
