// A map of matrix-vector products, c = A b, over a stream of matrices (paper 001, V.B).
//
// The matrices are in memory. Their address travels to the workers, each computes its rows, and the address of each
// worker's entries of c travels to the collector.
//
// Prints: map_matvec runtime=udn_tree size=56 type=int workers=56 collector=passes slots=1 count=300
//         service_time_ns=... service_time_cycles=...     (in one line; common/service_time.hpp tells what is measured)

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/paper/channel/at_reader_allocating.hpp>
#include <croft/paper/channel/lock_channel.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/pattern/map.hpp>

#include "common/map_of_products.hpp"

namespace {

using namespace programs;

template <class Element>
class product {
public:
    explicit product(std::size_t size) : b_(small_numbers<Element>(size, 3)) {}

    void rows(const Element* matrix, Element* entries, croft::slice which, accumulation how) const {
        for (std::size_t i = which.begin; i < which.end; ++i)
            row_product(entries[i - which.begin], matrix + i * b_.size(), b_.data(), b_.size(), how);
    }

private:
    std::vector<Element> b_;
};

template <class Element>
void run(const product_settings& asked) {
    map_of_products<Element, product<Element>> stream(asked);
    using croft::distribution;
    // The papers' channels have one slot; 56 senders of more would not fit into the collector's hardware queue. sm_ are
    // the papers' channels in memory as they were, ra_home_ croft's form of them.
    if (asked.sequential)
        stream.run_sequentially();
    else if (asked.runtime == "udn_tree")
        stream.template run<croft::kinds::udn>(distribution::tree, 1);
    else if (asked.runtime == "sm_tree")
        stream.template run<croft::baseline::ra_home_allocating>(distribution::tree, 1);
    else if (asked.runtime == "sm_linear")
        stream.template run<croft::baseline::ra_home_allocating>(distribution::linear, 1);
    else if (asked.runtime == "ra_home_tree")
        stream.template run<croft::kinds::ra_home>(distribution::tree, 1);
    else if (asked.runtime == "ra_home_linear")
        stream.template run<croft::kinds::ra_home>(distribution::linear, 1);
    else if (asked.runtime == "fastflow")
        stream.template run<croft::baseline::with_null_slots<croft::policies>>(distribution::tree, fastflow_slots);
    else if (asked.runtime == "lock_queue")
        stream.template run<croft::baseline::locked>(distribution::tree, 1);
    else
        stream.template run<croft::policies>(distribution::tree, usual_slots);
}

int body(int argc, char** argv) {
    product_settings asked;
    asked.program = "map_matvec";
    if (!parse_products(
            argc, argv, "Multiplies a stream of matrices with a vector, each on all workers at once.",
            {"56", "112", "168"},
            {"croft", "udn_tree", "sm_tree", "sm_linear", "ra_home_tree", "ra_home_linear", "fastflow", "lock_queue"},
            asked))
        return 0;
    if (asked.type == "int")
        run<std::int32_t>(asked);
    else
        run<float>(asked);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("map_matvec", [&] { return body(argc, argv); });
}
