// Filters a picture with the help of other processes: rank 0 cuts it into tiles and pastes the results, all ranks
// filter. The result depends neither on the number of processes nor on the size of the tiles.
//
//     mpiexec -n 4 filter_picture IN.pgm OUT.pgm

#include <croft/mpi/environment.hpp>
#include <croft/mpi/run.hpp>
#include <croft/pattern/farm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/convolution.hpp"
#include "common/netpbm.hpp"
#include "common/tiling.hpp"

namespace {

constexpr std::size_t size = 64;

// Travels as it is, so only processes that need a tile have it.
struct tile {
    std::uint32_t number;
    std::int32_t cells[(size + 2) * (size + 2)];  // with a margin
};
struct filtered {
    std::uint32_t number;
    std::int32_t cells[size * size];
    std::int32_t rank;
};

void emboss(const tile& in, filtered& out) {
    programs::convolve_inner(programs::make_filter<std::int32_t>("emboss"), in.cells, out.cells, size);
    out.number = in.number;
    out.rank = croft::mpi::world().rank();
}

}  // namespace

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [&](const croft::mpi::processes& world) {
        if (argc != 3) throw std::invalid_argument("usage: mpiexec -n N filter_picture IN.pgm OUT.pgm");
        std::optional<programs::picture> from, into;
        std::optional<programs::tiling> tiles;
        if (world.rank() == 0) {
            from = programs::read_netpbm(argv[1]);
            into = from;
            tiles.emplace(*from, size);
        }
        std::uint32_t next = 0;
        std::vector<int> by(static_cast<std::size_t>(world.size()));
        croft::mpi::run(
            [&](tile& slot) {
                if (next == tiles->count()) return false;
                slot.number = next++;
                tiles->cut(*from, slot.number, slot.cells);
                return true;
            },
            croft::mpi::across(world, croft::farm(emboss)),
            [&](const filtered& one) {
                tiles->paste(*into, one.number, one.cells);
                ++by[static_cast<std::size_t>(one.rank)];
            });
        if (world.rank() != 0) return;
        programs::write_netpbm(argv[2], *into);
        std::printf("%zu tiles, filtered by %d processes:", tiles->count(), world.size());
        for (const int each : by) std::printf(" %d", each);
        std::printf("\n");
    });
}
