// The bare core that tests compare with other implementations.

#include <doctest/doctest.h>

#include <cstring>

#include "big_cores.hpp"
#include "machine/probe.hpp"

namespace croftsim {

TEST_CASE("behind a cycle limit the probe's core does nothing more, though its load arrives") {
    MachineDescription in_order = one_big();
    in_order.kinds[0].out_of_order.reset();
    MachineDescription fetching = in_order;
    fetching.kinds[0].l1i = CacheDescription{1024, 64, 2, 1};
    for (const MachineDescription& machine : {HartProbe::small_machine(), in_order, fetching, one_big()}) {
        HartProbe probe(machine);
        probe.map(0x10000, 4096);
        probe.map(0x20000, 4096);
        const Word code[] = {lw(5, 8, 0), addi(6, 5, 1), addi(6, 6, 1), 0x00100073};
        probe.write(0x10000, {reinterpret_cast<const std::uint8_t*>(code), sizeof code});
        probe.hart().pc = 0x10000;
        probe.hart().x[8] = 0x20000;
        CHECK(probe.run(25) == "cycle limit");
        CHECK(probe.hart().x[6] == 0);
        probe.hart().pc = 0x10000;
        CHECK(probe.run(1000) == "ebreak");
        CHECK(probe.hart().x[6] == 2);
    }
}

}  // namespace croftsim
