#pragma once
// The kernel's way to the program's memory. It checks every pointer that the program passes first (EFAULT), and then
// its access is coherent with the caches.

#include <cstdint>
#include <span>
#include <string>

#include "contract/machine_services.hpp"
#include "kernel/errno.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class UserMemory {
public:
    UserMemory(const AddressSpace& memory, MachineServices& machine) : memory_(memory), machine_(machine) {}

    // All of these throw Errno{EFAULT}.
    void read(std::uint64_t address, std::span<std::uint8_t> to) const;
    void write(std::uint64_t address, std::span<const std::uint8_t> from) const;
    void check(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;
    // A string of less than `limit` bytes; throws Errno{ENAMETOOLONG} if it is longer.
    std::string string(std::uint64_t address, std::size_t limit = 4096) const;

    template <class T>
    T get(std::uint64_t address) const {
        T value;
        read(address, {reinterpret_cast<std::uint8_t*>(&value), sizeof value});
        return value;
    }
    template <class T>
    void put(std::uint64_t address, const T& value) const {
        write(address, {reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
    }

    // How many of the bytes from `address` on allow `permission`, without a gap.
    std::uint64_t accessible(std::uint64_t address, std::uint64_t bytes, std::uint8_t permission) const;

private:
    const AddressSpace& memory_;
    MachineServices& machine_;
};

}  // namespace croftsim
