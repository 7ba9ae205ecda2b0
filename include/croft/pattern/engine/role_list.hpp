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

// The threads that help roles. Source, sink and the like get a thread of their own only if helpers leave one. While it
// waits it would keep a helper from its core.
class some_helpers {
public:
    void add(std::size_t threads) { most_ = std::max(most_, threads); }
    std::size_t leave(std::size_t threads, const std::vector<plan::role>& roles) const {
        const auto working = static_cast<std::size_t>(
            std::count_if(roles.begin(), roles.end(), [](const plan::role& role) { return role.works(); }));
        return std::max(threads > most_ ? threads - most_ : 1, std::min(working, threads));
    }

private:
    std::size_t most_ = 0;
};
// On a simulated many-core nobody helps.
struct no_helpers {
    void add(std::size_t) {}
    std::size_t leave(std::size_t threads, const std::vector<plan::role>&) const { return threads; }
};

// Names roles as they are described.
class role_list {
public:
    explicit role_list(std::size_t threads) : threads_(threads) {}

    // `row`: see plan::role.
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
    void add_helpers(std::size_t threads) { helpers_.add(threads); }
    // How many threads the roles may have.
    std::size_t threads_of_roles() const { return helpers_.leave(threads_, roles_); }
    std::vector<plan::role>& roles() { return roles_; }

private:
    std::size_t enter(const std::string& prefix, bool within_farm);
    void leave(std::size_t before, bool within_farm);

    std::size_t threads_;
    std::string prefix_;
    int depth_ = 0;
    [[no_unique_address]] std::conditional_t<port::waits_on_lines, no_helpers, some_helpers> helpers_;
    std::vector<plan::role> roles_;
};

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/pattern/engine/role_list_body.hpp>
#endif
