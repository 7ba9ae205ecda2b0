#pragma once
// The map as a pattern: N workers work on each item at the same time, every one on its share (paper 000, 7.2; paper
// 001, V.B).
//
//     croft::map_of([](picture& it, croft::share mine) { ... mine.of(it.rows()) ... }, {.workers = 4})
//     croft::map_of([](const picture& it, croft::share mine) { return brightest(it, mine); }, most, {.workers = 4})
//     croft::map_of(filter, paste, {.workers = 4}, cut)
//
// Worker. `void (Item&, share)`: in place; what is passed on is the item, when all have finished. Or `Result (const
// Item&, share)`, whose results become one item. Every worker has a copy of the callables.
// Gathering. Either `Result (Result, Result)`, which has to be associative and need not be commutative: neighbouring
// results are combined on their way up the tree, in the order of the workers. Or `Out (Item, std::vector<Result>)`: all
// of them in that order, with the item, called once for each item by its first worker.
// Multicast and scatter. Without a splitter, workers see the item where it lies, at the first of them. With one, `Item
// (Item& of, share part)`, each gets a part of its own, which is split off as it travels: of what was sent for a branch
// of workers, the part for some of them. It may take it out, the rest is of others. The first worker's part comes
// last; what is left then goes to `gather`.
// Distribution. A binary tree on the workers, or one message after the other from the first (map_options.hpp).
//
// One item at a time is in a map: the next one waits in front of it until its result is on the way. Who wants several
// takes several maps: croft::farm(croft::map_of(...)).
//
// Its sibling map.hpp runs a map by itself over any kind of channel, with several items under way.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/map_roles.hpp>
#include <croft/pattern/multicast.hpp>
#include <croft/pattern/team_pattern.hpp>

namespace croft {

struct map_of_options {
    std::size_t workers = 0;  // 0: one for each thread
    croft::distribution distribution = croft::distribution::tree;
};

namespace detail {

struct no_gather {};

enum class gather_form { none, in_place, combine, all };

// What a map makes of items of type In.
template <class Worker, class Gather, class Splitter, class In>
struct map_form {
private:
    static auto find_result() {
        if constexpr (maps_item<Worker, In&>)
            return std::type_identity<mapped<Worker, In&>>{};
        else
            return std::type_identity<void>{};
    }

public:
    using result = typename decltype(find_result())::type;

private:
    static constexpr gather_form find() {
        if constexpr (std::is_void_v<result> || !splits_item<Splitter, In>)
            return gather_form::none;
        else if constexpr (std::is_same_v<Gather, no_gather>)
            // (Of an item that was split nobody would put the parts together again.)
            return std::is_same_v<result, part_done> && std::is_same_v<Splitter, whole_item> ? gather_form::in_place
                                                                                             : gather_form::none;
        else if constexpr (requires(Gather& gather, result some) {
                               { gather(std::move(some), std::move(some)) } -> std::convertible_to<result>;
                           })
            return gather_form::combine;
        else if constexpr (std::invocable<Gather&, In&&, std::vector<result>&&>)
            return gather_form::all;
        else
            return gather_form::none;
    }
    static auto find_out() {
        if constexpr (form == gather_form::in_place)
            return std::type_identity<In>{};
        else if constexpr (form == gather_form::combine)
            return std::type_identity<result>{};
        else if constexpr (form == gather_form::all)
            return std::type_identity<std::decay_t<std::invoke_result_t<Gather&, In&&, std::vector<result>&&>>>{};
        else
            return std::type_identity<none_of<Worker, In>>{};
    }

public:
    static constexpr gather_form form = find();
    using out = typename decltype(find_out())::type;
    using value = std::conditional_t<form == gather_form::all, std::vector<result>, result>;  // what goes up the tree
};

}  // namespace detail

template <class Worker, class Gather, class Splitter>
class map_pattern : public detail::team_pattern<map_pattern<Worker, Gather, Splitter>> {
    static_assert(std::is_copy_constructible_v<Worker> && std::is_copy_constructible_v<Gather> &&
                      std::is_copy_constructible_v<Splitter>,
                  "croft::map_of: every worker has a copy of the callables given, so these have to be copyable");
    static constexpr bool scatters = !std::is_same_v<Splitter, detail::whole_item>;

public:
    map_pattern(Worker worker, Gather gather, map_of_options options, Splitter splitter)
        : detail::team_pattern<map_pattern>({.workers = options.workers}),
          worker_(std::move(worker)),
          gather_(std::move(gather)),
          splitter_(std::move(splitter)),
          distribution_(options.distribution) {}

    static constexpr const char* name() { return "map"; }
    template <class In>
    using output = typename detail::map_form<Worker, Gather, Splitter, In>::out;

    // The branches that worker i sends to.
    std::vector<share> children(std::size_t i, std::size_t workers) const {
        const share all{0, workers, workers};
        if (distribution_ == distribution::tree) return detail::branches(detail::branch_of(i, all));
        std::vector<share> others;
        if (i == 0)
            for (std::size_t k = 1; k < workers; ++k) others.push_back({k, 1, workers});
        return others;
    }

    template <class In, class Policies>
    class kernel {
        using form = detail::map_form<Worker, Gather, Splitter, In>;
        static constexpr detail::gather_form gathers = form::form;
        using value = typename form::value;

        struct whole {
            In* item;
        };
        struct part {
            In item;
        };

    public:
        using down = std::conditional_t<scatters, part, whole>;
        struct up {
            value found;
        };
        static constexpr int phases = 1;

        kernel(const map_pattern& by, detail::role_state state, int, std::size_t i, std::size_t workers)
            : worker_(by.worker_),
              gather_(by.gather_),
              splitter_(by.splitter_),
              state_(state),
              mine_{i, 1, workers},
              children_(by.children(i, workers)) {
            for (const share& each : children_) branch_ += each.count;
        }

        down first(In& item) {
            item_ = &item;
            if constexpr (scatters)
                return {};
            else
                return {&item};
        }
        down next(int) { return {}; }
        down down_for(int, [[maybe_unused]] std::size_t child, down& message) {
            if constexpr (scatters) {
                down to{};
                const share& of = children_[child];
                split(to.item, sent(message), {of.first - mine_.first, of.count, branch_});
                return to;
            } else {
                return message;
            }
        }
        void start(int, down& message) {
            state_.guard([&] { value_ = value(); });
            if constexpr (scatters) {
                In& all = sent(message);
                if (branch_ > 1)
                    split(own_, all, {0, 1, branch_});
                else
                    state_.guard([&] { own_ = std::move(all); });
                item_ = &own_;
            } else {
                item_ = message.item;
            }
        }
        bool work(int) {
            if (state_.drops()) return true;
            if constexpr (gathers == detail::gather_form::all)
                value_.push_back(detail::work_on(worker_, *item_, mine_));
            else
                value_ = detail::work_on(worker_, *item_, mine_);
            return true;
        }
        bool may_work(const detail::look<Policies>&) { return true; }
        void combine(int, std::size_t, up&& found) {
            if constexpr (gathers == detail::gather_form::combine)
                value_ = gather_(std::move(value_), std::move(found.found));
            else if constexpr (gathers == detail::gather_form::all)
                std::move(found.found.begin(), found.found.end(), std::back_inserter(value_));
        }
        up result(int) { return {std::move(value_)}; }
        typename form::out finish(In& item) {
            if constexpr (gathers == detail::gather_form::in_place)
                return std::move(item);
            else if constexpr (gathers == detail::gather_form::combine)
                return std::move(value_);
            else
                return gather_(std::move(item), std::move(value_));
        }

    private:
        // What was sent for this worker's branch; the first one's is the whole item.
        In& sent(down& message) { return mine_.first == 0 ? *item_ : message.item; }
        // In a run that drops nothing is: nobody looks at what travels.
        void split(In& to, In& from, share piece) {
            if (!state_.drops()) state_.guard([&] { to = splitter_(from, piece); });
        }

        Worker worker_;
        Gather gather_;
        Splitter splitter_;
        detail::role_state state_;
        share mine_;
        std::vector<share> children_;
        std::size_t branch_ = 1;  // how many workers what is sent here is for
        In* item_ = nullptr;
        [[no_unique_address]] std::conditional_t<scatters, In, part_done> own_{};  // its part
        value value_{};
    };

private:
    Worker worker_;
    Gather gather_;
    Splitter splitter_;
    croft::distribution distribution_;
};

// In place: `worker` changes what is its share of the item.
template <class Worker>
auto map_of(Worker worker, map_of_options options = {}) {
    return map_pattern<Worker, detail::no_gather, detail::whole_item>(std::move(worker), {}, options, {});
}
// `gather` makes one item of the workers' results.
template <class Worker, class Gather>
    requires(!std::convertible_to<Gather, map_of_options>)
auto map_of(Worker worker, Gather gather, map_of_options options = {}) {
    return map_pattern<Worker, Gather, detail::whole_item>(std::move(worker), std::move(gather), options, {});
}
// `splitter` gives each worker a part of the item.
template <class Worker, class Gather, class Splitter>
auto map_of(Worker worker, Gather gather, map_of_options options, Splitter splitter) {
    return map_pattern<Worker, Gather, Splitter>(std::move(worker), std::move(gather), options, std::move(splitter));
}

}  // namespace croft
