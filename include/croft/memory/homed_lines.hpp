#pragma once
// Memory whose lines have a home of one's choice, the machine's own included. It is the process's pool of such lines
// (line_pool.hpp; its colours matter wherever caches are small). Where there are no homes to be chosen it is plain
// aligned memory. But on a machine with several nodes of memory a core's lines come from its node. Pages of each node
// are pooled in the same way.

#include <cstddef>

#include <croft/memory/ends.hpp>
#include <croft/port/compiled.hpp>
#include <croft/port/port.hpp>

namespace croft {

namespace detail {

// A core's number, or one of these.
inline constexpr int home_default = port::home_default, home_hashed = port::home_hashed,
                     home_round_robin = port::home_round_robin, home_none = port::home_none;

}  // namespace detail
static_assert(detail::home_default == detail::any_core);

namespace detail {

// Throws std::bad_alloc; std::invalid_argument if the machine has no such core.
void* allocate_lines(std::size_t size, int home);
void deallocate_lines(void* memory, std::size_t size, int home) noexcept;

}  // namespace detail

}  // namespace croft

#if !defined(CROFT_COMPILED)
#include <croft/memory/homed_lines_body.hpp>
#endif
