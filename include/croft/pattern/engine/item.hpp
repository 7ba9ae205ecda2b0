#pragma once
// An item that travels between two roles: a content, and marks for the patterns around it. Three shapes:
//
//   plain           the content alone
//   holed           or a hole: the message of an item that came to nothing (a filter let it fall, its stage threw). It
//                   travels on in its place, so that whoever counts items in flight misses none
//   with a sequence number, for a collector that keeps order. It wraps an item of the shape outside. A stage that sends
//                   many makes several messages with one number. One of them is the last; so the collector knows when a
//                   number is done with
//
// The content is there to be read, by get<T>(), once it has been written, to slot(), and in no hole.
//
// Every message of a marked shape (holed, numbered) yields at least one message at each role. An item's marks are
// nothing to rely on before they have been written.

#include <cstdint>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/content.hpp>

namespace croft::detail {

struct plain {};
struct holed {};
template <class Outer>
struct numbered {};

template <class Shape>
inline constexpr bool is_marked = !std::is_same_v<Shape, plain>;
template <class Shape>
inline constexpr bool is_numbered = false;
template <class Outer>
inline constexpr bool is_numbered<numbered<Outer>> = true;

template <class Content, class Shape>
struct item;

// An item of type T. Types with one kind of content (content.hpp) have one type of item.
template <class T, class Shape>
using item_of = item<content_of<T>, Shape>;

template <class Content>
struct item<Content, plain> {
    Content content;

    template <class T>
    T& get() {
        return object_in<T>(content);
    }
    Content& slot() { return content; }
    static constexpr bool is_hole() { return false; }
    template <class Other>
    void take_marks(const item<Other, plain>&) {}
};

template <class Content>
struct item<Content, holed> {
    Content content;
    bool hole;

    template <class T>
    T& get() {
        return object_in<T>(content);
    }
    Content& slot() { return content; }
    bool is_hole() const { return hole; }
    void set_hole(bool value) { hole = value; }
    template <class Other>
    void take_marks(const item<Other, holed>&) {
        hole = false;
    }
};

template <class Content, class Outer>
struct item<Content, numbered<Outer>> {
    item<Content, Outer> outer;
    std::uint32_t sequence;
    bool last;
    bool hole;
    bool failed;  // what is thrown in its place fails the run when its turn has come

    template <class T>
    T& get() {
        return outer.template get<T>();
    }
    Content& slot() { return outer.slot(); }
    bool is_hole() const { return hole; }
    void set_hole(bool value) { hole = value; }
    void set_failed() { hole = failed = true; }
    // Takes the marks of the message from which it is made. But it is no hole, so far.
    template <class Other>
    void take_marks(const item<Other, numbered<Outer>>& from) {
        outer.take_marks(from.outer);
        sequence = from.sequence;
        last = from.last;
        hole = false;
        failed = from.failed;
    }
};

// Does what is the user's with an item of that shape; false if it threw. `to`: what is passed on in its place.
template <class State, class Content, class Shape, class Action>
[[gnu::always_inline]] inline bool guard_item(State& state, [[maybe_unused]] item<Content, Shape>& to, Action action) {
    if constexpr (is_numbered<Shape>) {
        if (state.guard_in_order(std::move(action))) return true;
        to.set_failed();
        return false;
    } else {
        return state.guard(std::move(action));
    }
}

// Moves an item on. If its own type throws, the run fails. Then a marked item still goes, as a hole, and true is
// returned, so that nobody misses it. A plain item does not.
template <class State, class Content, class Shape>
bool move_item(State& state, item<Content, Shape>& to, item<Content, Shape>& from) {
    if (guard_item(state, to, [&] { to = std::move(from); })) return true;
    if constexpr (is_marked<Shape>) {
        to.take_marks(from);
        if constexpr (is_numbered<Shape>) to.set_failed();
        to.set_hole(true);
    }
    return is_marked<Shape>;
}

// Writes what a stage has made of an item with these marks: a content, or none, the last of the item's or not. If
// moving it throws, a hole goes in its place.
template <class State, class Content, class T, class Shape, class Marks>
void write_item(State& state, item<Content, Shape>& to, const Marks& marks, T* content, [[maybe_unused]] bool last,
                [[maybe_unused]] bool hole) {
    to.take_marks(marks);
    if constexpr (is_marked<Shape>) to.set_hole(hole);
    if constexpr (is_numbered<Shape>) to.last = last;
    if (content && !guard_item(state, to, [&] { to.slot() = std::move(*content); }))
        if constexpr (is_marked<Shape>) to.set_hole(true);
}

}  // namespace croft::detail
