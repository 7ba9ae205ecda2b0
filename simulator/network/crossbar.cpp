// A link from every router to every other.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

struct Crossbar {
    static std::uint32_t numbers(const Shape& shape) { return shape.routers() * shape.routers(); }

    static void for_each_link(const Shape& shape, const Topology::VisitLink& visit) {
        for (std::uint32_t from = 0; from < shape.routers(); ++from)
            for (std::uint32_t to = 0; to < shape.routers(); ++to)
                if (from != to) visit(from * shape.routers() + to, from, to);
    }

    static void way(const Shape& shape, std::uint32_t from, std::uint32_t to, Route& route) {
        if (from != to) route.add(from * shape.routers() + to);
    }
};

const RegisteredTopology crossbar_has_a_name{{"crossbar", Crossbar::numbers, Crossbar::for_each_link, Crossbar::way}};

}  // namespace
}  // namespace croftsim
