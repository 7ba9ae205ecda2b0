// The requests between a simulated many-core's L2 caches for the messages and events of a farm or a map (paper 000,
// figures 11 and 15). The machine counts them (statistics, part "requests"), for the lines named to it here.
//
// Prints: coherence_requests pattern=farm runtime=ra_udn size=32 workers=56 count=300                 (in one line)

#include <cstdint>
#include <cstdio>
#include <string>

#include <croft/channel/kinds.hpp>
#include <croft/paper/channel/null_slot_queue.hpp>

#include "common/convolution_farm.hpp"
#include "common/counted.hpp"
#include "common/general_product.hpp"
#include "common/generated_stream.hpp"
#include "common/map_of_products.hpp"
#include "common/options.hpp"

namespace {

using namespace programs;
namespace kinds = croft::kinds;

struct settings {
    std::string pattern = "farm";
    std::string runtime = "ra_udn";
    std::size_t size = 32;
    std::size_t workers = 8;
    std::size_t count = 300;
};

template <class Matrix>
struct counted_item : matrix_item<Matrix> {
    counted_item() { count_requests(this, sizeof(*this)); }
};

template <std::size_t Size>
void run_farm_of(const settings& asked) {
    using slot = matrix<Size * Size * sizeof(std::int32_t)>;
    generated_stream<std::int32_t> stream(asked.count, Size, make_filter<std::int32_t>("emboss"), true, false);
    const croft::farm_options options{.workers = asked.workers, .slots = 2, .emitters = 1};
    service_time time(asked.count, 0, asked.workers);
    if (asked.runtime == "ra_udn")
        run_farm<counted<kinds::ra_udn>, slot>(options, stream, time);
    else if (asked.runtime == "ra_sm")
        run_farm<counted<kinds::ra_hf_drop>, slot>(options, stream, time);
    else
        run_queues<counted<croft::policies>, counted_item<slot>>(options, stream, time);
}

void run_map(const settings& asked) {
    using element = std::int32_t;
    product_settings products;
    products.program = "coherence_requests";
    products.size = asked.size;
    products.runtime = asked.runtime;
    products.workers = asked.workers;
    products.count = asked.count;
    products.collector = "reads";
    map_of_products<element, general_product<element>> stream(products);
    count_requests(stream.matrices().data(), stream.matrices().bytes());
    using croft::distribution;
    if (asked.runtime == "ra_udn")
        stream.run<counted<kinds::ra_udn>>(distribution::tree, 1);
    else if (asked.runtime == "ra_sm")
        stream.run<counted<kinds::ra_hf>>(distribution::tree, 1);
    else
        stream.run<croft::baseline::with_null_slots<counted<croft::policies>>>(distribution::tree, fastflow_slots);
}

int body(int argc, char** argv) {
    settings asked;
    std::string size = std::to_string(asked.size);
    options line("coherence_requests", "Runs a farm or a map whose messages' lines a simulated many-core watches.");
    line.choice("--pattern", asked.pattern, {"farm", "map"}, "of convolutions, or of products with a vector");
    line.choice("--runtime", asked.runtime, {"ra_udn", "ra_sm", "ff_queue"}, "the papers' run-times");
    line.choice("--size", size, {"32", "64", "128", "56", "168", "224"}, "of a matrix: the farm's three, the map's");
    line.number<std::size_t>("--workers", asked.workers, 1, 4096, "of the farm or the map");
    line.number<std::size_t>("--count", asked.count, 1, 1'000'000, "matrices in the stream");
    if (!line.parse(argc, argv)) return 0;
    if (!croft::port::waits_on_lines)
        throw usage_error("it counts what the caches of a simulated many-core do and runs on nothing else");
    asked.size = std::stoul(size);
    if ((asked.pattern == "farm") != (asked.size == 32 || asked.size == 64 || asked.size == 128))
        throw usage_error("a " + asked.pattern + " does not come in size " + size);
    if (asked.pattern == "map")
        run_map(asked);
    else if (asked.size == 32)
        run_farm_of<32>(asked);
    else if (asked.size == 64)
        run_farm_of<64>(asked);
    else
        run_farm_of<128>(asked);
    std::printf("coherence_requests pattern=%s runtime=%s size=%zu workers=%zu count=%zu\n", asked.pattern.c_str(),
                asked.runtime.c_str(), asked.size, asked.workers, asked.count);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    return programs::run_program("coherence_requests", [&] { return body(argc, argv); });
}
