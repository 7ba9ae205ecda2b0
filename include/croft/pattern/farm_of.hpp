#pragma once
// The farm as a pattern: an emitter gives each item to one of N workers, a collector takes what they make (paper 000,
// 7.2).
//
//     croft::farm_of(simulate, {.workers = 4, .ordered = true})
//     croft::farm_of(croft::pipeline(read, parse), {.workers = 4})
//     croft::farm_of(update, {.workers = 4}, [](const order& o, std::size_t workers) { return o.account % workers; })
//
// A worker is a callable (stage.hpp) or a pattern, and every worker is a copy of it, so it may have state. The third
// argument chooses the worker of each item; without it options.schedule does.
//
// Emitter and collector are roles, not threads: they run where the items come from and where they go to, and where
// there are fewer threads than roles these work as well (placement.hpp). An ordered farm yields what it makes of an
// item where an item before it would, whatever its workers are made of.
//
// Its sibling farm.hpp runs a farm by itself, a thread for each role, over any kind of channel.

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/emitter_node.hpp>
#include <croft/pattern/farm_options.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

struct farm_of_options {
    std::size_t workers = 0;  // 0: one for each thread, or, with more than eight of them, for all but two
    croft::schedule schedule = schedule::on_demand;
    bool ordered = false;        // results leave in the order in which the items came
    std::size_t slots = 0;       // of each channel; 0: as the run has it
    std::size_t emitters = 1;    // more: each has a thread and a share of the workers, for when one is the bottleneck
    std::size_t collectors = 1;  // the same
};

struct no_choice {};

template <class Worker, class Choose = no_choice>
class farm_pattern {
    static_assert(std::is_copy_constructible_v<Worker>,
                  "croft::farm_of: every worker is a copy of the one given, so that has to be copyable");

public:
    farm_pattern(Worker worker, farm_of_options options, Choose choose)
        : worker_(std::move(worker)), options_(std::move(options)), choose_(std::move(choose)) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = detail::output_of<Worker, In>;

    void describe(detail::role_list& roles) {
        workers_ = options_.workers ? options_.workers : usual_workers(roles.threads());
        emitters_ = std::clamp<std::size_t>(options_.emitters, 1, workers_);
        collectors_ = std::clamp<std::size_t>(options_.collectors, 1, workers_);
        if (emitters_ > 1 && chooses)
            throw std::invalid_argument("croft::farm_of: where the worker is chosen, there is one emitter");
        roles.within("farm.", false, [&] {
            roles.add("emitter", role_kind::emitter);
            for (std::size_t i = 0; i < extra(emitters_); ++i)
                roles.add("emitter " + std::to_string(i), role_kind::worker);
            for (std::size_t i = 0; i < workers_; ++i)
                roles.within("worker " + std::to_string(i) + '.', true, [&] { worker_.describe(roles); });
            for (std::size_t i = 0; i < extra(collectors_); ++i)
                roles.add("collector " + std::to_string(i), role_kind::worker);
            roles.add("collector", role_kind::collector);
        });
    }
    std::size_t role_count() const {
        return 2 + extra(emitters_) + extra(collectors_) + workers_ * worker_.role_count();
    }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first + role_count() - 1; }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
                                                            std::size_t first, Next& next) {
        // Within an ordered farm every farm is, or what it makes of one item would be scattered.
        if constexpr (!detail::is_numbered<Shape>)
            if (!options_.ordered) return build_inside<In, Shape, Shape>(make, around, first, next);
        return build_inside<In, Shape, detail::numbered<Shape>>(make, around, first, next);
    }

private:
    static constexpr bool chooses = !std::is_same_v<Choose, no_choice>;

    // Of few threads all work, the emitter's and the collector's as well; of many these two have enough to do.
    static std::size_t usual_workers(std::size_t threads) { return threads > 8 ? threads - 2 : threads; }
    // Several emitters are a second row of them, each with its share of the workers; several collectors likewise.
    static std::size_t extra(std::size_t asked) { return asked > 1 ? asked : 0; }
    std::size_t worker_role(std::size_t first, std::size_t i) const {
        return first + 1 + extra(emitters_) + i * worker_.role_count();
    }

    template <class In, class Shape, class Inside, class Policies, class Next>
    detail::inlet<detail::item<In, Shape>, Policies>& build_inside(detail::builder<Policies>& make,
                                                                   detail::context around, std::size_t first,
                                                                   Next& next) {
        using in_item = detail::item<In, Inside>;
        const std::size_t last = exit(first);

        auto joined = collector_inlets<output<In>, Shape, Inside>(make, first, last, next);
        std::vector<std::pair<std::size_t, detail::inlet<in_item, Policies>*>> inlets;  // of each worker, with its role
        for (std::size_t i = 0; i < workers_; ++i) {
            const std::size_t role = worker_role(first, i);
            Worker& copy = make.template make<Worker>(role, worker_);
            inlets.push_back({copy.entry(role), &copy.template build<In, Inside>(make, around, role, *joined[i])});
        }
        if (extra(emitters_)) {
            std::vector<std::pair<std::size_t, detail::inlet<in_item, Policies>*>> second;
            for (std::size_t e = 0; e < emitters_; ++e) {
                const std::size_t role = first + 1 + e;
                const auto at = [&](std::size_t i) { return inlets.begin() + static_cast<std::ptrdiff_t>(i); };
                second.push_back({role, &emitter<In, Inside, Inside>(
                                            make, role, {at(share_of(e, emitters_)), at(share_of(e + 1, emitters_))})});
            }
            inlets = std::move(second);
        }
        return emitter<In, Shape, Inside>(make, first, inlets);
    }

    // The inlets that the workers send to, each on its worker's thread.
    template <class Out, class Shape, class Inside, class Policies, class Next>
    auto collector_inlets(detail::builder<Policies>& make, std::size_t first, std::size_t last, Next& next) {
        using inlet = detail::inlet<detail::item<Out, Inside>, Policies>;
        const auto role_of = [&](std::size_t c) { return extra(collectors_) ? last - collectors_ + c : last; };
        std::vector<inlet*> inlets;
        const auto join = [&](std::size_t collector, inlet& into) {
            const std::size_t from = worker_.exit(worker_role(first, inlets.size()));
            inlets.push_back(&make.link(from, collector, from, into, options_.slots));
        };
        if constexpr (!std::is_same_v<Shape, Inside>) {
            auto& all = make.template make<detail::ordering_node<Out, Shape, Policies>>(
                last, workers_, 2 * make.slots_for(sizeof(detail::item<Out, Inside>), options_.slots), make.state(),
                make.thread_of(last), next);
            for (std::size_t i = 0; i < workers_; ++i) {
                const std::size_t role = role_of(i * collectors_ / workers_);
                join(role, make.link(role, last, role, all.of(i), options_.slots));
            }
        } else {
            using merge = detail::merge_node<detail::item<Out, Inside>, Policies>;
            inlet& all = make.template make<merge>(last, extra(collectors_) ? collectors_ : workers_, next);
            for (std::size_t c = 0; c < collectors_; ++c) {
                const std::size_t role = role_of(c), share = share_of(c + 1, collectors_) - share_of(c, collectors_);
                inlet& own = extra(collectors_) ? make.template make<merge>(
                                                      role, share, make.link(role, last, role, all, options_.slots))
                                                : all;
                for (std::size_t i = 0; i < share; ++i) join(role, own);
            }
        }
        return inlets;
    }
    // Of `parts` parts of the workers, the c-th begins here.
    std::size_t share_of(std::size_t c, std::size_t parts) const { return (c * workers_ + parts - 1) / parts; }

    template <class In, class Shape, class Inside, class Policies>
    detail::inlet<detail::item<In, Shape>, Policies>& emitter(
        detail::builder<Policies>& make, std::size_t role,
        std::vector<std::pair<std::size_t, detail::inlet<detail::item<In, Inside>, Policies>*>> to) {
        std::size_t here = 0;
        if constexpr (!chooses)
            here =
                static_cast<std::size_t>(to.end() - std::stable_partition(to.begin(), to.end(), [&](const auto& one) {
                                             return !make.together(role, one.first);
                                         }));
        std::vector<detail::inlet<detail::item<In, Inside>, Policies>*> branches;
        // A worker's queue is short where the emitter has nothing else to do than to fill it again (emitter_node.hpp).
        const std::size_t asked = options_.slots ? options_.slots : make.slots_asked();
        const std::size_t usual = make.slots_for(sizeof(detail::item<In, Inside>), 0);
        const std::size_t queue = asked ? asked : here ? usual : std::min<std::size_t>(usual, 8);
        for (const auto& [worker, inlet] : to) branches.push_back(&make.link(role, worker, worker, *inlet, queue));
        if constexpr (chooses)
            return make.template make<detail::choosing_emitter_node<Choose, In, Shape, Inside, Policies>>(
                role, choose_, std::move(branches), make.state(), make.thread_of(role));
        else
            return make.template make<detail::emitter_node<In, Shape, Inside, Policies>>(
                role, std::move(branches), here, options_.schedule, make.state());
    }

    Worker worker_;
    farm_of_options options_;
    Choose choose_;
    std::size_t workers_ = 0, emitters_ = 1, collectors_ = 1;
};

template <class Worker>
auto farm_of(Worker&& worker, farm_of_options options = {}) {
    return farm_pattern<detail::as_pattern_t<Worker>>(detail::as_pattern(std::forward<Worker>(worker)),
                                                      std::move(options), no_choice{});
}
// `choose(const In&, std::size_t workers)` is the number of the worker that gets an item, taken modulo their number.
template <class Worker, class Choose>
auto farm_of(Worker&& worker, farm_of_options options, Choose choose) {
    return farm_pattern<detail::as_pattern_t<Worker>, Choose>(detail::as_pattern(std::forward<Worker>(worker)),
                                                              std::move(options), std::move(choose));
}

}  // namespace croft
