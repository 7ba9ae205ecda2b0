#pragma once
// The queue behind futex(2): who waits at which address, in the order of arrival.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

class FutexQueue {
public:
    static constexpr std::uint32_t any = ~std::uint32_t{0};

    void add(std::uint32_t thread, std::uint64_t address, std::uint32_t bits);
    void remove(std::uint32_t thread);
    // Removes up to `count` waiters of the address that share a bit with `bits`; returns their threads, longest first.
    std::vector<std::uint32_t> take(std::uint64_t address, std::uint64_t count, std::uint32_t bits = any);
    // Moves up to `count` waiters to the end of another address' queue; returns their threads.
    std::vector<std::uint32_t> requeue(std::uint64_t from, std::uint64_t to, std::uint64_t count);

    void serialise(Archive& archive) { archive(waiters_); }

private:
    struct Waiter {
        static constexpr bool is_plain = true;
        std::uint32_t thread, bits;
        std::uint64_t address;
    };
    std::vector<Waiter> waiters_;  // as many as there are threads at most
};
static_assert(is_listed<FutexQueue, 24>);

}  // namespace croftsim
