#pragma once
// Chooses the port (README.md states what a port gives).

#if defined(__x86_64__)
#include <croft/port/x86_64.hpp>
#elif defined(__aarch64__)
#include <croft/port/aarch64.hpp>
#elif defined(__riscv) && __riscv_xlen == 64
#include <croft/port/riscv64.hpp>
#else
#error "croft has no port for this machine; include/croft/port/README.md says what one takes"
#endif

#if defined(__linux__)
#include <croft/port/linux.hpp>
#elif defined(__APPLE__)
#include <croft/port/darwin.hpp>
#else
#error "croft has no port for this operating system; include/croft/port/README.md says what one takes"
#endif

#if !defined(CROFT_MANY_CORE)
#include <croft/port/no_many_core.hpp>
#endif
