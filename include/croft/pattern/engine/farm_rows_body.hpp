#pragma once
// The bodies of farm_rows.hpp.

#include <algorithm>
#include <stdexcept>

#include <croft/pattern/engine/farm_rows.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

CROFT_INLINE void farm_rows::plan(const farm_options& options, std::size_t threads, surroundings around) {
    if (around.numbered_sink && options.ordered && options.collectors > 1)
        throw std::invalid_argument("croft::farm: results are in order at one collector, and there are to be " +
                                    std::to_string(options.collectors));
    const std::size_t most_collectors = std::max<std::size_t>(options.collectors, 1);
    std::size_t most_emitters = options.emitters;
    if (most_emitters == 0) {
        const bool many = around.numbered_source && port::waits_on_lines && !around.chooses;
        const std::size_t served = options.workers ? std::size_t{options.workers} : threads;
        most_emitters = many ? (served + workers_an_emitter - 1) / workers_an_emitter : 1;
    }
    if (most_emitters > 1 && around.chooses)
        throw std::invalid_argument("croft::farm: where workers are chosen, or items preferred, one emitter does it");
    // With few threads all work, also those of the emitter and the collector. With many, these two have enough to do.
    const std::size_t others = most_emitters + most_collectors;
    workers = options.workers                   ? std::size_t{options.workers}
              : threads > 8 && threads > others ? threads - others
                                                : threads;
    emitters = std::min(most_emitters, workers);
    collectors = std::min(most_collectors, workers);
    dispatcher = around.numbered_source ? 0 : 1;
    emitter_row = around.numbered_source || emitters > 1 ? emitters : 0;
    collector_row = around.numbered_sink || collectors > 1 ? collectors : 0;
    joiner = around.numbered_sink ? 0 : 1;
}

CROFT_INLINE void farm_rows::describe_emitters(role_list& roles) const {
    if (dispatcher) roles.add("emitter", role_kind::emitter);
    for (std::size_t e = 0; e < emitter_row; ++e)
        if (!dispatcher && e == 0)
            roles.add("emitter 0", role_kind::source);  // on the calling thread
        else
            roles.add("emitter " + std::to_string(e), role_kind::emitter, true);
}

CROFT_INLINE void farm_rows::describe_collectors(role_list& roles) const {
    for (std::size_t c = 0; c < collector_row; ++c)
        roles.add("collector " + std::to_string(c), role_kind::collector, joiner || c + 1 < collector_row);
    if (joiner) roles.add("collector", role_kind::collector);
}

CROFT_INLINE std::string farm_rows::worker_name(std::size_t i) { return "worker " + std::to_string(i) + '.'; }

}  // namespace croft::detail
