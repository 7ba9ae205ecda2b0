#pragma once
// The roles of a farm: an emitter, a row of more emitters, the workers, a row of collectors, and the collector that
// joins all. Each of them but the workers may be missing. A worker may be a pattern of several roles.

#include <cstddef>
#include <string>

#include <croft/pattern/engine/role_list.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/port/compiled.hpp>

namespace croft::detail {

struct farm_rows {
    // Whether the source and the sink take numbers (role.hpp): then each role of a row has it. `chooses`: the user
    // chooses an item's worker, or its urgency.
    struct surroundings {
        bool numbered_source = false, numbered_sink = false, chooses = false;
    };
    // How many of each there are, on so many threads. Throws std::invalid_argument for what cannot be.
    void plan(const farm_options& options, std::size_t threads, surroundings around);
    // Names them; `worker` names those of one worker, and tells how many these are.
    template <class Worker>
    void describe(role_list& roles, Worker& worker) {
        roles.within("farm.", false, [&] {
            describe_emitters(roles);
            for (std::size_t i = 0; i < workers; ++i)
                roles.within(worker_name(i), true, [&] { worker.describe(roles); });
            describe_collectors(roles);
        });
        worker_roles = worker.role_count();
        worker_entry = worker.entry(0);
        worker_exit = worker.exit(0);
    }

    std::size_t count() const { return dispatcher + emitter_row + workers * worker_roles + collector_row + joiner; }
    // Roles, if the farm's first one is `first`.
    std::size_t emitter_role(std::size_t first, std::size_t e) const { return first + dispatcher + e; }
    std::size_t worker_role(std::size_t first, std::size_t i) const {
        return first + dispatcher + emitter_row + i * worker_roles;
    }
    std::size_t collector_role(std::size_t first, std::size_t c) const { return worker_role(first, workers) + c; }
    std::size_t exit(std::size_t first) const { return first + count() - 1; }

    std::size_t workers = 0, emitters = 1, collectors = 1;
    // How many roles: before the emitters of a second row, or of several sources; these; and the same of collectors.
    std::size_t dispatcher = 1, emitter_row = 0, collector_row = 0, joiner = 1;
    // Of each worker: how many, and which of them items come to, and leave.
    std::size_t worker_roles = 1, worker_entry = 0, worker_exit = 0;

private:
    static constexpr std::size_t workers_an_emitter = 20;

    void describe_emitters(role_list& roles) const;
    void describe_collectors(role_list& roles) const;
    static std::string worker_name(std::size_t i);
};

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/pattern/engine/farm_rows_body.hpp>
#endif
