#pragma once
// Mappings of files that the program shares with them (MAP_SHARED) and may write to. The memory is a copy. Its changes
// go into the file when the program asks for that (msync), unmaps it, reads the file or ends. Bytes that are written
// into the file go into the memory, too. So each byte may be mapped once only.

#include <cstdint>
#include <map>
#include <memory>

#include "base/archive.hpp"
#include "kernel/open_file.hpp"

namespace croftsim {

struct System;

class SharedMappings {
public:
    // Throws Errno{ENODEV} if some of that is mapped so already.
    void add(std::uint64_t first, std::uint64_t end, std::shared_ptr<OpenFile> file, std::uint64_t offset);
    bool overlaps(std::uint64_t first, std::uint64_t end) const;
    // Writes back what has changed in the range, all of it or of the file.
    void write_back(System& system, std::uint64_t first, std::uint64_t end);
    void write_back_all(System& system) { write_back(system, 0, ~std::uint64_t{0}); }
    void write_back(System& system, const OpenFile& file);
    // So many bytes of the file have been written.
    void read_again(System& system, const OpenFile& file, std::uint64_t offset, std::uint64_t bytes);
    // The range is mapped no more.
    void remove(std::uint64_t first, std::uint64_t end);

    // Behind the files. Throws CheckpointError if the program has closed one that it has mapped.
    void serialise(Archive& archive, const System& system);

private:
    struct Mapping {
        std::uint64_t end = 0, offset = 0;
        std::shared_ptr<OpenFile> file;
    };
    static bool is_same(const OpenFile& one, const OpenFile& other);
    static void write_back(System& system, std::uint64_t first, std::uint64_t end, const Mapping& mapping,
                           std::uint64_t mapped_at);

    std::map<std::uint64_t, Mapping> mappings_;  // by first address; disjoint
};
static_assert(is_listed<SharedMappings, 48>);

}  // namespace croftsim
