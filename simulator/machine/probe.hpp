#pragma once
// A machine of one core without a kernel. It runs bare instructions until an ebreak, for tests that compare the
// production interpreter and caches with another implementation.

#include <memory>
#include <span>
#include <string>

#include "contract/description.hpp"
#include "isa/hart.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class Machine;

class HartProbe {
public:
    explicit HartProbe(const MachineDescription& machine = small_machine());
    ~HartProbe();

    // One tile with small caches, so that a few kilobytes already miss in them.
    static MachineDescription small_machine();

    void map(std::uint64_t address, std::uint64_t bytes);  // readable, writable, executable
    void write(std::uint64_t address, std::span<const std::uint8_t> from);
    void read(std::uint64_t address, std::span<std::uint8_t> to);
    Hart& hart() { return hart_; }

    // From hart().pc to the next ebreak. Returns "ebreak", or what ended the run instead.
    std::string run(std::uint64_t max_cycles);
    std::uint64_t cycles() const;

private:
    AddressSpace memory_;
    std::unique_ptr<Machine> machine_;
    Hart hart_;
};

}  // namespace croftsim
