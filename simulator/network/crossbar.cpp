// A link from every router to every other.

#include "network/topologies.hpp"

namespace croftsim {
namespace {

class Crossbar final : public Topology {
public:
    Crossbar(std::uint32_t columns, std::uint32_t rows) : routers_(columns * rows) {}

    std::uint32_t numbers() const override { return routers_ * routers_; }

    void for_each_link(const VisitLink& visit) const override {
        for (std::uint32_t from = 0; from < routers_; ++from)
            for (std::uint32_t to = 0; to < routers_; ++to)
                if (from != to) visit(from * routers_ + to, from, to);
    }

    void way(std::uint32_t from, std::uint32_t to, Route& route) const override {
        if (from != to) route.add(from * routers_ + to);
    }

private:
    std::uint32_t routers_;
};

const RegisteredTopology crossbar_has_a_name{{"crossbar", topology_of<Crossbar>}};

}  // namespace
}  // namespace croftsim
