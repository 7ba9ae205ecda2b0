#pragma once
// Where a program says what begins and ends, for whoever records a run: the user's own marks (croft/mark.hpp), and the
// library's landmarks. `croft run --trace` and CROFT_TRACE show both.
//
// On a simulated many-core a mark is an instruction (docs/instructions.md). A landmark is none: its address goes to a
// section of the program, and the simulator tells when a core comes by; so no program runs a cycle longer for them.
// Elsewhere both are nothing, unless CROFT_TRACE is defined (for all of a program): then they are recorded natively.

#include <croft/port/port.hpp>

#if defined(CROFT_TRACE) && !defined(CROFT_MANY_CORE)
#include <croft/trace/native.hpp>
#endif

namespace croft::port {

// What the library does for its user. Their names, by number: python/croft/landmarks.py, croft/trace/native.hpp.
enum class landmark : unsigned { task, stolen_task, emitter, worker, collector };

#if defined(CROFT_MANY_CORE)

inline void mark(const char* text) { asm volatile(".insn r 0x0b, 0, 0x14, x0, %0, x0" ::"r"(text) : "memory"); }
inline void mark_begin(const char* text) { asm volatile(".insn r 0x0b, 0, 0x15, x0, %0, x0" ::"r"(text) : "memory"); }
inline void mark_end() { asm volatile(".insn r 0x0b, 0, 0x16, x0, x0, x0" ::: "memory"); }

// Wherever the compiler has put a copy of it, that is named.
template <landmark What>
[[gnu::always_inline]] inline void begins() {
    asm volatile(
        "1:\t.pushsection .croft.landmarks\n\t.dword 1b, %0\n\t.popsection" ::"i"(2 * static_cast<unsigned>(What)));
}
template <landmark What>
[[gnu::always_inline]] inline void ends() {
    asm volatile(
        "1:\t.pushsection .croft.landmarks\n\t.dword 1b, %0\n\t.popsection" ::"i"(2 * static_cast<unsigned>(What) + 1));
}

#elif defined(CROFT_TRACE)

inline void mark(const char* text) { trace::native::instant(text); }
inline void mark_begin(const char* text) { trace::native::begin(text); }
inline void mark_end() { trace::native::end(); }
template <landmark What>
void begins() {
    trace::native::begin(trace::native::names[static_cast<unsigned>(What)]);
}
template <landmark What>
void ends() {
    trace::native::end();
}

#else

inline void mark(const char*) {}
inline void mark_begin(const char*) {}
inline void mark_end() {}
template <landmark What>
void begins() {}
template <landmark What>
void ends() {}

#endif

}  // namespace croft::port
