#pragma once
// The roles of a network, while its patterns name them.

#include <algorithm>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include <croft/pattern/plan.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// Names roles as they are described.
class role_list {
public:
    explicit role_list(std::size_t threads) : threads_(threads) {}

    // `row`: see planned_role.
    void add(const std::string& name, role_kind kind, bool row = false);
    // Those that `describe` adds have this before their names; `within_farm`: they are a worker of a farm.
    template <class Describe>
    void within(const std::string& prefix, bool within_farm, Describe describe) {
        const std::size_t before = enter(prefix, within_farm);
        describe();
        leave(before, within_farm);
    }
    // How many threads there are for all roles, and those that help them.
    std::size_t threads() const { return threads_; }
    // So many threads beside its own help a role that was added (loop_stage.hpp).
    void add_helpers(std::size_t threads) {
        if constexpr (has_helpers) helpers_ = std::max(helpers_, threads);
    }
    // How many threads the roles may have. Source, sink and the like get one of their own only if helpers leave it:
    // while it waits it would keep one of them from its core.
    std::size_t threads_of_roles() const {
        if constexpr (!has_helpers) {
            return threads_;
        } else {
            const auto workers = static_cast<std::size_t>(
                std::count_if(roles_.begin(), roles_.end(), [](const planned_role& role) { return role.works(); }));
            const std::size_t left = threads_ > helpers_ ? threads_ - helpers_ : 1;
            return std::max(left, std::min(workers, threads_));
        }
    }
    std::vector<planned_role>& roles() { return roles_; }

private:
    std::size_t enter(const std::string& prefix, bool within_farm);
    void leave(std::size_t before, bool within_farm);

    std::size_t threads_;
    std::string prefix_;
    int depth_ = 0;
    static constexpr bool has_helpers = !port::waits_on_lines;  // there nobody helps
    struct nobody {};
    [[no_unique_address]] std::conditional_t<has_helpers, std::size_t, nobody> helpers_{};
    std::vector<planned_role> roles_;
};

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/pattern/engine/role_list_body.hpp>
#endif
