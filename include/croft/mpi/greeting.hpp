#pragma once
// The first words of two processes of a pattern: they tell whether both are about the same one. Programs that differ
// would otherwise take each other's bytes for items. (The link's own hello says that the link between them is the same:
// hello.hpp.)

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <typeinfo>

#include <croft/mpi/error.hpp>

namespace croft::mpi::detail {

struct greeting {
    std::uint32_t version = 1;     // of what is said on a link
    std::uint32_t threads = 0;     // of the process; may differ
    std::uint64_t pattern = 0;     // its type's name, and those of its items, as a number
    std::uint64_t item_bytes = 0;  // of both items' types
    std::uint64_t result_bytes = 0;
};

// FNV-1a.
inline std::uint64_t number_of(const char* name) {
    std::uint64_t number = 0xcbf29ce484222325;
    for (; *name; ++name) number = (number ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
    return number;
}

template <class Pattern, class In, class Out>
greeting greeting_of(std::size_t threads) {
    return {.threads = static_cast<std::uint32_t>(threads),
            .pattern = number_of(typeid(Pattern).name()),
            .item_bytes = sizeof(In),
            .result_bytes = sizeof(Out)};
}

// Throws `error` if what rank `peer` said is not what is said here.
inline greeting understood(const greeting& mine, std::span<const std::byte> said, int peer) {
    const auto differs = [peer](const char* what) {
        throw error("croft::mpi: rank " + std::to_string(peer) + " runs another " + what + " than this process", peer);
    };
    greeting theirs;
    if (said.size() != sizeof theirs) differs("version of croft");
    std::memcpy(&theirs, said.data(), sizeof theirs);
    if (theirs.version != mine.version) differs("version of croft");
    if (theirs.pattern != mine.pattern) differs("pattern");
    if (theirs.item_bytes != mine.item_bytes || theirs.result_bytes != mine.result_bytes)
        differs("size of the pattern's items");
    return theirs;
}

}  // namespace croft::mpi::detail
