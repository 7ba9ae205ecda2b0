#pragma once
// The forms in which the roles of a map may be written, beside those of role.hpp for its emitter.
//
//   worker      Result (Item, share)   or   Result (Item)
//               void: what it makes is in the item, or where the item says
//   collector   void (Result, map_part)   or   void (Result)
//               void (std::size_t item), if workers return nothing: once an item is complete, its number in the
//               stream
//   splitter    Item (Item&, share part) const: this part of an item; it may take it out, the rest is of others.
//               Many threads may call it at the same time

#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/role.hpp>

namespace croft::detail {

// The splitter of a map that hands every worker the whole item.
struct whole_item {
    template <class Item>
    const Item& operator()(const Item& item, share) const {
        return item;
    }
};

template <class Call>
auto result_or_done(Call call) {
    if constexpr (std::is_void_v<decltype(call())>) {
        call();
        return part_done{};
    } else {
        return call();
    }
}
template <class Worker, class Item>
auto work_on(Worker& worker, Item&& item, share mine) {
    if constexpr (std::invocable<Worker&, Item&&, share>)
        return result_or_done([&]() -> decltype(auto) { return worker(std::forward<Item>(item), mine); });
    else
        return result_or_done([&]() -> decltype(auto) { return worker(std::forward<Item>(item)); });
}
template <class Worker, class Item>
concept maps_item = std::invocable<Worker&, Item&&, share> || std::invocable<Worker&, Item&&>;
// What a worker makes of an item.
template <class Worker, class Item>
using mapped = std::decay_t<decltype(work_on(std::declval<std::decay_t<Worker>&>(), std::declval<Item>(), share{}))>;

template <class Collector, class Result>
void collect_part(Collector& collector, Result&& result, map_part part) {
    if constexpr (std::invocable<Collector&, Result&&, map_part>)
        collector(std::move(result), part);
    else if constexpr (std::is_same_v<Result, part_done>)
        collector(part.item);
    else
        collector(std::move(result));
}
template <class Collector, class Result>
concept collects_parts = std::invocable<Collector&, Result&&, map_part> || std::invocable<Collector&, Result&&> ||
                         (std::is_same_v<Result, part_done> && std::invocable<Collector&, std::size_t>);

template <class Splitter, class Item>
concept splits_item = requires(const Splitter& splitter, Item& item) {
    { splitter(item, share{}) } -> std::convertible_to<Item>;
};

// What is sent where there is nothing to send, in a run that has failed or drops: nobody looks at it, but every item
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
