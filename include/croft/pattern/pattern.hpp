#pragma once
// A pattern is a value that says which roles it has, and makes its part of a network of them. Patterns are made of
// patterns; a callable (stage.hpp) is the smallest one. It has
//
//   output<In>                   the items it makes of items of type In; none_of if it takes no such items
//   describe(roles)              names its roles, in the order in which items pass them
//   role_count()                 how many these are
//   entry(first), exit(first)    the roles that items come to, and leave from, if `first` is its first one
//   build<In, Shape>(make, around, first, next)
//                                makes its part, which sends what it makes to `next`, and returns its inlet. Both are
//                                used by the thread of its entry and its exit
//
// As a whole it is run (run.hpp), held by an accelerator (accelerator.hpp), or put into another one.

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/emitting_node.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/role_list.hpp>
#include <croft/pattern/engine/stage_node.hpp>
#include <croft/pattern/stage.hpp>

namespace croft::detail {

// The surroundings of a pattern.
struct context {
    flight* loop = nullptr;  // the loop that counts its messages
};

// In place of an output: this stage takes no items of type In.
template <class Stage, class In>
struct none_of {};
template <class Output>
inline constexpr bool is_output = true;
template <class Stage, class In>
inline constexpr bool is_output<none_of<Stage, In>> = false;

// Nor is this an output: objects of its type would have to be there before the stage makes them.
template <class T>
struct no_item {};
template <class T>
inline constexpr bool is_output<no_item<T>> = false;
template <class T>
using item_if_default = std::conditional_t<std::is_default_constructible_v<T>, T, no_item<T>>;

template <class P, class In>
using output_of = typename P::template output<In>;

// The error that a wrong composition gets, once: its first stage that does not fit, and what it would get.
template <class Output>
struct require_output {
    using type = Output;
};
template <class T>
struct require_output<no_item<T>> {
    static_assert(std::is_default_constructible_v<T>,
                  "croft: what this stage makes has no default constructor, and needs one, because it is written in "
                  "place, or put together by several workers. The instantiation of no_item<T> names it; a "
                  "std::optional<T> has one");
    using type = no_item<T>;
};
template <class Stage, class In>
struct require_output<none_of<Stage, In>> {
    static_assert(!std::is_same_v<Stage, Stage>,
                  "croft: this stage cannot take these items. The instantiation of none_of<STAGE, ITEM> names both; a "
                  "stage is Out (In), std::optional<Out> (In), void (const In&, Out&) or void (In, croft::out<Out>&)");
};

// The same of a run's sink.
template <class Sink, class Item>
struct require_sink {
    static constexpr bool takes = std::invocable<Sink&, Item&&>;
    static_assert(takes,
                  "croft::run: the sink cannot take what the pattern makes. The instantiation of require_sink<SINK, "
                  "ITEM> names both; a sink is void (ITEM) or void (const ITEM&)");
};

// A callable as a pattern of one role.
template <class F>
class stage_pattern {
public:
    template <class In>
    static auto find() {  // public because `output` names it, which clang 14 refuses if it is private
        using traits = stage_traits<F, In>;
        if constexpr (traits::form == stage_form::none)
            return std::type_identity<none_of<F, In>>{};
        else if constexpr (traits::form == stage_form::in_place)
            return std::type_identity<item_if_default<typename traits::out>>{};
        else
            return std::type_identity<typename traits::out>{};
    }

    template <class G>
        requires(!std::same_as<std::decay_t<G>, stage_pattern>)
    explicit stage_pattern(G&& stage) : stage_(std::forward<G>(stage)) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename decltype(find<In>())::type;

    void describe(role_list& roles) const { roles.add("stage", role_kind::worker); }
    std::size_t role_count() const { return 1; }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    inlet<item_of<In, Shape>, Policies>& build(builder<Policies>& make, context around, std::size_t first, Next& next) {
        if constexpr (stage_traits<F, In>::form == stage_form::emitting)
            return make.template metered<item_of<In, Shape>>(
                first, make.template make<emitting_node<F, In, Shape, Policies>>(
                           first, stage_, make.state(first), around.loop, make.thread_of(first), next));
        else
            return make.template metered<item_of<In, Shape>>(
                first, make.template make<stage_node<F, In, Shape, Policies>>(first, stage_, make.state(first),
                                                                              make.core_of(first), next));
    }

private:
    F stage_;
};

// One that does so little that it should not get a thread.
template <class F>
class light_stage : public stage_pattern<F> {
public:
    using stage_pattern<F>::stage_pattern;
    void describe(role_list& roles) const { roles.add("stage", role_kind::emitter); }
};

template <class P>
concept a_pattern = std::decay_t<P>::is_pattern;

template <class P>
decltype(auto) as_pattern(P&& stage) {
    if constexpr (a_pattern<P>)
        return std::forward<P>(stage);
    else
        return stage_pattern<std::decay_t<P>>(std::forward<P>(stage));
}
template <class P>
using as_pattern_t = std::decay_t<decltype(as_pattern(std::declval<P>()))>;

}  // namespace croft::detail
