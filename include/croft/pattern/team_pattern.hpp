#pragma once
// Patterns in which N workers work on one item together share this: their roles, and their tree (engine/team.hpp).

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <croft/pattern/engine/team.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

struct team_options {
    std::size_t workers = 0;  // 0: one for each thread
};

namespace detail {

// Derived has name(), output<In>, and a kernel<In, Policies> (engine/team.hpp). The kernel is made of the pattern, the
// run's state, a core, the worker's number and that of all workers.
template <class Derived>
class team_pattern {
public:
    explicit team_pattern(team_options options) : options_(options) {}

    static constexpr bool is_pattern = true;

    void describe(role_list& roles) {
        workers_ = std::max<std::size_t>(1, options_.workers ? options_.workers : roles.threads());
        roles.within(std::string(Derived::name()) + '.', false, [&] {
            for (std::size_t i = 0; i < workers_; ++i) roles.add("worker " + std::to_string(i), role_kind::worker);
        });
    }
    std::size_t role_count() const { return workers_; }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first; }

    template <class In, class Shape, class Policies, class Next>
    inlet<item<In, Shape>, Policies>& build(builder<Policies>& make, context, std::size_t first, Next& next) {
        using out = output_of<Derived, In>;
        using kernel = typename Derived::template kernel<In, Policies>;
        using member = team_member<kernel, Policies>;
        const std::size_t last = first + workers_ - 1;
        std::vector<kernel*> kernels;
        for (std::size_t i = 0; i < workers_; ++i)
            kernels.push_back(&make.template make<kernel>(first + i, static_cast<Derived&>(*this), make.state(last),
                                                          make.core_of(first + i), i, workers_));
        if constexpr (requires { kernels[0]->connect(make, first, first, *kernels[0]); })
            for (std::size_t i = 0; i + 1 < workers_; ++i)
                kernels[i]->connect(make, first + i, first + i + 1, *kernels[i + 1]);

        auto& root = make.template make_role<team_root<kernel, In, out, Shape, Policies>>(first, *kernels[0],
                                                                                          make.state(last), next);
        std::vector<member*> members{&root.part()};
        for (std::size_t i = 1; i < workers_; ++i) {
            const std::size_t parent = team_parent(i), own = first + i;
            auto& down = make.template make_channel<typename kernel::down>(first + parent, own, own, 1);
            auto& up = make.template make_channel<typename kernel::up>(own, first + parent, own, 1);
            auto& worker =
                make.template make_role<team_worker<kernel, Policies>>(own, *kernels[i], make.state(last), down, up);
            members.push_back(&worker.part());
            members[parent]->add_child({&down, &up});
        }
        return root;
    }

private:
    team_options options_;
    std::size_t workers_ = 1;
};

}  // namespace detail
}  // namespace croft
