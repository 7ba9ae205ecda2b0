#pragma once
// A pattern across processes that divides each item among them. Each process works on its share, always the same one,
// and the results are put together in the order of the shares. Shares travel, and are kept until their results have
// come. So a process that is lost costs others its shares, and no item (spread_node.hpp).
//
// A division says how: it is made of a map (map_division.hpp) or a reduction (reduce_division.hpp), and has
//
//   body()                        the pattern that each process has for its shares
//   workers(threads)              how many of its workers a process stands for, if it has so many threads
//   part<In>                      a share of an item that travels; made<In>: the body's result of it
//   cut(In&, share) -> part       the last share first
//   join(made, made) -> made      of neighbours
//   finish(In&&, made&&) -> out   in the end, with what was left when all had been cut; keeps_item<In>: it is looked at
//
// It is a single role at the root: where items are cut and put together is where they are given away.

#include <cstddef>
#include <deque>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/across_pattern.hpp>
#include <croft/mpi/processes.hpp>
#include <croft/mpi/sharing.hpp>
#include <croft/pattern/engine/emitting_node.hpp>
#include <croft/pattern/engine/stage_node.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/pattern/stage.hpp>

namespace croft::mpi::detail {

template <class Division>
class divided_pattern {
    using body = std::decay_t<decltype(std::declval<const Division&>().body())>;
    template <class In>
    using part = typename Division::template part<In>;
    template <class In>
    using made = typename Division::template made<In>;
    template <class In>
    static constexpr bool keeps_item = Division::template keeps_item<In>;

public:
    divided_pattern(const processes& group, Division division, across_options options)
        : division_(std::move(division)),
          shares_(static_cast<std::size_t>(group.size() -
                                           (options.root_works.value_or(true) || group.size() == 1 ? 0 : 1))),
          across_(group, division_.body(), in_order(options), sharing::in_turn) {}

    static constexpr bool is_pattern = true;
    static constexpr bool is_across_processes = true;
    template <class In>
    using output = typename Division::template output<In>;

    void describe(croft::detail::role_list& roles) {
        workers_ = division_.workers(roles.threads());
        across_.describe(roles);
    }
    std::size_t role_count() const { return across_.role_count(); }
    std::size_t entry(std::size_t first) const { return across_.entry(first); }
    std::size_t exit(std::size_t first) const { return across_.exit(first); }

    template <class In, class Shape, class Policies, class Next>
    croft::detail::inlet<croft::detail::item_of<In, Shape>, Policies>& build(croft::detail::builder<Policies>& make,
                                                                             croft::detail::context around,
                                                                             std::size_t first, Next& next) {
        static_assert(!croft::detail::is_marked<Shape>, "croft::mpi::run has patterns across processes in no other");
        auto& left = make.template make<std::deque<In>>(first);
        auto& joins = make.template make<joining<In>>(first, division_, shares_, left);
        auto& joined = make.template make<croft::detail::stage_node<joining<In>, made<In>, Shape, Policies>>(
            first, joins, make.state(first), make.core_of(first), next);
        croft::detail::inlet<croft::detail::item_of<made<In>, Shape>, Policies>& results = joined;
        auto& over = across_.template build<part<In>, Shape>(make, around, first, results);
        croft::detail::inlet<croft::detail::item_of<part<In>, Shape>, Policies>& parts = over;
        auto& cuts = make.template make<cutting<In>>(first, division_, shares_, workers_, left);
        return make.template make<croft::detail::emitting_node<cutting<In>, In, Shape, Policies>>(
            first, cuts, make.state(first), around.loop, make.thread_of(first), parts);
    }

    // Visits the parts of it that are across processes (run.hpp).
    template <class In, class Visit>
    void for_each_across(const Visit& visit) {
        across_.template for_each_across<part<In>>(visit);
    }

private:
    static across_options in_order(across_options options) {
        options.ordered = true;
        options.root_works = options.root_works.value_or(true);
        return options;
    }

    template <class In>
    class cutting {
    public:
        cutting(Division& division, std::size_t shares, std::size_t workers, std::deque<In>& left)
            : division_(division), workers_(workers), parts_(shares), left_(left) {}
        void operator()(In item, croft::out<part<In>>& to) {
            const std::size_t all = parts_.size() * workers_;
            for (std::size_t i = parts_.size(); i-- > 0;)
                parts_[i].emplace(division_.cut(item, share{i * workers_, workers_, all}));
            // Before any is sent: the last result may come while this still sends.
            if constexpr (keeps_item<In>) left_.push_back(std::move(item));
            for (auto& each : parts_) to.send(std::move(*each));
        }

    private:
        Division& division_;
        std::size_t workers_;
        std::vector<std::optional<part<In>>> parts_;
        std::deque<In>& left_;
    };

    template <class In>
    class joining {
    public:
        joining(Division& division, std::size_t shares, std::deque<In>& left)
            : division_(division), shares_(shares), left_(left) {}
        std::optional<output<In>> operator()(made<In> next) {
            so_far_ =
                taken_++ == 0 ? std::move(next) : division_.template join<In>(std::move(*so_far_), std::move(next));
            if (taken_ < shares_) return std::nullopt;
            taken_ = 0;
            if constexpr (keeps_item<In>) {
                In item = std::move(left_.front());
                left_.pop_front();
                return division_.template finish<In>(std::move(item), std::move(*so_far_));
            } else {
                return std::move(*so_far_);
            }
        }

    private:
        Division& division_;
        std::size_t shares_, taken_ = 0;
        std::optional<made<In>> so_far_;
        std::deque<In>& left_;
    };

    Division division_;
    std::size_t shares_, workers_ = 1;
    across_pattern<body> across_;
};

}  // namespace croft::mpi::detail
