#pragma once
// The messages between a map's processes. A process gets its share of an item, and sends its workers' results where
// they are gathered all together.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/codec.hpp>
#include <croft/mpi/error.hpp>
#include <croft/mpi/item_bytes.hpp>
#include <croft/pattern/map_options.hpp>

namespace croft::mpi {

namespace detail {

template <class In>
struct portion {
    share whose;  // of which workers, of all processes'
    In content;
};

template <class Result>
struct gathered {
    std::vector<Result> all;  // in the order of the workers
};

}  // namespace detail

// The share, then the content as it travels by itself.
template <class In>
struct codec<detail::portion<In>> {
    static void encode(const detail::portion<In>& message, std::vector<std::byte>& to) {
        std::vector<std::byte> scratch;
        const std::span<const std::byte> whose = std::as_bytes(std::span(&message.whose, 1));
        const std::span<const std::byte> content = detail::bytes_of(message.content, scratch);
        to.insert(to.end(), whose.begin(), whose.end());
        to.insert(to.end(), content.begin(), content.end());
    }
    static void decode(std::span<const std::byte> from, detail::portion<In>& message) {
        detail::item_from(from.first(sizeof(share)), message.whose);
        detail::item_from(from.subspan(sizeof(share)), message.content);
    }
};

// Each result after how many bytes it has.
template <class Result>
struct codec<detail::gathered<Result>> {
    static void encode(const detail::gathered<Result>& message, std::vector<std::byte>& to) {
        std::vector<std::byte> scratch;
        for (const Result& each : message.all) {
            const std::span<const std::byte> bytes = detail::bytes_of(each, scratch);
            const std::uint64_t size = bytes.size();
            const std::span<const std::byte> head = std::as_bytes(std::span(&size, 1));
            to.insert(to.end(), head.begin(), head.end());
            to.insert(to.end(), bytes.begin(), bytes.end());
        }
    }
    static void decode(std::span<const std::byte> from, detail::gathered<Result>& message) {
        message.all.clear();
        while (!from.empty()) {
            std::uint64_t size;
            detail::item_from(from.first(sizeof size), size);
            Result one;  // what a std::vector<bool> has is none of objects
            detail::item_from(from.subspan(sizeof size, size), one);
            message.all.push_back(std::move(one));
            from = from.subspan(sizeof size + size);
        }
    }
};

}  // namespace croft::mpi
