#pragma once
// Memory of the data that stages hand each other: lines with a home, given back by another thread than took them, and
// used again. On a many-core the process's pool of homed lines does that. Elsewhere malloc does for memory that fits in
// a page. Longer runs come from a pool too, because malloc gets large ones from the operating system and returns them
// there, page faults and all. bench/task_data.cpp makes a datum, hands it to another thread and frees it there (two
// cores of a Xeon, best of seven). From the pool and from malloc that took 3.5 and 4.2 us at 8 KiB, 3.9 and 12 us at 16
// KiB. At 64 KiB it took 5.1 and 35 us, at 256 KiB 8.9 and 70 us, at 4 MiB 0.25 and 0.42 ms. The pool keeps what it has
// until the process ends. On a machine with several nodes, the first touch decides which node the pages are on; it is
// the first producer's. That was not measured.

#include <cstddef>

#include <croft/memory/homed_lines.hpp>
#include <croft/port/compiled.hpp>

namespace croft::detail {

// As allocate_lines.
void* allocate_data(std::size_t size, int home);
void deallocate_data(void* memory, std::size_t size, int home) noexcept;

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/memory/data_memory_body.hpp>
#endif
