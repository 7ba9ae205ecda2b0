#pragma once
// Between the workers of a farm and its ends: what gives them items, and what joins what they make. It depends on the
// items' content alone, so farms of different workers share it.

#include <cstddef>
#include <type_traits>

#include <croft/pattern/engine/builder.hpp>
#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/farm_rows.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/make_emitter.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/engine/usual_items.hpp>
#include <croft/port/compiled.hpp>

namespace croft::detail {

// The branches that emitter `e` of those of a second row, or of several sources, gives items to.
template <class Branches>
Branches share_of(const Branches& workers, const farm_rows& rows, std::size_t e) {
    Branches share;
    for (std::size_t i = e; i < workers.size(); i += rows.emitters) share.add(workers.role(i), workers[i]);
    return share;
}

// `Content`: of items that come to the workers, or leave them. Their shape is `Shape` outside of the farm, and `Inside`
// in it. `first`: the farm's first role.
template <class Content, class Shape, class Inside, class Policies>
struct farm_joints {
    using outer_inlet = inlet<item<Content, Shape>, Policies>;
    using inner_item = item<Content, Inside>;
    using inner_inlet = inlet<inner_item, Policies>;
    using branches = branches_of<inner_item, Policies>;

    // The inlet of a farm that gives an item to any worker: of its one emitter, or of the one before a row of more.
    static outer_inlet& emit(builder<Policies>& make, const farm_rows& rows, std::size_t first,
                             const farm_options& options, const branches& workers);

    // The inlets that the workers send to, each on its worker's thread, where one collector, the last role, passes all
    // on to `next`. It does so in the order of their numbers, which `numbering` emitters gave them, if the items have
    // numbers in this farm alone.
    static pointer_list<inner_inlet> join(builder<Policies>& make, const farm_rows& rows, std::size_t first,
                                          const farm_options& options, std::size_t numbering, outer_inlet& next);
    // The same if `of(i)` is where the items of worker i come to at its collector.
    template <class Of>
    static pointer_list<inner_inlet> collector_row(builder<Policies>& make, const farm_rows& rows, std::size_t first,
                                                   const farm_options& options, Of of) {
        pointer_list<inner_inlet> inlets;
        for (std::size_t i = 0; i < rows.workers; ++i) {
            const std::size_t from = rows.worker_role(first, i) + rows.worker_exit;
            const std::size_t collector = rows.collector_role(first, rows.collector_row ? i % rows.collectors : 0);
            inlets.push_back(&make.link(from, collector, from, of(i), options.slots));
        }
        return inlets;
    }

private:
    template <class Outside>
    static auto& emitter(builder<Policies>& make, std::size_t role, const farm_options& options, const branches& to) {
        return make_any_emitter<Content, Outside, Inside, Policies>(make, role, to, options.slots, options.schedule);
    }
};

template <class Content, class Shape, class Inside, class Policies>
CROFT_INLINE auto farm_joints<Content, Shape, Inside, Policies>::emit(builder<Policies>& make, const farm_rows& rows,
                                                                      std::size_t first, const farm_options& options,
                                                                      const branches& workers) -> outer_inlet& {
    if (!rows.emitter_row) return emitter<Shape>(make, first, options, workers);
    branches row;
    for (std::size_t e = 0; e < rows.emitters; ++e) {
        const std::size_t role = rows.emitter_role(first, e);
        row.add(role, emitter<Inside>(make, role, options, share_of(workers, rows, e)));
    }
    return emitter<Shape>(make, first, options, row);
}

template <class Content, class Shape, class Inside, class Policies>
CROFT_INLINE auto farm_joints<Content, Shape, Inside, Policies>::join(builder<Policies>& make, const farm_rows& rows,
                                                                      std::size_t first, const farm_options& options,
                                                                      std::size_t numbering, outer_inlet& next)
    -> pointer_list<inner_inlet> {
    const std::size_t last = rows.exit(first), slots = options.slots;
    if constexpr (!std::is_same_v<Shape, Inside>) {
        auto& all = make.template make<ordering_node<Content, Shape, Policies>>(
            last, rows.workers, numbering, 2 * make.slots_for(sizeof(inner_item), slots), make.state(last),
            make.thread_of(last), next);
        return collector_row(make, rows, first, options, [&](std::size_t i) -> inner_inlet& {
            if (!rows.collector_row) return all.of(i);
            const std::size_t role = rows.collector_role(first, i % rows.collectors);
            return make.link(role, last, role, all.of(i), slots);
        });
    } else {
        using merge = merge_node<inner_item, Policies>;
        inner_inlet& all = make.template make<merge>(last, rows.collector_row ? rows.collectors : rows.workers, next);
        pointer_list<inner_inlet> row;
        for (std::size_t c = 0; c < rows.collector_row; ++c) {
            const std::size_t role = rows.collector_role(first, c);
            const std::size_t share = (rows.workers - c + rows.collectors - 1) / rows.collectors;
            row.push_back(&make.template make<merge>(role, share, make.link(role, last, role, all, slots)));
        }
        return collector_row(make, rows, first, options, [&](std::size_t i) -> inner_inlet& {
            return row.empty() ? all : *row[i % rows.collectors];
        });
    }
}

}  // namespace croft::detail

#define CROFT_FARM_OF(how, bytes, inside)                                                                           \
    how template struct croft::detail::farm_joints<croft::detail::plain_bytes<bytes>, croft::detail::plain, inside, \
                                                   croft::policies>;
#define CROFT_FARMS(how, bytes)                     \
    CROFT_FARM_OF(how, bytes, croft::detail::plain) \
    CROFT_FARM_OF(how, bytes, croft::detail::numbered<croft::detail::plain>)
#if defined(CROFT_COMPILED)
CROFT_USUAL_ITEMS(CROFT_FARMS, extern)
#endif
