#pragma once
// Who does what in a run of a map: how many workers and threads there are, on which cores, who sends to whom, and how
// many slots the channels have.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include <croft/channel/many_to_one.hpp>
#include <croft/channel/network_many_to_one.hpp>
#include <croft/channel/word_message.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/multicast.hpp>
#include <croft/pattern/role_threads.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

class map_plan {
public:
    // Throws std::invalid_argument.
    explicit map_plan(const map_options& options)
        : workers_(options.workers ? options.workers : default_workers()),
          caller_works_(choose(options)),
          slots_(options.slots ? options.slots : default_slots),
          cores_(place_roles("croft::map", caller_works_ ? "workers, the caller first" : "emitter, workers, collector",
                             caller_works_ ? workers_ : workers_ + 2, options.pinned, options.cores)),
          multicast_(options.distribution, workers_, caller_works_) {}

    std::size_t workers() const { return workers_; }
    std::size_t slots() const { return slots_; }
    bool caller_works() const { return caller_works_; }
    // The caller included.
    std::size_t threads() const { return caller_works_ ? workers_ : workers_ + 2; }
    // The first worker that is a thread of its own.
    std::size_t first_threaded() const { return caller_works_ ? 1 : 0; }

    const std::vector<int>& cores() const { return cores_; }
    std::size_t role_of_emitter() const { return 0; }
    std::size_t role_of_worker(std::size_t number) const { return caller_works_ ? number : number + 1; }
    std::size_t role_of_collector() const { return caller_works_ ? 0 : workers_ + 1; }

    share whole() const { return {0, workers_, workers_}; }
    share branch(std::size_t worker) const { return multicast_.branch(worker); }
    const std::vector<share>& of_emitter() const { return multicast_.of_emitter(); }
    std::vector<share> of_worker(std::size_t worker) const { return multicast_.of_worker(worker); }
    // The worker that sends to this one; none if the emitter does.
    std::optional<std::size_t> sender_to(std::size_t worker) const {
        for (std::size_t i = first_threaded(); i < worker; ++i)
            for (const share& to : of_worker(i))
                if (to.first == worker) return i;
        return std::nullopt;
    }

private:
    static constexpr std::size_t default_slots = port::waits_on_lines ? 2 : 64;
    static std::size_t default_workers() {
        const std::size_t cores = port::core_count();
        return port::waits_on_lines && cores > 3 ? cores - 2 : cores;
    }
    bool choose(const map_options& options) const {
        if (options.roles != map_roles::automatic) return options.roles == map_roles::caller;
        return options.cores.empty() && port::core_count() < workers_ + 2;
    }

    std::size_t workers_;
    bool caller_works_;
    std::size_t slots_;
    std::vector<int> cores_;
    multicast multicast_;
};

// How many slots each worker's results get: as asked, or, where they travel as words into one hardware queue, as many
// as fit there together (paper 001, IV.B.1), but at least one.
template <class Result, class Policies>
std::size_t result_slots([[maybe_unused]] std::size_t senders, std::size_t asked) {
#if defined(CROFT_MANY_CORE)
    if constexpr (sends_words<Policies>)
        return std::clamp<std::size_t>(port::queue_words / (senders * (1 + addressed_message<Result>::words)), 1,
                                       asked);
#endif
    return asked;
}

// Whether messages of a type can be words of a network, and a map's with these results get through (map.hpp).
#if defined(CROFT_MANY_CORE)
template <class Message>
inline constexpr bool may_be_words = std::is_trivially_copyable_v<Message> && sizeof(Message) <= 64;
template <class Result>
bool fits_network(const map_options& options) {
    const std::size_t workers = options.workers ? options.workers : port::core_count();
    return port::has(port::feature::user_network) && options.distribution == distribution::tree &&
           workers * (1 + addressed_message<Result>::words) <= port::queue_words;
}
#else
template <class Message>
inline constexpr bool may_be_words = false;
template <class Result>
bool fits_network(const map_options&) {
    return false;
}
#endif

}  // namespace croft::detail
