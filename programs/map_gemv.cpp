// A map of general matrix-vector products, c = alpha A x + beta y, over a stream of matrices (paper 000, 7.2).
//
// The matrices are in memory. Their address travels to the workers, each computes its rows, and the address of each
// worker's entries of c travels to the collector. Such a message is one word, so with ra_udn it travels on the network
// itself, as in paper 001. Its table IV and this one's table 7 have the same times. (ra_notified is the run-time for
// messages of any size: slots, with events on the network.)
//
// Prints: map_gemv runtime=ra_udn size=56 type=int workers=56 collector=passes slots=1 count=300
//         service_time_ns=... service_time_cycles=...     (in one line; common/service_time.hpp tells what is measured)

#include <cstddef>
#include <cstdint>
#include <vector>

#include <croft/channel/kinds.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>
#include <croft/pattern/map.hpp>

#include "common/general_product.hpp"
#include "common/map_of_products.hpp"

namespace {

using namespace programs;

template <class Element>
void run(const product_settings& asked) {
    map_of_products<Element, general_product<Element>> stream(asked);
    using croft::distribution;
    // The papers' channels have one slot. A core that waits for a flag with another home reads it again and again and
    // keeps no copy (000, 6.3 and 7.2).
    if (asked.sequential)
        stream.run_sequentially();
    else if (asked.runtime == "ra_udn")
        stream.template run<croft::kinds::udn>(distribution::tree, 1);
    else if (asked.runtime == "ra_notified")
        stream.template run<croft::kinds::ra_udn>(distribution::tree, 1);
    else if (asked.runtime == "ra_sm")
        stream.template run<croft::kinds::ra_hf_drop>(distribution::tree, 1);
    else if (asked.runtime == "ff_queue")
        stream.template run<croft::baseline::with_null_slots<croft::policies>>(distribution::tree, fastflow_slots);
    else
        stream.template run<croft::policies>(distribution::tree, usual_slots);
}

int body(int argc, char** argv) {
    product_settings asked;
    asked.program = "map_gemv";
    if (!parse_products(argc, argv,
                        "Multiplies a stream of matrices with a vector and adds another, each on all workers at once.",
                        {"56", "168", "224"}, {"croft", "ra_udn", "ra_sm", "ff_queue", "ra_notified"}, asked))
        return 0;
    if (asked.type == "int")
        run<std::int32_t>(asked);
    else
        run<float>(asked);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("map_gemv", [&] { return body(argc, argv); });
}
