#pragma once
// The pause of a thief of the paper's run-times between two tries to steal. Figure 3 has no pause there, and cannot do
// without. A try costs its victim something: the lock's line on its way to and fro, or a handler that says no. So many
// thieves who find nothing take more from those that work than they ever bring.
//
// Tries come at varying distances, and the more workers there are, the longer ones. Then a worker is asked as often
// with 256 of them as with 64. The rows of the mesh where the L2's banks are carry as much of it for each bank.

#include <bit>
#include <cstddef>

#include <croft/paper/task/varied_distance.hpp>
#include <croft/port/port.hpp>

namespace croft::paper {

class thief_pause {
public:
    // 1 to 4 * workers turns of an empty loop, workers rounded up to a power of two; `workers` at least 2.
    void wait(std::size_t workers) {
        const unsigned turns = varied_distance(++tries_, static_cast<unsigned>(std::bit_width(workers - 1)) + 2);
        for (unsigned i = 0; i < turns; ++i) port::pause();
    }

private:
    unsigned tries_ = 0;
};

}  // namespace croft::paper
