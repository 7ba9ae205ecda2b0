// A ring of all routers in the order of their numbers. A message goes the shorter way round. If both ways are equally
// long, it goes up, to the routers of higher numbers.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

struct Ring {
    enum Direction : std::uint32_t { up, down, directions };
    static std::uint32_t link(std::uint32_t router, Direction direction) { return router * directions + direction; }

    static std::uint32_t numbers(const Shape& shape) { return shape.routers() * directions; }

    static void for_each_link(const Shape& shape, const Topology::VisitLink& visit) {
        const std::uint32_t routers = shape.routers();
        for (std::uint32_t router = 0; router < routers; ++router) {
            if (routers > 1) visit(link(router, up), router, (router + 1) % routers);
            // If there are two routers, the way up to the other one is as short.
            if (routers > 2) visit(link(router, down), router, (router + routers - 1) % routers);
        }
    }

    static void way(const Shape& shape, std::uint32_t from, std::uint32_t to, Route& route) {
        const std::uint32_t routers = shape.routers();
        const std::uint32_t above = to >= from ? to - from : to + routers - from;
        if (above <= routers / 2)
            go(from, above, up, routers - from, 0, route);
        else
            go(from, routers - above, down, from + 1, routers - 1, route);
    }

    // So many links on from a router, of which the first so many at most come before numbers begin anew, at `again`.
    static void go(std::uint32_t from, std::uint32_t links, Direction direction, std::uint32_t before,
                   std::uint32_t again, Route& route) {
        constexpr auto next = std::int32_t{directions};
        const std::int32_t step = direction == up ? next : -next;
        route.add(link(from, direction), links < before ? links : before, step);
        if (links > before) route.add(link(again, direction), links - before, step);
    }
};

const RegisteredTopology ring_has_a_name{{"ring", Ring::numbers, Ring::for_each_link, Ring::way}};

}  // namespace
}  // namespace croftsim
