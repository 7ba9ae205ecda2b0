#pragma once
// When messages are words on the machine's network, in a map whose sink takes parts. There is a network, and the run
// has named no other channels. Items and results are a few words each. Items go down a tree. Each role has a core for
// itself, because a worker of a tree needs the core's four hardware queues. One result of every worker fits into the
// collector's queue. That holds 128 words, of which each result takes one and its own; so 128 workers that return
// nothing find room.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

#include <croft/channel/kinds.hpp>
#include <croft/channel/network_many_to_one.hpp>
#include <croft/channel/policies.hpp>
#include <croft/channel/word_message.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

using word_channels = kinds::udn;

template <class Policies, class Item, class Result>
inline constexpr bool may_be_words =
    port::is_many_core && std::same_as<Policies, policies> && std::is_trivially_copyable_v<Item> &&
    sizeof(Item) <= 64 && std::is_trivially_copyable_v<Result> && sizeof(Result) <= 64;
template <class Result>
bool fits_network(std::size_t workers) {
    return port::has(port::feature::user_network) &&
           workers * (1 + addressed_message<Result>::words) <= port::queue_words;
}

// How many slots each worker's results get: as asked, unless they travel as words into one hardware queue. Then it is
// as many as fit there together (paper 001, IV.B.1), but at least one.
template <class Result, class Channels>
std::size_t result_slots([[maybe_unused]] std::size_t senders, std::size_t asked) {
    if constexpr (sends_words<Channels>)
        return std::clamp<std::size_t>(port::queue_words / (senders * (1 + addressed_message<Result>::words)), 1,
                                       asked);
    else
        return asked;
}

}  // namespace croft::detail
