#pragma once
// The graph kernels share this: where the graph comes from, and one program for every run-time and for none. Kernel has
// compute(const execution<Runtime>&), `takes_symmetric` and `takes_weights`.

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "../common/kernel.hpp"
#include "../common/options.hpp"
#include "csr_graph.hpp"
#include "edge_list.hpp"
#include "edge_map.hpp"
#include "execution.hpp"
#include "graph_file.hpp"
#include "inputs.hpp"
#include "rmat.hpp"

namespace programs::graph {

template <class Kernel>
class graph_kernel {
public:
    void declare(options& line) {
        line.text("--graph", "FILE", file_, "the graph, of any format (make_graph makes some); for simulated runs");
        line.text("--input", "NAME", input_, "a graph of the paper's by name, made here: rMat_...");
        line.number<std::uint64_t>("--rmat", vertices_, 0, most_vertices,
                                   "an R-MAT graph of so many vertices, made here");
        line.number<std::uint64_t>("--edges", samples_, 0, most_edges,
                                   "edges drawn for it; 0: eight a vertex, or the input's");
        line.number<std::uint64_t>("--seed", seed_, 0, ~std::uint64_t{0}, "of the graph that is made here");
        line.flag("--symmetric", symmetric_, "take the edges of --graph in both directions");
        line.number<vertex>("--source", source_, 0, no_vertex, "the vertex to begin at, where there is one");
        line.number<std::size_t>("--grain", grain_, 1, std::size_t{1} << 32, "vertices of a loop that stay together");
        line.choice("--direction", direction_, {"automatic", "push", "pull"}, "which end of edges looks at them");
    }

    void prepare() {
        if (file_.empty()) {
            rmat_shape shape{.vertices = vertices_, .samples = 8 * vertices_, .seed = seed_};
            if (vertices_ == 0)
                shape = shape_of(input_named(Kernel::name, input_), seed_);
            else if (!input_.empty())
                throw usage_error("--rmat and --input are two graphs");
            if (samples_) shape.samples = samples_;
            edge_list list = rmat_edges(shape);
            make_symmetric(list);
            if (Kernel::takes_weights) give_weights(list, seed_);
            graph_ = graph_of(std::move(list));
        } else {
            if (vertices_ || !input_.empty()) throw usage_error("--graph and --rmat or --input are two graphs");
            graph_ = read_graph(file_, symmetric_);
        }
        if (Kernel::takes_weights && !graph_.weighted())
            throw usage_error(file_ + ": the edges have no weights, which this kernel takes");
        if (Kernel::takes_symmetric && !graph_.symmetric())
            throw usage_error(file_ +
                              ": this kernel takes every edge in both directions, which --symmetric brings about");
        if (source_ >= graph_.vertices())
            throw usage_error("there is no vertex " + std::to_string(source_) + ": the graph has " +
                              std::to_string(graph_.vertices()));
    }

    template <class Runtime>
    void parallel() {
        self().compute(execution<Runtime>(grain_));
    }
    void serial() { self().compute(execution<sequential>(grain_)); }

    std::string numbers() const {
        return "size=" + std::to_string(graph_.vertices()) + " edges=" + std::to_string(graph_.edges()) +
               " grain=" + std::to_string(grain_) + " " + self().found();
    }

protected:
    const csr_graph& graph() const { return graph_; }
    vertex source() const { return source_; }
    edge_map_options edge_options() const {
        return {.way = direction_ == "push"   ? direction::push
                       : direction_ == "pull" ? direction::pull
                                              : direction::automatic};
    }

private:
    Kernel& self() { return static_cast<Kernel&>(*this); }
    const Kernel& self() const { return static_cast<const Kernel&>(*this); }

    std::string file_, input_, direction_ = "automatic";
    std::uint64_t vertices_ = 0, samples_ = 0, seed_ = 1;
    bool symmetric_ = false;
    vertex source_ = 0;
    std::size_t grain_ = 32;
    csr_graph graph_;
};

// Which vertices a check looks at: all, or one in so many. On a simulated machine, looking at all edges can take longer
// than the kernel. An error of a parallel program shows at many of them.
inline std::size_t step_between(const graph_view& graph, verification how) {
    return how == verification::full ? 1 : graph.vertices() / 8192 + 1;
}

// Throws a check's sentence about what is wrong, with numbers.
template <class... Parts>
[[noreturn]] void wrong(const Parts&... parts) {
    std::string sentence;
    const auto add = [&](const auto& part) {
        if constexpr (requires { std::to_string(part); })
            sentence += std::to_string(part);
        else
            sentence += part;
    };
    (add(parts), ...);
    throw std::runtime_error(sentence);
}

}  // namespace programs::graph
