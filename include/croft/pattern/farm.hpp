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

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/collector_node.hpp>
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
        plan_rows(roles.threads(), false, false);
        describe_rows(roles);
    }
    std::size_t role_count() const {
        return dispatcher_ + emitter_row_ + workers_ * worker_.role_count() + collector_row_ + joiner_;
    }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first + role_count() - 1; }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
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
        if (numbered_sink && options_.ordered && options_.collectors > 1)
            throw std::invalid_argument("croft::farm: results are in order at one collector, and there are to be " +
                                        std::to_string(options_.collectors));
        plan_rows(roles.threads(), numbered_source, numbered_sink);
        if (!numbered_source) roles.add("source", role_kind::source);
        describe_rows(roles);
        if (!numbered_sink) roles.add("sink", role_kind::sink);
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
    static constexpr std::size_t workers_an_emitter = 20;

    template <class In, class Shape, class Policies>
    using inlet_of = detail::inlet<detail::item<In, Shape>, Policies>;
    // The inlets of some workers, each with its entry's role.
    template <class In, class Inside, class Policies>
    using inlets_of = detail::branches_of<detail::item<In, Inside>, Policies>;

    // How many of each there are. With a source that takes numbers the emitters are sources, and there is none before
    // them; with such a sink none comes behind the collectors.
    void plan_rows(std::size_t threads, bool numbered_source, bool numbered_sink) {
        const std::size_t collectors = std::max<std::size_t>(options_.collectors, 1);
        std::size_t emitters = options_.emitters;
        if (emitters == 0) {
            const bool many = numbered_source && port::waits_on_lines && !chooses;
            const std::size_t served = options_.workers ? std::size_t{options_.workers} : threads;
            emitters = many ? (served + workers_an_emitter - 1) / workers_an_emitter : 1;
        }
        if (emitters > 1 && chooses)
            throw std::invalid_argument(
                "croft::farm: where workers are chosen, or items preferred, one emitter does it");
        // With few threads all work, also those of the emitter and the collector. With many, these two have enough to
        // do.
        const std::size_t others = emitters + collectors;
        workers_ = options_.workers                  ? std::size_t{options_.workers}
                   : threads > 8 && threads > others ? threads - others
                                                     : threads;
        emitters_ = std::min(emitters, workers_);
        collectors_ = std::min(collectors, workers_);
        dispatcher_ = numbered_source ? 0 : 1;
        emitter_row_ = numbered_source || emitters_ > 1 ? emitters_ : 0;
        collector_row_ = numbered_sink || collectors_ > 1 ? collectors_ : 0;
        joiner_ = numbered_sink ? 0 : 1;
    }
    void describe_rows(detail::role_list& roles) {
        roles.within("farm.", false, [&] {
            if (dispatcher_) roles.add("emitter", role_kind::emitter);
            for (std::size_t e = 0; e < emitter_row_; ++e)
                if (!dispatcher_ && e == 0)
                    roles.add("emitter 0", role_kind::source);  // on the calling thread
                else
                    roles.add("emitter " + std::to_string(e), role_kind::emitter, true);
            for (std::size_t i = 0; i < workers_; ++i)
                roles.within("worker " + std::to_string(i) + '.', true, [&] { worker_.describe(roles); });
            for (std::size_t c = 0; c < collector_row_; ++c)
                roles.add("collector " + std::to_string(c), role_kind::collector, joiner_ || c + 1 < collector_row_);
            if (joiner_) roles.add("collector", role_kind::collector);
        });
    }
    std::size_t emitter_role(std::size_t first, std::size_t e) const { return first + dispatcher_ + e; }
    std::size_t worker_role(std::size_t first, std::size_t i) const {
        return first + dispatcher_ + emitter_row_ + i * worker_.role_count();
    }
    std::size_t collector_role(std::size_t first, std::size_t c) const { return worker_role(first, workers_) + c; }

    template <class In, class Shape, class Inside, class Policies, class Next>
    inlet_of<In, Shape, Policies>& build_inside(detail::builder<Policies>& make, detail::context around,
                                                std::size_t first, Next& next) {
        auto joined = joined_at<output<In>, Shape, Inside>(make, first, 1, next);
        const auto inlets = build_workers<In, Inside>(make, around, first, joined);
        return emitter<In, Shape, Inside>(make, first, second_row<In, Inside>(make, first, inlets));
    }

    template <class In, bool NumberedSource, bool NumberedSink, class Inside, class Policies, class Source, class Sink>
    void build_ends(detail::builder<Policies>& make, Source& source, Sink& sink) {
        using out = output<In>;
        using detail::plain;
        const std::size_t first = NumberedSource ? 0 : 1, last = exit(first) + (NumberedSink ? 0 : 1);
        detail::pointer_list<inlet_of<out, Inside, Policies>> joined;
        if constexpr (NumberedSink) {
            detail::pointer_list<inlet_of<out, Inside, Policies>> ends;
            for (std::size_t c = 0; c < collectors_; ++c)
                ends.push_back(&make.template metered<detail::item<out, Inside>>(
                    collector_role(first, c),
                    make.template make<detail::numbered_sink_node<Sink, out, Policies>>(
                        collector_role(first, c), sink, make.state(collector_role(first, c)), c)));
            joined = collector_row<out, Inside>(
                make, first, [&](std::size_t i) -> inlet_of<out, Inside, Policies>& { return *ends[i % collectors_]; });
        } else {
            inlet_of<out, plain, Policies>& end = make.template metered<detail::item<out, plain>>(
                last, make.template make<detail::sink_node<Sink, out, Policies>>(last, sink, make.state(last)));
            joined = joined_at<out, plain, Inside>(make, first, NumberedSource ? emitters_ : 1,
                                                   make.link(exit(first), last, last, end));
        }
        auto inlets = build_workers<In, Inside>(make, detail::context{}, first, joined);
        if constexpr (NumberedSource) {
            for (std::size_t e = 0; e < emitters_; ++e) {
                const std::size_t role = emitter_role(first, e);
                auto& next = make.template metered_source<detail::item<In, plain>>(
                    role, emitter<In, plain, Inside>(make, role, share_of(inlets, e), e, emitters_));
                make.template make_role<
                    detail::source_role<Source, In, Policies, std::remove_reference_t<decltype(next)>>>(
                    role, source, make.state(role), make.thread_of(role), next, e, emitters_);
            }
        } else {
            inlet_of<In, plain, Policies>& next =
                emitter<In, plain, Inside>(make, first, second_row<In, Inside>(make, first, inlets));
            make.template make_role<detail::source_role<Source, In, Policies>>(
                0, source, make.state(0), make.thread_of(0),
                make.template metered_source<detail::item<In, plain>>(0, make.link(0, first, first, next)));
        }
    }
    // The emitters behind the one that the source has, if there are to be several; else the workers themselves.
    template <class In, class Inside, class Policies>
    inlets_of<In, Inside, Policies> second_row(detail::builder<Policies>& make, std::size_t first,
                                               const inlets_of<In, Inside, Policies>& workers) {
        if (!emitter_row_) return workers;
        inlets_of<In, Inside, Policies> row;
        for (std::size_t e = 0; e < emitters_; ++e) {
            const std::size_t role = emitter_role(first, e);
            row.add(role, emitter<In, Inside, Inside>(make, role, share_of(workers, e)));
        }
        return row;
    }
    template <class Inlets>
    Inlets share_of(const Inlets& workers, std::size_t e) const {
        Inlets share;
        for (std::size_t i = e; i < workers.size(); i += emitters_) share.add(workers.role(i), workers[i]);
        return share;
    }

    template <class In, class Inside, class Policies, class Joined>
    inlets_of<In, Inside, Policies> build_workers(detail::builder<Policies>& make, detail::context around,
                                                  std::size_t first, const Joined& joined) {
        inlets_of<In, Inside, Policies> inlets;
        for (std::size_t i = 0; i < workers_; ++i) {
            const std::size_t role = worker_role(first, i);
            Worker& copy = make.template make<Worker>(role, worker_);
            inlets.add(copy.entry(role), copy.template build<In, Inside>(make, around, role, *joined[i]));
        }
        return inlets;
    }

    // The inlets that the workers send to, each on its worker's thread, if `of(i)` is where the items of worker i come
    // to at its collector.
    template <class Out, class Inside, class Policies, class Of>
    auto collector_row(detail::builder<Policies>& make, std::size_t first, Of of) {
        detail::pointer_list<inlet_of<Out, Inside, Policies>> inlets;
        for (std::size_t i = 0; i < workers_; ++i) {
            const std::size_t from = worker_.exit(worker_role(first, i));
            const std::size_t collector =
                collector_row_ ? collector_role(first, i % collectors_) : collector_role(first, 0);
            inlets.push_back(&make.link(from, collector, from, of(i), options_.slots));
        }
        return inlets;
    }
    // The same where one collector, the last role, passes all on to `next`. `numbering`: how many emitters number the
    // items.
    template <class Out, class Shape, class Inside, class Policies, class Next>
    auto joined_at(detail::builder<Policies>& make, std::size_t first, std::size_t numbering, Next& next) {
        const std::size_t last = exit(first);
        if constexpr (!std::is_same_v<Shape, Inside>) {
            auto& all = make.template make<detail::ordering_node<Out, Shape, Policies>>(
                last, workers_, numbering, 2 * make.slots_for(sizeof(detail::item<Out, Inside>), options_.slots),
                make.state(last), make.thread_of(last), next);
            return collector_row<Out, Inside>(make, first, [&](std::size_t i) -> inlet_of<Out, Inside, Policies>& {
                if (!collector_row_) return all.of(i);
                const std::size_t role = collector_role(first, i % collectors_);
                return make.link(role, last, role, all.of(i), options_.slots);
            });
        } else {
            using merge = detail::merge_node<detail::item<Out, Inside>, Policies>;
            inlet_of<Out, Inside, Policies>& all =
                make.template make<merge>(last, collector_row_ ? collectors_ : workers_, next);
            detail::pointer_list<inlet_of<Out, Inside, Policies>> row;
            for (std::size_t c = 0; c < collector_row_; ++c) {
                const std::size_t role = collector_role(first, c),
                                  share = (workers_ - c + collectors_ - 1) / collectors_;
                row.push_back(
                    &make.template make<merge>(role, share, make.link(role, last, role, all, options_.slots)));
            }
            return collector_row<Out, Inside>(make, first, [&](std::size_t i) -> inlet_of<Out, Inside, Policies>& {
                return row.empty() ? all : *row[i % collectors_];
            });
        }
    }

    // `number`, `step`: of its items, where it numbers them.
    template <class In, class Shape, class Inside, class Policies>
    auto& emitter(detail::builder<Policies>& make, std::size_t role, const inlets_of<In, Inside, Policies>& to,
                  std::size_t number = 0, std::size_t step = 1) {
        return detail::make_emitter<In, Shape, Inside>(make, role, to, options_.slots, options_.schedule, choose_,
                                                       static_cast<std::uint32_t>(number),
                                                       static_cast<std::uint32_t>(step));
    }

    Worker worker_;
    farm_options options_;
    Choose choose_;
    std::size_t workers_ = 0, emitters_ = 1, collectors_ = 1;
    // How many roles: before the emitters of a second row, or of several sources; these; and the same of collectors.
    std::size_t dispatcher_ = 1, emitter_row_ = 0, collector_row_ = 0, joiner_ = 1;
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
