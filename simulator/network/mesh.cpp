// A two-dimensional mesh with dimension-ordered routing: a message goes along its row first, then along the column.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

struct Mesh {
    enum Direction : std::uint32_t { east, west, north, south, directions };
    static std::uint32_t link(std::uint32_t router, Direction direction) { return router * directions + direction; }

    static std::uint32_t numbers(const Shape& shape) { return shape.routers() * directions; }

    static void for_each_link(const Shape& shape, const Topology::VisitLink& visit) {
        for (std::uint32_t router = 0; router < shape.routers(); ++router) {
            const std::uint32_t columns = shape.columns(), row = shape.row_of(router), column = router - row * columns;
            if (column + 1 < columns) visit(link(router, east), router, router + 1);
            if (column > 0) visit(link(router, west), router, router - 1);
            if (row > 0) visit(link(router, north), router, router - columns);
            if (row + 1 < shape.rows()) visit(link(router, south), router, router + columns);
        }
    }

    // Without branches, because nobody can tell where the next message goes.
    static void way(const Shape& shape, std::uint32_t from, std::uint32_t to, Route& route) {
        constexpr auto next = std::int32_t{directions};
        const std::uint32_t columns = shape.columns(), row = shape.row_of(from), end_row = shape.row_of(to);
        const std::uint32_t corner = to + (row - end_row) * columns;
        const std::int32_t below = next * static_cast<std::int32_t>(columns);
        const bool right = from < corner, down = row < end_row;
        route.add(link(from, right ? east : west), right ? corner - from : from - corner, right ? next : -next);
        route.add(link(corner, down ? south : north), down ? end_row - row : row - end_row, down ? below : -below);
    }
};

const RegisteredTopology mesh_has_a_name{{"mesh", Mesh::numbers, Mesh::for_each_link, Mesh::way}};

}  // namespace
}  // namespace croftsim
