#pragma once
// The functions of many_core.hpp for machines that are none, as far as code above port/ is the same for both. There
// none of its features exist, and these functions do nothing. Code behind `if constexpr (port::is_many_core)` has to be
// compiled here, too.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#if defined(__linux__)
#include <croft/port/numa.hpp>
#else
#include <croft/port/darwin.hpp>
#endif

namespace croft::port {

inline constexpr bool is_many_core = false;

enum class feature : std::uint64_t { user_network, home_forwarding, dma, core_interrupts, software_coherence };
inline constexpr bool has(feature) { return false; }
inline constexpr unsigned mesh_columns() { return 1; }

inline void finish_loads() { std::atomic_thread_fence(std::memory_order_acq_rel); }
// The hardware keeps caches coherent.
inline void cache_invalidate() {}
inline void cache_flush() {}
// A relaxed load. On a many-core it may find any old value.
template <class Word>
inline Word load_racing(const Word& word) {
    return std::atomic_ref<Word>(const_cast<Word&>(word)).load(std::memory_order_relaxed);
}

inline constexpr unsigned queue_words = 0;

inline constexpr int home_default = -1, home_hashed = -2, home_round_robin = -3, home_none = -4;
// Here a home is a node of memory, and a wish: pages from elsewhere do as well, only slower.
inline bool set_home(void* pages, std::size_t bytes, int node) {
    put_on_node(pages, bytes, node);
    return true;
}
// The argument of set_home for the pages of a core's lines; nothing if they may come from anywhere.
inline std::optional<int> home_of_pages(int core) {
    const int node = core >= 0 ? memory_nodes::here().of_core(core) : -1;
    return node >= 0 ? std::optional(node) : std::nullopt;
}

// There is no link to a host.
struct link_sizes {
    std::size_t slot_bytes;
    unsigned input_slots, output_slots;
};
inline link_sizes link_slots() { return {}; }
inline bool open_link(void*, unsigned, unsigned) { return false; }
inline long receive_from_link() { return -1; }
inline bool release_link_slot(unsigned) { return false; }
inline long acquire_link_slot() { return -1; }
inline bool send_to_link(unsigned, std::size_t) { return false; }
inline bool close_link(bool) { return false; }

// Nor is there anyone who counts.
inline bool region_begin() { return true; }
inline bool region_end() { return true; }

}  // namespace croft::port
