#pragma once
// Makes an emitter (emitter_node.hpp) at a role, and its channels to branches on other threads.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/emitter_node.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/engine/priority_emitter_node.hpp>
#include <croft/pattern/farm_options.hpp>

namespace croft::detail {

// Whether the user chooses an item's worker, or its urgency.
template <class Choose>
inline constexpr bool chooses = !std::is_same_v<Choose, no_choice>;
template <class Choose>
inline constexpr bool prefers = false;
template <class Of>
inline constexpr bool prefers<priority<Of>> = true;

// The branches that an emitter gives items to: inlets, each with its role.
template <class Item, class Policies>
class branches_of {
public:
    void add(std::size_t role, inlet<Item, Policies>& to) {
        roles_.push_back(role);
        inlets_.push_back(&to);
    }
    std::size_t size() const { return roles_.size(); }
    std::size_t role(std::size_t i) const { return roles_[i]; }
    inlet<Item, Policies>& operator[](std::size_t i) const { return *inlets_[i]; }

private:
    std::vector<std::size_t> roles_;
    pointer_list<inlet<Item, Policies>> inlets_;
};

// One that gives an item to any branch.
template <class Content, class Shape, class Inside, class Policies>
emitter_node<Content, Shape, Inside, Policies>& make_any_emitter(builder<Policies>& make, std::size_t role,
                                                                 const branches_of<item<Content, Inside>, Policies>& to,
                                                                 std::size_t slots, croft::schedule schedule,
                                                                 std::uint32_t number = 0, std::uint32_t step = 1) {
    using inner_item = item<Content, Inside>;
    pointer_list<link_sender<inner_item, Policies>> away;
    pointer_list<inlet<inner_item, Policies>> here;
    for (std::size_t i = 0; i < to.size(); ++i)
        if (make.together(role, to.role(i))) here.push_back(&to[i]);
    // A queue is short where the emitter has nothing else to do than to fill it again (emitter_node.hpp).
    const std::size_t asked = slots ? slots : make.slots_asked();
    const std::size_t usual = make.slots_for(sizeof(inner_item), 0);
    const std::size_t queue = asked ? asked : here.empty() ? std::min<std::size_t>(usual, 8) : usual;
    for (std::size_t i = 0; i < to.size(); ++i)
        if (const std::size_t worker = to.role(i); !make.together(role, worker))
            away.push_back(&make.sender(role, worker, worker, to[i], queue));
    return make.template make<emitter_node<Content, Shape, Inside, Policies>>(role, std::move(away), std::move(here),
                                                                              schedule, make.state(role), number, step);
}

// `slots`: of each channel, 0: as the run has it. `number`, `step`: of its items, where it numbers them.
template <class In, class Shape, class Inside, class Choose, class Policies>
auto& make_emitter(builder<Policies>& make, std::size_t role, const branches_of<item_of<In, Inside>, Policies>& to,
                   std::size_t slots, croft::schedule schedule, [[maybe_unused]] Choose& choose,
                   std::uint32_t number = 0, std::uint32_t step = 1) {
    if constexpr (prefers<Choose>) {
        const std::size_t asked = slots ? slots : make.slots_asked();
        pointer_list<inlet<item_of<In, Inside>, Policies>> away, here;
        for (std::size_t i = 0; i < to.size(); ++i)
            if (const std::size_t worker = to.role(i); make.together(role, worker))
                here.push_back(&to[i]);
            else  // what a worker has been given is not overtaken: one beside the one that it works on
                away.push_back(&make.sender(role, worker, worker, to[i], asked ? asked : 2));
        return make.template make<priority_emitter_node<Choose, In, Shape, Inside, Policies>>(
            role, choose, std::move(away), std::move(here), make.state(role), make.thread_of(role));
    } else if constexpr (chooses<Choose>) {
        pointer_list<inlet<item_of<In, Inside>, Policies>> branches;
        for (std::size_t i = 0; i < to.size(); ++i)
            branches.push_back(&make.link(role, to.role(i), to.role(i), to[i], slots));
        return make.template make<choosing_emitter_node<Choose, In, Shape, Inside, Policies>>(
            role, choose, std::move(branches), make.state(role), make.thread_of(role));
    } else {
        return make_any_emitter<content_of<In>, Shape, Inside, Policies>(make, role, to, slots, schedule, number, step);
    }
}

}  // namespace croft::detail
