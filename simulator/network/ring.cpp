// A ring of all routers in the order of their numbers. A message goes the shorter way round. If both are equally long, it
// goes up, to the routers of higher numbers.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

class Ring final : public Topology {
public:
    Ring(std::uint32_t columns, std::uint32_t rows) : routers_(columns * rows) {}

    std::uint32_t numbers() const override { return routers_ * directions; }

    void for_each_link(const VisitLink& visit) const override {
        for (std::uint32_t router = 0; router < routers_; ++router) {
            if (routers_ > 1) visit(link(router, up), router, (router + 1) % routers_);
            // Of two routers each has one other, to which the way up is as short.
            if (routers_ > 2) visit(link(router, down), router, (router + routers_ - 1) % routers_);
        }
    }

    void way(std::uint32_t from, std::uint32_t to, Route& route) const override {
        const std::uint32_t above = to >= from ? to - from : to + routers_ - from;
        if (above <= routers_ / 2)
            go(from, above, up, routers_ - from, 0, route);
        else
            go(from, routers_ - above, down, from + 1, routers_ - 1, route);
    }

private:
    enum Direction : std::uint32_t { up, down, directions };
    static std::uint32_t link(std::uint32_t router, Direction direction) { return router * directions + direction; }

    // So many links on from a router, of which the first so many at most come before numbers begin anew, at `again`.
    static void go(std::uint32_t from, std::uint32_t links, Direction direction, std::uint32_t before,
                   std::uint32_t again, Route& route) {
        constexpr auto next = std::int32_t{directions};
        const std::int32_t step = direction == up ? next : -next;
        if (links == 0) return;
        route.add(link(from, direction), links < before ? links : before, step);
        if (links > before) route.add(link(again, direction), links - before, step);
    }

    std::uint32_t routers_;
};

const RegisteredTopology ring_has_a_name{{"ring", topology_of<Ring>}};

}  // namespace
}  // namespace croftsim
