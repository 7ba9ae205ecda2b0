#pragma once
// How the graph layer does a loop, and how its steps touch words that other steps may touch at the same time.
// execution<Runtime> does it by tasks of that run-time; execution<sequential> does it by itself, with plain loads and
// stores. So each kernel is written once.
//
// On software-coherent L1s one task sees another's writes through spawn and wait only: all loops here end with a wait.
// Within a loop a word may be shared only by the calls of the second half. They are relaxed: they carry no other data.
// A read may find an old value, also long after another core has changed it. So the caller has to come to the same end
// with either. If a change must not be lost, one read-modify-write makes it, which such machines do where all meet.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>

#include <croft/port/port.hpp>
#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>
#include <croft/task/parallel_scan.hpp>

namespace programs::graph {

// In place of a run-time: no tasks at all.
struct sequential {};

template <class Runtime>
class execution {
public:
    // Steps of a loop that stay together.
    explicit execution(std::size_t grain) : grain_(grain) {}
    // For loops whose steps are a few instructions: sums, scans, packs. Ligra does those in blocks of 1024 or 2048
    // whatever the grain (its sequence.h), which a kernel's span shows.
    execution short_steps() const { return execution(std::max(grain_, std::size_t{2048})); }

    // body(i) for each i < count.
    template <class Body>
    void for_each(std::size_t count, Body&& body) const {
        croft::parallel_for<Runtime>(std::size_t{0}, count, body, {.grain = grain_});
    }
    // The sum of value_of(i) for i < count.
    template <class Value, class ValueOf>
    Value sum(std::size_t count, Value zero, ValueOf&& value_of) const {
        return croft::parallel_reduce<Runtime>(std::size_t{0}, count, zero, value_of, std::plus<>(), {.grain = grain_});
    }
    // use(i, the sum of value_of(0) to value_of(i)); returns the sum of all. May call value_of(i) twice.
    template <class Value, class ValueOf, class Use>
    Value sums(std::size_t count, Value zero, ValueOf&& value_of, Use&& use) const {
        return croft::parallel_scan<Runtime>(std::size_t{0}, count, zero, value_of, std::plus<>(), use,
                                             {.grain = grain_});
    }

    // ---- words that steps of the same loop share ----

    template <class Word>
    static Word read(const Word& word) {
        return croft::port::load_racing(word);
    }
    // By a word's only writer in this loop.
    template <class Word>
    static void write(Word& word, Word value) {
        shared(word).store(value, relaxed);
    }
    // Makes it `value` if it is `expected`; whether this call did.
    template <class Word>
    static bool claim(Word& word, Word expected, Word value) {
        return read(word) == expected && shared(word).compare_exchange_strong(expected, value, relaxed);
    }
    // Whether this call made it `value`, and not another, or an earlier loop.
    template <class Word>
    static bool mark(Word& word, Word value) {
        return read(word) != value && shared(word).exchange(value, relaxed) != value;
    }
    // Makes it `value` if that is less; returns what it was before: if more than `value`, this call has changed it.
    template <class Word>
    static Word lower(Word& word, Word value) {
        Word before = read(word);
        while (value < before && !shared(word).compare_exchange_weak(before, value, relaxed)) {
        }
        return before;
    }
    template <class Word>
    static Word raise(Word& word, Word value) {
        Word before = read(word);
        while (before < value && !shared(word).compare_exchange_weak(before, value, relaxed)) {
        }
        return before;
    }
    // Returns what it was before, or some time earlier if all of the bits were set.
    template <class Word>
    static Word set_bits(Word& word, Word bits) {
        const Word before = read(word);
        return bits & ~before ? shared(word).fetch_or(bits, relaxed) : before;
    }
    // Returns what it was before.
    template <class Word>
    static Word add(Word& word, Word value) {
        Word before = read(word);
        while (!shared(word).compare_exchange_weak(before, before + value, relaxed)) {
        }
        return before;
    }

private:
    static constexpr auto relaxed = std::memory_order_relaxed;
    template <class Word>
    static std::atomic_ref<Word> shared(const Word& word) {
        return std::atomic_ref<Word>(const_cast<Word&>(word));  // an atomic_ref of a const word is of C++26
    }

    std::size_t grain_;
};

template <>
class execution<sequential> {
public:
    explicit execution(std::size_t) {}
    execution short_steps() const { return *this; }

    template <class Body>
    void for_each(std::size_t count, Body&& body) const {
        for (std::size_t i = 0; i < count; ++i) body(i);
    }
    template <class Value, class ValueOf>
    Value sum(std::size_t count, Value total, ValueOf&& value_of) const {
        for (std::size_t i = 0; i < count; ++i) total += value_of(i);
        return total;
    }
    template <class Value, class ValueOf, class Use>
    Value sums(std::size_t count, Value total, ValueOf&& value_of, Use&& use) const {
        for (std::size_t i = 0; i < count; ++i) {
            total += value_of(i);
            use(i, std::as_const(total));
        }
        return total;
    }

    template <class Word>
    static Word read(const Word& word) {
        return word;
    }
    template <class Word>
    static void write(Word& word, Word value) {
        word = value;
    }
    template <class Word>
    static bool claim(Word& word, Word expected, Word value) {
        if (word != expected) return false;
        word = value;
        return true;
    }
    template <class Word>
    static bool mark(Word& word, Word value) {
        return std::exchange(word, value) != value;
    }
    template <class Word>
    static Word lower(Word& word, Word value) {
        const Word before = word;
        if (value < before) word = value;
        return before;
    }
    template <class Word>
    static Word raise(Word& word, Word value) {
        const Word before = word;
        if (before < value) word = value;
        return before;
    }
    template <class Word>
    static Word set_bits(Word& word, Word bits) {
        return std::exchange(word, word | bits);
    }
    template <class Word>
    static Word add(Word& word, Word value) {
        return std::exchange(word, word + value);
    }
};

}  // namespace programs::graph
