#pragma once
// A stage: what makes the items of one stream from those of another. It is a callable, or an object with one, in one of
// four forms; the types of its items follow from its own.
//
//   Out (In)                    one from each
//   std::optional<Out> (In)     one or none: a filter
//   void (const In&, Out&)      one from each, written where it will travel. There it finds whatever an earlier item
//                               left
//   void (In, croft::out<Out>&) none, one or many, by out.send(...)
//
// The last two name their Out, so they have a single operator(), which is no template.

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/pattern/role.hpp>

namespace croft {

// Where a stage sends what it makes of an item, for as long as that call lasts.
template <class T>
class out {
public:
    virtual void send(T item) = 0;

protected:
    ~out() = default;
};

namespace detail {

// The second parameter of a callable with a single operator(); void if it has none such.
template <class F>
struct second_parameter {
    template <class R, class A, class B>
    static B of(R (*)(A, B));
    template <class C, class R, class A, class B>
    static B of(R (C::*)(A, B));
    template <class C, class R, class A, class B>
    static B of(R (C::*)(A, B) const);
    template <class C, class R, class A, class B>
    static B of(R (C::*)(A, B) noexcept);
    template <class C, class R, class A, class B>
    static B of(R (C::*)(A, B) const noexcept);

    template <class G>
    static auto find() {
        if constexpr (requires { of(&G::operator()); })
            return std::type_identity<decltype(of(&G::operator()))>{};
        else if constexpr (requires(G g) { of(g); })
            return std::type_identity<decltype(of(std::declval<G>()))>{};
        else
            return std::type_identity<void>{};
    }
    using type = typename decltype(find<std::unwrap_reference_t<F>>())::type;
};

template <class T>
struct unwrapped_optional {
    using type = T;
    static constexpr bool is = false;
};
template <class T>
struct unwrapped_optional<std::optional<T>> {
    using type = T;
    static constexpr bool is = true;
};
template <class T>
struct unwrapped_out {
    using type = void;
};
template <class T>
struct unwrapped_out<croft::out<T>&> {
    using type = T;
};

enum class stage_form { none, by_value, filter, in_place, emitting };

// The results of a stage of type F on items of type In. `form` is none if it takes no such items.
template <class F, class In>
struct stage_traits {
private:
    using second = typename second_parameter<std::decay_t<F>>::type;
    using emits = typename unwrapped_out<second>::type;

    static constexpr stage_form find() {
        if constexpr (std::invocable<F&, In&&>) {
            using made = std::decay_t<std::invoke_result_t<F&, In&&>>;
            if (std::is_void_v<made>) return stage_form::none;
            return unwrapped_optional<made>::is ? stage_form::filter : stage_form::by_value;
        } else if constexpr (std::is_void_v<second>) {
            return stage_form::none;
        } else if constexpr (!std::is_void_v<emits>) {
            return std::invocable<F&, In&&, croft::out<emits>&> ? stage_form::emitting : stage_form::none;
        } else {
            using slot = std::remove_reference_t<second>;
            return std::is_lvalue_reference_v<second> && !std::is_const_v<slot> && std::invocable<F&, const In&, slot&>
                       ? stage_form::in_place
                       : stage_form::none;
        }
    }
    static auto make() {
        if constexpr (find() == stage_form::none)
            return std::type_identity<void>{};
        else if constexpr (find() == stage_form::emitting)
            return std::type_identity<emits>{};
        else if constexpr (find() == stage_form::in_place)
            return std::type_identity<std::remove_reference_t<second>>{};
        else
            return std::type_identity<
                typename unwrapped_optional<std::decay_t<std::invoke_result_t<F&, In&&>>>::type>{};
    }

public:
    static constexpr stage_form form = find();
    using out = typename decltype(make())::type;
};

// The items of a source: by value `std::optional<T> ()`, in place `bool (T&)`, or either with a number (role.hpp).
template <class Source>
struct source_traits {
private:
    template <class R, class A>
    static A of(R (*)(A));
    template <class C, class R, class A>
    static A of(R (C::*)(A));
    template <class C, class R, class A>
    static A of(R (C::*)(A) const);
    template <class R, class A>
    static A of(R (*)(A, std::size_t));
    template <class C, class R, class A>
    static A of(R (C::*)(A, std::size_t));
    template <class C, class R, class A>
    static A of(R (C::*)(A, std::size_t) const);
    template <class Made>
    using unwrapped = std::type_identity<
        std::conditional_t<unwrapped_optional<Made>::is, typename unwrapped_optional<Made>::type, void>>;
    template <class G>
    static constexpr bool makes_by_number() {
        if constexpr (std::invocable<G&, std::size_t>)
            return unwrapped_optional<std::decay_t<std::invoke_result_t<G&, std::size_t>>>::is;
        else
            return false;
    }
    template <class G>
    static auto find() {
        if constexpr (std::invocable<G&>) {
            return unwrapped<std::decay_t<std::invoke_result_t<G&>>>{};
        } else if constexpr (makes_by_number<G>()) {
            return unwrapped<std::decay_t<std::invoke_result_t<G&, std::size_t>>>{};
        } else if constexpr (requires { of(&G::operator()); }) {
            return std::type_identity<std::remove_reference_t<decltype(of(&G::operator()))>>{};
        } else if constexpr (requires(G g) { of(g); }) {
            return std::type_identity<std::remove_reference_t<decltype(of(std::declval<G>()))>>{};
        } else {
            return std::type_identity<void>{};
        }
    }

public:
    using type = typename decltype(find<std::unwrap_reference_t<std::decay_t<Source>>>())::type;  // void: it is none
};

}  // namespace detail
}  // namespace croft
