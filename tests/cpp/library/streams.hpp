#pragma once
// Streams and work for tests of patterns.

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <croft/pattern/farm.hpp>
#include <croft/pattern/run.hpp>

namespace streams {

// A source of 0, 1, ... `count` - 1.
inline auto count_to(int count) {
    return [next = 0, count]() mutable -> std::optional<int> {
        return next < count ? std::optional(next++) : std::nullopt;
    };
}

// Work whose length differs from item to item, so that workers overtake each other.
inline int dawdle(int item) {
    volatile int spent = 0;
    for (int i = 0; i < item % 7 * 100; ++i) spent = spent + 1;
    return item * 3;
}

// Everything that a pattern makes of the stream 0, 1, ... `count` - 1, in the order in which it comes.
template <class Out, class Policies = croft::policies, class Pattern>
std::vector<Out> results_of(int count, Pattern&& pattern, std::size_t threads, std::size_t slots = 0) {
    std::vector<Out> results;
    croft::run<Policies>(count_to(count), pattern, [&](Out made) { results.push_back(std::move(made)); },
                         {.threads = threads, .slots = slots});
    return results;
}

// A farm by itself, with a thread for each role.
template <class Policies = croft::policies>
class threaded_farm {
public:
    explicit threaded_farm(croft::farm_options options, croft::placements::thread_a_role place = {})
        : options_(options), place_(std::move(place)) {}

    template <class Source, class Worker, class Sink>
    void run(Source&& source, const Worker& worker, Sink&& sink) {
        croft::run<Policies>(source, croft::farm(worker, options_), sink, {.place = place_, .stops = &stopper_});
    }
    void stop(croft::stop_mode mode = croft::stop_mode::drain) { stopper_.stop(mode); }

private:
    croft::farm_options options_;
    croft::placements::thread_a_role place_;
    croft::stopper stopper_;
};

// One thread, as many as cores, more.
inline const std::vector<std::size_t> thread_counts{1, 2, 3, 5, 12};

}  // namespace streams
