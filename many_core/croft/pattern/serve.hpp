#pragma once
// Makes a pattern an accelerator on a co-processor (host_link.hpp): it works on what a host offloads to this program,
// until the host ends the stream. All of such a program:
//
//     int main() { croft::serve<int, long>(croft::farm([](int n) { return long{n} * n; })); }
//
// The pattern's items are In and Out, copied out of and into the slots of the link. Or it takes the slots themselves:
// croft::offloaded<In>, which a stage takes by value so that its slot is free when it returns. Its result then is Out,
// or croft::returned<Out>, which host.make() gives:
//
//     croft::host_link<matrix, matrix> host;
//     croft::serve(host, croft::farm([&](croft::offloaded<matrix> a) { auto c = host.make(); ... return c; }));
//
// Items are whatever host_link takes; by copy no spans. The calling thread receives and another one sends, on cores
// of their own; the pattern has the others, so it takes three at least. An exception in the pattern leaves serve() at
// once; the host is told when the program ends.

#include <algorithm>
#include <cstddef>
#include <exception>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include <croft/pattern/accelerator.hpp>
#include <croft/pattern/host_link.hpp>
#include <croft/port/count_option.hpp>

namespace croft {

struct serve_options {
    count_option threads = 0;  // of the pattern; 0: one for each core but the two of the link
    detail::placement place = placements::neighbours{.spare = 2};
    count_option slots = 0;  // K of the channels within; 0: as in run_options
};

namespace detail {

template <class Pattern, class In>
using served_item = std::conditional_t<is_output<output_of<as_pattern_t<Pattern>, offloaded<In>>>, offloaded<In>, In>;

}  // namespace detail

// Throws std::invalid_argument on fewer than three cores, and whatever the pattern throws. Closes the link.
template <class Policies = policies, class In, class Out, class Pattern>
void serve(host_link<In, Out>& host, Pattern&& pattern, serve_options options = {}) {
    using item = detail::served_item<Pattern, In>;
    using result = typename detail::require_output<detail::output_of<detail::as_pattern_t<Pattern>, item>>::type;
    static_assert(std::is_same_v<result, Out> || std::is_same_v<result, returned<Out>> || !detail::is_output<result>,
                  "croft::serve: the pattern makes something else of these items");

    const std::size_t cores = port::core_count();
    if (cores < 3) throw std::invalid_argument("croft::serve: the link takes two cores, the pattern at least one");
    accelerator<item, result, Policies> served(std::forward<Pattern>(pattern),
                                               {.threads = options.threads ? std::size_t{options.threads} : cores - 2,
                                                .place = std::move(options.place),
                                                .input_slots = 2,
                                                .output_slots = 2,
                                                .slots = options.slots});

    std::exception_ptr failure;
    std::thread sender([&] {
        try {
            while (std::optional<result> made = served.get_result()) {
                if constexpr (std::is_same_v<result, Out>) {
                    returned<Out> message = host.make();
                    *message = *made;
                    host.send(std::move(message));
                } else {
                    host.send(std::move(*made));
                }
            }
        } catch (...) {
            failure = std::current_exception();
            host.abandon();  // so that nobody waits for the host any longer
            served.stop();
        }
    });
    try {
        while (std::optional<offloaded<In>> got = host.receive()) {
            if constexpr (std::is_same_v<item, In>)
                served.offload(**got);
            else
                served.offload(std::move(*got));
        }
    } catch (...) {
        served.stop();
        served.close();
        host.abandon();
        sender.join();
        throw;
    }
    served.close();
    sender.join();
    if (failure) std::rethrow_exception(failure);
    host.close();
}

template <class In, class Out, class Policies = policies, class Pattern>
void serve(Pattern&& pattern, serve_options options = {}) {
    host_link<In, Out> host;
    serve<Policies>(host, std::forward<Pattern>(pattern), std::move(options));
}

}  // namespace croft
