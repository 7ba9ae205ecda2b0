// A number goes from the first process to the last.
#include <croft/mpi/environment.hpp>
#include <croft/mpi/frame_link.hpp>
#include <cstddef>
#include <cstdio>
#include <span>

int main(int argc, char** argv) {
    return croft::mpi::program(argc, argv, [](const croft::mpi::processes& world) {
        const int last = world.size() - 1;
        if (world.rank() != 0 && world.rank() != last) return;
        croft::mpi::frame_link link(world, last - world.rank(), world.next_tag(), {.bytes = 1});
        if (world.rank() == 0) {
            *link.try_acquire() = std::byte{42};
            link.publish(1);
        } else {
            std::span<std::byte> frame;
            while (frame.empty()) frame = link.try_receive();
            std::printf("rank %d has %d\n", last, std::to_integer<int>(frame[0]));
        }
    });
}
