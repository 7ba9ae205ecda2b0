#pragma once
// Feedback: a pattern's results may go through it again.
//
//     croft::feedback(refine, [](const mesh& m) { return m.error > limit; })       // again, if true
//     croft::feedback(croft::farm(expand), [](node n, croft::out<node>& back, croft::out<path>& out) { ... })
//
// The second form decides item by item what goes back, what leaves, and how many of each. Items that go back have the
// type of those that come in. They come before new ones, so with a loop that makes many items of one, new ones wait.
// All that go back are kept, however many they are: a bound there could only end in everybody waiting for everybody.
//
// The stream ends when it has ended outside and no item is left in the loop. A stop that drains lets items go round for
// as long as they want; one that drops lets none.
//
// Within an ordered farm, one item at a time is let into the loop, or the order would be lost in it.

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/loop_node.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

namespace detail {

template <class Body, class Route>
class feedback_pattern {
public:
    template <class In>
    static auto find() {  // public because `output` names it, which clang 14 refuses if it is private
        using made = output_of<Body, In>;
        if constexpr (!is_output<made>)
            return std::type_identity<made>{};
        else if constexpr (loop_route<Route, In, made>::form == route_form::none)
            return std::type_identity<none_of<Route, made>>{};
        else
            return std::type_identity<typename loop_route<Route, In, made>::out>{};
    }

    feedback_pattern(Body body, Route route) : body_(std::move(body)), route_(std::move(route)) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename decltype(find<In>())::type;

    // Where the loop begins is where it ends: one role.
    void describe(role_list& roles) {
        roles.within("feedback.", false, [&] {
            roles.add("loop", role_kind::emitter);
            body_.describe(roles);
        });
    }
    std::size_t role_count() const { return 1 + body_.role_count(); }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    inlet<item_of<In, Shape>, Policies>& build(builder<Policies>& make, context around, std::size_t first, Next& next) {
        return make.within(first + role_count() - 1, [&]() -> inlet<item_of<In, Shape>, Policies>& {
            return build_loop<In, Shape>(make, around, first, next);
        });
    }

private:
    template <class In, class Shape, class Policies, class Next>
    inlet<item_of<In, Shape>, Policies>& build_loop(builder<Policies>& make, context around, std::size_t first,
                                                    Next& next) {
        using made = output_of<Body, In>;
        auto& loop = make.template make<loop_node<Route, In, made, Shape, Policies>>(
            first, route_, make.state(first), around.loop, make.thread_of(first), next);
        const std::size_t from = body_.exit(first + 1), to = body_.entry(first + 1);
        auto& body = body_.template build<In, holed>(make, context{&loop.in_flight()}, first + 1,
                                                     make.link(from, first, from, loop.back()));
        loop.begin(make.link(first, to, to, body));
        return loop;
    }

    Body body_;
    Route route_;
};

}  // namespace detail

template <class Body, class Route>
auto feedback(Body&& body, Route route) {
    return detail::feedback_pattern<detail::as_pattern_t<Body>, Route>(detail::as_pattern(std::forward<Body>(body)),
                                                                       std::move(route));
}

}  // namespace croft
