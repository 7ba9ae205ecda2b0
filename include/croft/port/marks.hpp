#pragma once
// Where a program says what begins and ends, for whoever records a run: the user's own marks (croft/mark.hpp), and the
// library's landmarks. `croft run --trace` and CROFT_TRACE show both.
//
// On a simulated many-core a mark is an instruction (docs/instructions.md). A landmark is none. It must not change what
// the compiler makes of the code around it, as a statement would, even an empty assembly. So it is a label that nobody
// jumps to. Debug information says where it is, and the simulator tells when a core comes by. So programs are the same
// to the last bit with landmarks and without.
// Elsewhere both are nothing, unless CROFT_TRACE is defined (for all of a program): then they are recorded natively.

#include <croft/port/port.hpp>

#if !defined(CROFT_MANY_CORE)
#if defined(CROFT_TRACE)
#include <croft/trace/native.hpp>
#endif
#endif

// CROFT_BEGINS(what): from here on this thread does that for the library's user; CROFT_ENDS(what): it has done it.
// `what` is one of task, stolen_task, emitter, worker, collector (symbols/landmarks.py, croft/trace/native.hpp). A
// function may have each once. The compiler may lose a label, of an end above all: then that is the end of the function
// or the next such beginning.

#if defined(CROFT_MANY_CORE)
#define CROFT_BEGINS(what) croft_begins_##what : __attribute__((unused));
#define CROFT_ENDS(what) croft_ends_##what : __attribute__((unused));
#elif defined(CROFT_TRACE)
#define CROFT_BEGINS(what) ::croft::trace::native::begin(::croft::trace::native::what);
#define CROFT_ENDS(what) ::croft::trace::native::end();
#else
#define CROFT_BEGINS(what)
#define CROFT_ENDS(what)
#endif

namespace croft::port {

#if defined(CROFT_MANY_CORE)
inline void mark(const char* text) { asm volatile(".insn r 0x0b, 0, 0x14, x0, %0, x0" ::"r"(text) : "memory"); }
inline void mark_begin(const char* text) { asm volatile(".insn r 0x0b, 0, 0x15, x0, %0, x0" ::"r"(text) : "memory"); }
inline void mark_end() { asm volatile(".insn r 0x0b, 0, 0x16, x0, x0, x0" ::: "memory"); }
#elif defined(CROFT_TRACE)
inline void mark(const char* text) { trace::native::instant(text); }
inline void mark_begin(const char* text) { trace::native::begin(text); }
inline void mark_end() { trace::native::end(); }
#else
inline void mark(const char*) {}
inline void mark_begin(const char*) {}
inline void mark_end() {}
#endif

}  // namespace croft::port
