#pragma once
// How the end of a stolen task reaches the one that waits for it: by the hardware that keeps caches coherent, or by the
// program.

#include <atomic>

#include <croft/port/port.hpp>
#include <croft/task/show_all.hpp>

namespace croft::detail {

struct by_hardware {
    // The word releases all that its caller has written. Afterwards the word may be gone.
    template <class Word, class T>
    static void set(Word& word, T value) {
        word.store(value, std::memory_order_release);
    }
    template <class Word, class T>
    static void add(Word& word, T value) {
        word.fetch_add(value, std::memory_order_release);
    }
    // Whether `enough` holds for the word; if so, all that went with it is seen. (Every addition goes on with what
    // those before it released.)
    template <class Word, class Test>
    static bool reaches(Word& word, Test enough) {
        return enough(word.load(std::memory_order_acquire));
    }
};

#if defined(CROFT_MANY_CORE)

// Also right where L1s are software-coherent, and there with no more than it takes. To set is to flush and do an atomic
// at the shared cache. To test is to do an atomic at the shared cache and invalidate. A load would not do, because it
// could find an old value in its own L1 for ever. Relaxed: acquire and release would invalidate and flush once more. On
// coherent L1s the fence of show_all orders a set. A test comes before the accesses behind it, because cache_invalidate
// keeps the order of accesses in every L1.
struct by_software {
    template <class Word, class T>
    static void set(Word& word, T value) {
        show_all();
        word.exchange(value, std::memory_order_relaxed);
    }
    template <class Word, class T>
    static void add(Word& word, T value) {
        show_all();
        word.fetch_add(value, std::memory_order_relaxed);
    }
    template <class Word, class Test>
    static bool reaches(Word& word, Test enough) {
        if (!enough(word.fetch_or(0, std::memory_order_relaxed))) return false;
        port::cache_invalidate();
        return true;
    }
};

#endif

}  // namespace croft::detail
