// A two-dimensional mesh with dimension-ordered routing: a message goes along its row first, then along the column.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

class Mesh final : public Topology {
public:
    Mesh(std::uint32_t columns, std::uint32_t rows) : columns_(columns), rows_(rows) {
        for (std::uint32_t row = 0; row < rows; ++row)
            for (std::uint32_t column = 0; column < columns; ++column) positions_.push_back({column, row});
    }

    std::uint32_t numbers() const override { return columns_ * rows_ * directions; }

    void for_each_link(const VisitLink& visit) const override {
        for (std::uint32_t router = 0; router < positions_.size(); ++router) {
            const auto [column, row] = positions_[router];
            if (column + 1 < columns_) visit(link(router, east), router, router + 1);
            if (column > 0) visit(link(router, west), router, router - 1);
            if (row > 0) visit(link(router, north), router, router - columns_);
            if (row + 1 < rows_) visit(link(router, south), router, router + columns_);
        }
    }

    void way(std::uint32_t from, std::uint32_t to, Route& route) const override {
        const Position a = positions_[from], b = positions_[to];
        const bool right = a.column < b.column, down = a.row < b.row;
        constexpr auto next = std::int32_t{directions};
        const std::int32_t below = next * static_cast<std::int32_t>(columns_);
        const std::uint32_t corner = a.row * columns_ + b.column;
        route.add(link(from, right ? east : west), right ? b.column - a.column : a.column - b.column,
                  right ? next : -next);
        route.add(link(corner, down ? south : north), down ? b.row - a.row : a.row - b.row, down ? below : -below);
    }

private:
    enum Direction : std::uint32_t { east, west, north, south, directions };
    struct Position {
        std::uint32_t column, row;
    };
    static std::uint32_t link(std::uint32_t router, Direction direction) { return router * directions + direction; }

    std::uint32_t columns_, rows_;
    std::vector<Position> positions_;  // of each router
};

const RegisteredTopology mesh_has_a_name{{"mesh", topology_of<Mesh>}};

}  // namespace
}  // namespace croftsim
