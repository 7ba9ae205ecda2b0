// Makes a graph, or reads one of any format known here, and writes it to a file. So a simulated run can read the graph
// that the host has made:
//
//     croft build graph/make_graph --native -o make_graph
//     ./make_graph --kernel ligra-bfs bfs.graph          # the input of table III
//     croft run graph/bfs --machine io1 --dir . -- --graph bfs.graph --runtime serial
//
// Prints: vertices=... edges=... greatest_degree=... weighted=0 symmetric=1          (in one line)

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../common/options.hpp"
#include "edge_list.hpp"
#include "graph_file.hpp"
#include "inputs.hpp"
#include "rmat.hpp"
#include "text_files.hpp"

namespace {

using namespace programs;
using namespace programs::graph;

struct settings {
    std::string output, from, kernel, input, quarters = "0.5,0.1,0.1", format = "binary";
    std::uint64_t vertices = 0, samples = 0, seed = 1;
    bool directed = false, weights = false, symmetric = false;
};

void read_quarters(const std::string& text, rmat_shape& shape) {
    double* const parts[] = {&shape.a, &shape.b, &shape.c};
    const char* at = text.c_str();
    for (double* const part : parts) {
        char* end;
        *part = std::strtod(at, &end);
        const bool last = part == parts[2];
        if (end == at || *end != (last ? '\0' : ','))
            throw usage_error("--quarters takes three numbers, a,b,c, not '" + text + "'");
        at = end + 1;
    }
}

csr_graph make(const settings& asked) {
    const bool drawn = asked.vertices || !asked.kernel.empty();
    if (drawn + !asked.from.empty() != 1) throw usage_error("name one of --kernel, --rmat and --graph");
    if (!asked.input.empty() && asked.kernel.empty()) throw usage_error("--input belongs to --kernel");
    if (asked.vertices && !asked.kernel.empty()) throw usage_error("--rmat and --kernel are two graphs");
    if (!drawn) {
        csr_graph read = read_graph(asked.from, asked.symmetric);
        if (!asked.weights) return read;
        edge_list list = edges_of(read);
        give_weights(list, asked.seed);
        return graph_of(std::move(list));
    }
    rmat_shape shape{.vertices = asked.vertices, .samples = 8 * asked.vertices, .seed = asked.seed};
    if (!asked.kernel.empty()) shape = shape_of(input_named(asked.kernel, asked.input), asked.seed);
    if (asked.samples) shape.samples = asked.samples;
    read_quarters(asked.quarters, shape);
    edge_list list = rmat_edges(shape);
    if (!asked.directed) make_symmetric(list);
    if (asked.weights || asked.kernel == "ligra-bf") give_weights(list, asked.seed);
    return graph_of(std::move(list));
}

void write(const settings& asked, const csr_graph& graph) {
    std::FILE* const file = std::fopen(asked.output.c_str(), "wb");
    if (!file) throw usage_error(asked.output + ": " + std::strerror(errno));
    if (asked.format == "adjacency")
        write_adjacency(file, graph);
    else if (asked.format == "edges")
        write_edges(file, graph);
    else if (asked.format == "matrix-market")
        write_matrix_market(file, graph);
    else
        write_binary(file, graph);
    const bool failed = std::ferror(file) != 0;
    if (std::fclose(file) != 0 || failed) throw usage_error(asked.output + ": " + std::strerror(errno));
}

int body(int argc, char** argv) {
    settings asked;
    options line("make_graph", "Makes or reads a graph and writes it to a file.");
    line.text("--kernel", "NAME", asked.kernel, "an input of the paper's kernel: ligra-bfs, ...");
    line.text("--input", "NAME", asked.input, "which of its inputs: rMat_...; the one of table III if none is named");
    line.number<std::uint64_t>("--rmat", asked.vertices, 0, most_vertices, "an R-MAT graph of so many vertices");
    line.number<std::uint64_t>("--edges", asked.samples, 0, most_edges,
                               "edges drawn; 0: eight a vertex, or the input's");
    line.number<std::uint64_t>("--seed", asked.seed, 0, ~std::uint64_t{0}, "of edges and weights");
    line.text("--quarters", "A,B,C", asked.quarters, "probabilities of R-MAT (" + asked.quarters + "; the rest is d)");
    line.flag("--directed", asked.directed, "keep edges in the direction drawn; otherwise in both");
    line.flag("--weights", asked.weights, "give edges weights from 1 to log2 of the vertices");
    line.text("--graph", "FILE", asked.from, "take the graph from this file");
    line.flag("--symmetric", asked.symmetric, "take its edges in both directions");
    line.choice("--format", asked.format, {"binary", "adjacency", "edges", "matrix-market"}, "of the file written");
    line.positional("OUTPUT", asked.output, "the file to write");
    if (!line.parse(argc, argv)) return 0;
    if (asked.output.empty()) throw usage_error("name the file to write (try --help)");
    const csr_graph graph = make(asked);
    write(asked, graph);
    edge_number greatest = 0;
    for (std::size_t v = 0; v < graph.vertices(); ++v)
        greatest = std::max(greatest, graph.out().degree(static_cast<vertex>(v)));
    std::printf("vertices=%zu edges=%zu greatest_degree=%u weighted=%d symmetric=%d\n", graph.vertices(), graph.edges(),
                greatest, graph.weighted(), graph.symmetric());
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("make_graph", [&] { return body(argc, argv); });
}
