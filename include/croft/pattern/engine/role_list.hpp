#pragma once
// The roles of a network, while its patterns name them.

#include <cstddef>
#include <string>
#include <vector>

#include <croft/pattern/plan.hpp>

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
    // How many threads there are for all roles.
    std::size_t threads() const { return threads_; }
    std::vector<planned_role>& roles() { return roles_; }

private:
    std::size_t enter(const std::string& prefix, bool within_farm);
    void leave(std::size_t before, bool within_farm);

    std::size_t threads_;
    std::string prefix_;
    int depth_ = 0;
    std::vector<planned_role> roles_;
};

}  // namespace croft::detail

#if !defined(CROFT_COMPILED)
#include <croft/pattern/engine/role_list_body.hpp>
#endif
