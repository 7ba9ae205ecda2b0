// Prints what a native caller of a co-processor is told when things go wrong.
#include <croft/coprocessor.hpp>
#include <cstdio>
#include <cstring>

int main(int, char** argv) {
    try {
        croft::coprocessor<int, long> squares(
            {.program = argv[1], .machine = argv[2], .arguments = {argv[3]}, .cores = 8});
        if (std::strcmp(argv[3], "copies") == 0) return 0;  // ends the simulation, which waits for messages
        for (int n = 0; n < 100; ++n) {
            squares.offload(n);
            squares.get_result();
        }
    } catch (const croftsim::HostEnded& error) {
        std::printf("ended: %s\n", error.what());
    } catch (const std::exception& error) {
        std::printf("error: %s\n", error.what());
    }
}
