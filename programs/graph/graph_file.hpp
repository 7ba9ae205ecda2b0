#pragma once
// Graphs in files of any format known here, which the beginning of a file tells. The binary format is memory as it is,
// and one read() reads it:
//
//     8 bytes "croftgr1", then little-endian 64-bit vertices, edges, flags (1 weighted, 2 symmetric);
//     then the words of csr_graph.hpp, of 32 bits

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "../common/options.hpp"
#include "csr_graph.hpp"
#include "edge_list.hpp"
#include "text_files.hpp"
#include "text_reader.hpp"

namespace programs::graph {

namespace detail {

static_assert(std::endian::native == std::endian::little, "the binary format is memory as it is");

inline constexpr char binary_name[] = "croftgr1";
inline constexpr std::uint64_t flag_weighted = 1, flag_symmetric = 2;

struct binary_header {
    char name[8];
    std::uint64_t vertices, edges, flags;
};
inline constexpr std::size_t header_words = sizeof(binary_header) / 4;

[[noreturn]] inline void bad_file(const std::string& name, const std::string& why) {
    throw usage_error(name + ": " + why);
}

class open_descriptor {
public:
    explicit open_descriptor(const std::string& name) : number_(::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {
        if (number_ < 0) bad_file(name, std::strerror(errno));
    }
    ~open_descriptor() { ::close(number_); }
    open_descriptor(const open_descriptor&) = delete;
    open_descriptor& operator=(const open_descriptor&) = delete;
    int number() const { return number_; }

private:
    int number_;
};

struct file_contents {
    buffer<std::uint32_t> words;
    std::size_t bytes = 0;
    std::string_view text() const { return {reinterpret_cast<const char*>(words.get()), bytes}; }
};

inline file_contents read_file(const std::string& name) {
    const open_descriptor file(name);
    struct stat about;
    if (::fstat(file.number(), &about) != 0) bad_file(name, std::strerror(errno));
    if (!S_ISREG(about.st_mode)) bad_file(name, "this is no regular file");
    const auto size = static_cast<std::size_t>(about.st_size);
    file_contents all{make_buffer<std::uint32_t>(size / 4 + 1), 0};
    while (all.bytes < size) {  // once, as a rule
        const ssize_t got =
            ::read(file.number(), reinterpret_cast<char*>(all.words.get()) + all.bytes, size - all.bytes);
        if (got < 0) bad_file(name, std::strerror(errno));
        if (got == 0) break;
        all.bytes += static_cast<std::size_t>(got);
    }
    return all;
}

// Nothing that is followed later leads out of the graph.
inline void check_direction(const std::string& name, const graph_shape& shape, const edges_of_vertices& edges) {
    if (edges.offsets[0] != 0 || edges.offsets[shape.vertices] != shape.edges)
        bad_file(name, "its rows do not begin at edge 0 and end at the last one");
    for (std::size_t v = 0; v < shape.vertices; ++v)
        if (edges.offsets[v] > edges.offsets[v + 1])
            bad_file(name, "the row of vertex " + std::to_string(v) + " ends before it begins");
    vertex most = 0;
    for (std::size_t i = 0; i < shape.edges; ++i) most = std::max(most, edges.neighbours[i]);
    if (shape.edges && most >= shape.vertices)
        bad_file(name, "an edge leads to vertex " + std::to_string(most) + " of " + std::to_string(shape.vertices));
}

inline csr_graph binary_graph(const std::string& name, file_contents all) {
    binary_header header;
    if (all.bytes < sizeof header) bad_file(name, "the file ends within its header");
    std::memcpy(&header, all.words.get(), sizeof header);
    if (header.vertices > most_vertices || header.edges > most_edges || header.flags > 3)
        bad_file(name, "its header makes no sense");
    const graph_shape shape{header.vertices, header.edges, (header.flags & flag_weighted) != 0,
                            (header.flags & flag_symmetric) != 0};
    const std::size_t wanted = sizeof header + 4 * shape.words();
    if (all.bytes != wanted)
        bad_file(name, "the file has " + std::to_string(all.bytes) + " bytes, but its header tells of " +
                           std::to_string(wanted));
    csr_graph made(shape, std::move(all.words), header_words);
    check_direction(name, shape, made.out());
    if (!shape.symmetric) check_direction(name, shape, made.in());
    return made;
}

inline edge_list text_edges(const std::string& name, std::string_view contents) {
    text_reader text(name, std::string(contents));
    if (contents.starts_with("%%MatrixMarket")) return read_matrix_market(text);
    if (contents.substr(0, 40).find("AdjacencyGraph") != contents.npos) return read_adjacency(text);
    const std::size_t first = contents.find_first_not_of(" \t\r\n");
    if (first != contents.npos && (contents[first] == '#' || (contents[first] >= '0' && contents[first] <= '9')))
        return read_edges(text);
    bad_file(name, "this is no graph: neither croft's binary format, nor an adjacency graph, Matrix Market or edges");
}

}  // namespace detail

// Throws usage_error. `symmetric`: with every edge in both directions.
inline csr_graph read_graph(const std::string& name, bool symmetric = false) {
    detail::file_contents all = detail::read_file(name);
    if (!all.text().starts_with(detail::binary_name)) {
        edge_list list = detail::text_edges(name, all.text());
        if (symmetric) make_symmetric(list);
        return graph_of(std::move(list));
    }
    csr_graph made = detail::binary_graph(name, std::move(all));
    if (!symmetric || made.symmetric()) return made;
    edge_list list = edges_of(made);
    make_symmetric(list);
    return graph_of(std::move(list));
}

inline void write_binary(std::FILE* file, const csr_graph& graph) {
    detail::binary_header header{{}, graph.vertices(), graph.edges(), 0};
    std::memcpy(header.name, detail::binary_name, sizeof header.name);
    header.flags = (graph.weighted() ? detail::flag_weighted : 0) | (graph.symmetric() ? detail::flag_symmetric : 0);
    std::fwrite(&header, sizeof header, 1, file);
    std::fwrite(graph.words().data(), 4, graph.words().size(), file);
}

}  // namespace programs::graph
