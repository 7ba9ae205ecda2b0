#pragma once
// An item as the bytes that travel: its own, if it is trivially copyable; else what its codec makes of it (codec.hpp).

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <croft/mpi/codec.hpp>
#include <croft/mpi/error.hpp>

namespace croft::mpi::detail {

// `scratch` may hold them; they are gone when it is used again, or the item is.
template <class T>
std::span<const std::byte> bytes_of(const T& item, [[maybe_unused]] std::vector<std::byte>& scratch) {
    if constexpr (std::is_trivially_copyable_v<T>) {
        return std::as_bytes(std::span(&item, 1));
    } else {
        scratch.clear();
        codec<T>::encode(item, scratch);
        return scratch;
    }
}
template <class T>
void item_from(std::span<const std::byte> bytes, T& to) {
    if constexpr (std::is_trivially_copyable_v<T>) {
        if (bytes.size() != sizeof(T)) throw error("croft::mpi: an item has come that is of another type");
        std::memcpy(&to, bytes.data(), sizeof(T));
    } else {
        codec<T>::decode(bytes, to);
    }
}

}  // namespace croft::mpi::detail
