#pragma once
// The program's requests for memory: the break, and each mmap with its own extent. (AddressSpace merges neighbours; a
// thread's stack must be known as the mapping it is.)

#include <cstdint>
#include <map>
#include <utility>

#include "base/archive.hpp"

namespace croftsim {

class MemoryMap {
public:
    // Replaces whatever the range held.
    void add(std::uint64_t first, std::uint64_t end, bool from_file);
    // Mappings that the range cuts stay, shorter or in two.
    void remove(std::uint64_t first, std::uint64_t end);

    struct Mapping {
        std::uint64_t first = 0, end = 0;
        bool from_file = false;   // its contents came from a file
        std::uint64_t stack = 0;  // it is a thread's stack, which begins there; 0: it is none
    };
    // The mapping that holds the address; [0, 0) if none does.
    Mapping at(std::uint64_t address) const;
    // It is a stack that begins with that stack pointer.
    void make_stack(const Mapping& mapping, std::uint64_t begins) { mappings_.at(mapping.first).stack = begins; }

    std::uint64_t break_first = 0, break_now = 0;  // the heap of brk(): [break_first, break_now)

    void serialise(Archive& archive) { archive(break_first, break_now, mappings_); }

private:
    struct Rest {
        static constexpr bool is_plain = true;
        std::uint64_t end;
        bool from_file;
        std::uint64_t stack = 0;
    };
    std::map<std::uint64_t, Rest> mappings_;  // by first address; disjoint
};
static_assert(is_listed<MemoryMap, 64>);

}  // namespace croftsim
