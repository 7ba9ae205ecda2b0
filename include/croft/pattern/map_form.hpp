#pragma once
// The forms in which the callables of a map may be written, and what follows from them.
//
//   worker      Result (Item, share)   or   Result (Item)
//               void: what it makes is in the item, or where the item says
//   gather      Result (Result, Result)   or   Out (Item, std::vector<Result>)
//   splitter    Item (Item&, share part) const: this part of an item; it may take it out, the rest is of others
//   sink        void (Result, map_part): in a map without a gather, each worker's result as it comes. If workers return
//               nothing, it gets part_done, once an item's parts are all there

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft::detail {

// The splitter of a map that hands every worker the whole item.
struct whole_item {
    template <class Item>
    const Item& operator()(const Item& item, share) const {
        return item;
    }
};

struct no_gather {};

// (Inline: it stands around every call of a worker.)
template <class Call>
[[gnu::always_inline]] inline auto result_or_done(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return part_done{};
    } else {
        return call();
    }
}
template <class Worker, class Item>
[[gnu::always_inline]] inline auto work_on(Worker& worker, Item&& item, share mine) {
    if constexpr (std::invocable<Worker&, Item&&, share>)
        return result_or_done([&]() -> decltype(auto) { return worker(std::forward<Item>(item), mine); });
    else
        return result_or_done([&]() -> decltype(auto) { return worker(std::forward<Item>(item)); });
}
template <class Worker, class Item>
concept maps_item = std::invocable<Worker&, Item&&, share> || std::invocable<Worker&, Item&&>;
// A worker's result of an item.
template <class Worker, class Item>
using mapped = std::decay_t<decltype(work_on(std::declval<std::decay_t<Worker>&>(), std::declval<Item>(), share{}))>;

template <class Splitter, class Item>
concept splits_item = requires(Splitter& splitter, Item& item) {
    { splitter(item, share{}) } -> std::convertible_to<Item>;
};

enum class gather_form { none, in_place, combine, all };

// A map's results of items of type In.
template <class Worker, class Gather, class Splitter, class In>
struct map_form {
private:
    static auto find_result() {
        if constexpr (maps_item<Worker, In&>)
            return std::type_identity<mapped<Worker, In&>>{};
        else
            return std::type_identity<void>{};
    }

public:
    using result = typename decltype(find_result())::type;

private:
    static constexpr gather_form find() {
        if constexpr (std::is_void_v<result> || !splits_item<Splitter, In>)
            return gather_form::none;
        else if constexpr (std::is_same_v<Gather, no_gather>)
            // (Of an item that was split nobody would put the parts together again.)
            return std::is_same_v<result, part_done> && std::is_same_v<Splitter, whole_item> ? gather_form::in_place
                                                                                             : gather_form::none;
        else if constexpr (requires(Gather& gather, result some) {
                               { gather(std::move(some), std::move(some)) } -> std::convertible_to<result>;
                           })
            return gather_form::combine;
        else if constexpr (std::invocable<Gather&, In&&, std::vector<result>&&>)
            return gather_form::all;
        else
            return gather_form::none;
    }
    static auto find_out() {
        if constexpr (form == gather_form::in_place)
            return std::type_identity<In>{};
        else if constexpr (form == gather_form::combine)
            return std::type_identity<item_if_default<result>>{};
        else if constexpr (form == gather_form::all)
            return std::type_identity<std::decay_t<std::invoke_result_t<Gather&, In&&, std::vector<result>&&>>>{};
        else
            return std::type_identity<none_of<Worker, In>>{};
    }

public:
    static constexpr gather_form form = find();
    using out = typename decltype(find_out())::type;
    using value = std::conditional_t<form == gather_form::all, std::vector<result>, result>;  // what goes up the tree
};

// Whether a map's sink takes the parts themselves.
template <class Worker, class Gather, class Splitter, class In, class Sink>
concept takes_parts = std::same_as<Gather, no_gather> && maps_item<Worker, In> && splits_item<Splitter, In> &&
                      std::invocable<Sink&, mapped<Worker, In>&&, map_part>;

// A message for where there is nothing to send, in a run that has failed or drops. Nobody looks at it. But every item
// has to go its way and yield its results, because others count them. It is not null, which some queues do not carry.
template <class Message>
Message stand_in() {
    if constexpr (std::is_pointer_v<Message> && std::is_object_v<std::remove_pointer_t<Message>>) {
        alignas(std::max_align_t) static unsigned char nobody[sizeof(std::max_align_t)];
        return reinterpret_cast<Message>(&nobody);
    } else {
        return Message{};
    }
}

}  // namespace croft::detail
