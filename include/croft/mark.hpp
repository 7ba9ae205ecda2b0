#pragma once
// Marks of the program's own in a trace of its run: the phase that begins here, the event that has just happened.
//
//     croft::mark("loaded");                  // an instant
//     croft::marked phase{"filter"};          // from here to the end of the block
//
// `croft run --trace` shows them on the track of the core that came by; natively they are nothing, unless the program
// is built with CROFT_TRACE. On a simulated machine each costs a cycle or two, whether anything is recorded or not.

#include <croft/port/marks.hpp>

namespace croft {

namespace detail {

// A text that is there, the same, for as long as the program runs: a string literal. 80 characters of it are shown,
// those that are not printable ASCII as question marks.
class mark_text {
public:
    consteval mark_text(const char* text) : text_(text) {}  // NOLINT: that is how it is to be written
    constexpr const char* get() const { return text_; }

private:
    const char* text_;
};

}  // namespace detail

// Something has happened here and now, in the calling thread.
inline void mark(detail::mark_text text) { port::mark(text.get()); }

// A phase that lasts as long as this object does, in the thread that makes and destroys it. Those of a thread lie
// within or behind each other, and so do the tasks that it runs meanwhile.
class [[nodiscard]] marked {
public:
    explicit marked(detail::mark_text text) { port::mark_begin(text.get()); }
    ~marked() { port::mark_end(); }
    marked(const marked&) = delete;
    marked& operator=(const marked&) = delete;
};

}  // namespace croft
