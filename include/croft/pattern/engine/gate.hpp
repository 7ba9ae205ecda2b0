#pragma once
// A gate lets one item at a time into a part that does not keep their order, and lets out what comes of it. So it keeps
// the order of an ordered farm around it.

#include <cstddef>
#include <utility>

#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/loop_node.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/pattern/stage.hpp>

namespace croft::detail {

template <class In, class Out>
class gate {
    struct straight_on {
        void operator()(Out made, croft::out<In>&, croft::out<Out>& out) const { out.send(std::move(made)); }
    };

public:
    // The gate of a part with roles `first` to `last`, which `build_inside(next, context)` makes as one whose messages
    // are counted. It lies at `first`.
    template <class Shape, class Policies, class Next, class BuildInside>
    inlet<item_of<In, Shape>, Policies>& build(builder<Policies>& make, context around, std::size_t first,
                                               std::size_t last, Next& next, BuildInside build_inside) {
        inlet<item_of<Out, Shape>, Policies>& outside = next;
        auto& loop = make.template make<loop_node<straight_on, In, Out, Shape, Policies>>(
            first, straight_on_, make.state(first), around.loop, make.thread_of(first),
            make.link(first, last, last, outside));
        loop.begin(build_inside(make.link(last, first, first, loop.back()), context{&loop.in_flight()}));
        return loop;
    }

private:
    straight_on straight_on_;
};

}  // namespace croft::detail
