#pragma once
// An item as the bytes that travel: its own, if it is trivially copyable.

#include <cstddef>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include <croft/mpi/error.hpp>

namespace croft::mpi::detail {

// `scratch` may hold them; they are gone when it is used again, or the item is.
template <class T>
std::span<const std::byte> bytes_of(const T& item, [[maybe_unused]] std::vector<std::byte>& scratch) {
    static_assert(std::is_trivially_copyable_v<T>);
    return std::as_bytes(std::span(&item, 1));
}
template <class T>
void item_from(std::span<const std::byte> bytes, T& to) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (bytes.size() != sizeof(T)) throw error("croft::mpi: an item has come that is of another type");
    std::memcpy(&to, bytes.data(), sizeof(T));
}

}  // namespace croft::mpi::detail
