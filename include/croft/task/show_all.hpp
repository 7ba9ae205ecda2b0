#pragma once
// Makes what this core has written visible to all others, on whatever L1s.

#include <croft/port/port.hpp>

namespace croft::detail {

// cache_flush returns when that is so, where the program keeps L1s coherent. Where the hardware does it is nothing:
// stores may still be under way, to several homes, and a relaxed atomic behind must not overtake them.
// (Natively atomics order.)
inline const bool stores_need_a_fence = port::is_many_core && !port::has(port::feature::software_coherence);
inline void show_all() {
    port::cache_flush();
    if (stores_need_a_fence) port::full_fence();
}

}  // namespace croft::detail
