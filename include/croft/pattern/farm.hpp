#pragma once
// The farm: an emitter gives each item to one of N workers, a collector takes what they make (paper 000, 7.2).
//
//     croft::farm(simulate, {.workers = 4, .ordered = true})
//     croft::farm(croft::pipeline(read, parse), {.workers = 4})
//     croft::farm(update, {.workers = 4}, [](const order& o, std::size_t workers) { return o.account % workers; })
//
// A worker is a callable (stage.hpp) or a pattern. Every worker is a copy of it, so it may have state; all workers
// share what it captures by reference. The third argument chooses the worker of each item; without it options.schedule
// does. Or it says which items are urgent, and overtake others on their way to a worker:
//
//     croft::farm(update, {.workers = 4}, croft::priority{[](const order& o) { return o.urgent ? 1 : 0; }})
//
// (farm_options.hpp tells what is promised). Such a farm keeps no order, and is in no ordered farm.
//
// Emitter and collector are roles, not threads. They run where the items come from and where they go to; if there are
// fewer threads than roles, their threads work as well (placement.hpp). An ordered farm yields an item's results where
// an item before it would, whatever its workers are made of.
//
// If the source can make any item by number, and takes the number (role.hpp), each emitter makes its own share. On many
// cores, making items is what limits a farm of small tasks, and this shares that work. If the sink takes a result's
// number (farm_part), each collector calls it for its share of the workers. With any other source or sink, several
// emitters or collectors are a second row behind the one that it has.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <croft/pattern/engine/farm_joints.hpp>
#include <croft/pattern/engine/farm_rows.hpp>
#include <croft/pattern/engine/make_emitter.hpp>
#include <croft/pattern/engine/stream_ends.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

template <class Worker, class Choose = no_choice>
class farm_pattern {
    static_assert(std::is_copy_constructible_v<Worker>,
                  "croft::farm: every worker is a copy of the one given, so that has to be copyable");

public:
    farm_pattern(Worker worker, farm_options options, Choose choose)
        : worker_(std::move(worker)), options_(options), choose_(std::move(choose)) {
        if (detail::prefers<Choose> && options.ordered)
            throw std::invalid_argument("croft::farm: either items overtake each other, or they are in order");
    }

    static constexpr bool is_pattern = true;
    template <class In>
    using output = detail::output_of<Worker, In>;

    void describe(detail::role_list& roles) {
        rows_.plan(options_, roles.threads(), {.chooses = chooses});
        rows_.describe(roles, worker_);
    }
    std::size_t role_count() const { return rows_.count(); }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return rows_.exit(first); }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
                                                               std::size_t first, Next& next) {
        return make.within(exit(first), [&]() -> inlet_of<In, Shape, Policies>& {
            // Within an ordered farm every farm is, or what it makes of one item would be scattered.
            if constexpr (detail::prefers<Choose> && detail::is_numbered<Shape>)
                throw std::invalid_argument("croft::farm: in an ordered farm items cannot overtake each other");
            if constexpr (!detail::is_numbered<Shape>)
                if (!options_.ordered) return build_inside<In, Shape, Shape>(make, around, first, next);
            return build_inside<In, Shape, detail::numbered<Shape>>(make, around, first, next);
        });
    }

    // ---- as all of a run whose source, or sink, takes numbers (run.hpp) ----

    template <class In, class Sink>
    static constexpr bool takes_numbered = detail::numbered_collector_of<Sink, output<In>>;
    template <class In, class Source, class Sink>
    static constexpr bool makes_ends =
        detail::is_output<output<In>> &&
        ((detail::takes_numbers<Source, In> && std::invocable<Sink&, output<In>&&>) || takes_numbered<In, Sink>);

    // With the source's and the sink's roles.
    template <class In, class Source, class Sink>
    void describe_run(detail::role_list& roles) {
        constexpr bool numbered_source = detail::takes_numbers<Source, In>, numbered_sink = takes_numbered<In, Sink>;
        rows_.plan(options_, roles.threads(), {numbered_source, numbered_sink, chooses});
        if (!numbered_source) roles.add("source", plan::role_kind::source);
        rows_.describe(roles, worker_);
        if (!numbered_sink) roles.add("sink", plan::role_kind::sink);
    }
    template <class In, class Policies, class Source, class Sink>
    void build_run(detail::builder<Policies>& make, Source& source, Sink& sink) {
        constexpr bool numbered_source = detail::takes_numbers<Source, In>, numbered_sink = takes_numbered<In, Sink>;
        if constexpr (!numbered_sink)
            if (!options_.ordered)
                return build_ends<In, numbered_source, numbered_sink, detail::plain>(make, source, sink);
        build_ends<In, numbered_source, numbered_sink, detail::numbered<detail::plain>>(make, source, sink);
    }

private:
    static constexpr bool chooses = detail::chooses<Choose>;

    template <class In, class Shape, class Policies>
    using inlet_of = detail::inlet<detail::item_of<In, Shape>, Policies>;
    // The inlets of some workers, each with its entry's role.
    template <class In, class Inside, class Policies>
    using inlets_of = detail::branches_of<detail::item_of<In, Inside>, Policies>;

    template <class In, class Shape, class Inside, class Policies, class Next>
    inlet_of<In, Shape, Policies>& build_inside(detail::builder<Policies>& make, detail::context around,
                                                std::size_t first, Next& next) {
        const auto joined = joints<output<In>, Shape, Inside, Policies>::join(make, rows_, first, options_, 1, next);
        const auto inlets = build_workers<In, Inside>(make, around, first, joined);
        return emitter<In, Shape, Inside>(make, first, inlets);
    }

    template <class In, bool NumberedSource, bool NumberedSink, class Inside, class Policies, class Source, class Sink>
    void build_ends(detail::builder<Policies>& make, Source& source, Sink& sink) {
        using out = output<In>;
        using detail::plain;
        const std::size_t first = NumberedSource ? 0 : 1, last = exit(first) + (NumberedSink ? 0 : 1);
        detail::pointer_list<inlet_of<out, Inside, Policies>> joined;
        if constexpr (NumberedSink) {
            detail::pointer_list<inlet_of<out, Inside, Policies>> ends;
            for (std::size_t c = 0; c < rows_.collectors; ++c)
                ends.push_back(&make.template metered<detail::item_of<out, Inside>>(
                    rows_.collector_role(first, c),
                    make.template make<detail::numbered_sink_node<Sink, out, Policies>>(
                        rows_.collector_role(first, c), sink, make.state(rows_.collector_role(first, c)), c)));
            joined = joints<out, plain, Inside, Policies>::collector_row(
                make, rows_, first, options_,
                [&](std::size_t i) -> inlet_of<out, Inside, Policies>& { return *ends[i % rows_.collectors]; });
        } else {
            inlet_of<out, plain, Policies>& end = make.template metered<detail::item_of<out, plain>>(
                last, make.template make<detail::sink_node<Sink, out, Policies>>(last, sink, make.state(last)));
            joined = joints<out, plain, Inside, Policies>::join(make, rows_, first, options_,
                                                                NumberedSource ? rows_.emitters : 1,
                                                                make.link(exit(first), last, last, end));
        }
        auto inlets = build_workers<In, Inside>(make, detail::context{}, first, joined);
        if constexpr (NumberedSource) {
            for (std::size_t e = 0; e < rows_.emitters; ++e) {
                const std::size_t role = rows_.emitter_role(first, e);
                auto& next = make.template metered_source<detail::item_of<In, plain>>(
                    role, detail::make_emitter<In, plain, Inside>(
                              make, role, detail::share_of(inlets, rows_, e), options_.slots, options_.schedule,
                              choose_, static_cast<std::uint32_t>(e), static_cast<std::uint32_t>(rows_.emitters)));
                make.template make_role<
                    detail::source_role<Source, In, Policies, std::remove_reference_t<decltype(next)>>>(
                    role, source, make.state(role), make.thread_of(role), next, e, rows_.emitters);
            }
        } else {
            inlet_of<In, plain, Policies>& next = emitter<In, plain, Inside>(make, first, inlets);
            make.template make_role<detail::source_role<Source, In, Policies>>(
                0, source, make.state(0), make.thread_of(0),
                make.template metered_source<detail::item_of<In, plain>>(0, make.link(0, first, first, next)));
        }
    }
    template <class In, class Inside, class Policies, class Joined>
    inlets_of<In, Inside, Policies> build_workers(detail::builder<Policies>& make, detail::context around,
                                                  std::size_t first, const Joined& joined) {
        inlets_of<In, Inside, Policies> inlets;
        for (std::size_t i = 0; i < rows_.workers; ++i) {
            const std::size_t role = rows_.worker_role(first, i);
            Worker& copy = make.template make<Worker>(role, worker_);
            inlets.add(copy.entry(role), copy.template build<In, Inside>(make, around, role, *joined[i]));
        }
        return inlets;
    }

    template <class T, class Shape, class Inside, class Policies>
    using joints = detail::farm_joints<detail::content_of<T>, Shape, Inside, Policies>;

    // The inlet of the farm. Where the user has a say, there is one emitter (farm_rows.hpp).
    template <class In, class Shape, class Inside, class Policies>
    inlet_of<In, Shape, Policies>& emitter(detail::builder<Policies>& make, std::size_t first,
                                           const inlets_of<In, Inside, Policies>& workers) {
        if constexpr (chooses)
            return detail::make_emitter<In, Shape, Inside>(make, first, workers, options_.slots, options_.schedule,
                                                           choose_);
        else
            return joints<In, Shape, Inside, Policies>::emit(make, rows_, first, options_, workers);
    }

    Worker worker_;
    farm_options options_;
    Choose choose_;
    detail::farm_rows rows_;
};

template <class Worker>
auto farm(Worker&& worker, farm_options options = {}) {
    return farm_pattern<detail::as_pattern_t<Worker>>(detail::as_pattern(std::forward<Worker>(worker)), options,
                                                      no_choice{});
}
// `choose(const In&, std::size_t workers)` is the number of the worker that gets an item, taken modulo their number.
template <class Worker, class Choose>
auto farm(Worker&& worker, farm_options options, Choose choose) {
    return farm_pattern<detail::as_pattern_t<Worker>, Choose>(detail::as_pattern(std::forward<Worker>(worker)), options,
                                                              std::move(choose));
}

}  // namespace croft
