#pragma once
// All to all: N left parts and M right ones, and each left one gives what it makes to the right ones itself. So where a
// farm behind a farm has a collector and an emitter between them, through which every item goes, here there is nothing.
//
//     croft::all_to_all(parse, count, {.left = 3, .right = 2})                          // to whom has room
//     croft::all_to_all(parse, count, {.left = 3, .right = 2},
//                       [](const word& w, std::size_t rights) { return hash(w) % rights; })    // by key
//
// Each part is a callable (stage.hpp) or a pattern, of which every part has a copy. All left parts call the function
// that chooses the right one, perhaps at the same time, and its result is taken modulo their number. So all items with
// one key come to the same right part, which may keep what it knows of that key to itself.
//
// Items come to the left parts as to the workers of a farm, on demand. If the source takes numbers (role.hpp), each
// left part makes its own items: part i makes i, i + N, i + 2 N and so on. Items from one left part to one right part
// stay in their order, and there is no other order. Within an ordered farm one item at a time is let in
// (engine/gate.hpp).
//
// The stream ends for a right part when all left ones have ended, and a failure counts as in a farm (run_state.hpp).

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/gate.hpp>
#include <croft/pattern/engine/make_emitter.hpp>
#include <croft/pattern/engine/stream_ends.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/port/count_option.hpp>

namespace croft {

struct all_to_all_options {
    count_option left = 0;   // 0: as many as there are threads; with more than eight of them, half of all but two
    count_option right = 0;  // the same
    croft::schedule schedule = schedule::on_demand;  // of what a left part makes; round_robin: in turn for each of them
    count_option slots = 0;                          // K of each channel; 0: as the run has it
};

namespace detail {

template <class Left, class Right, class Choose = no_choice>
class all_to_all_pattern {
    static_assert(std::is_copy_constructible_v<Left> && std::is_copy_constructible_v<Right>,
                  "croft::all_to_all: every part is a copy of the one given, so that has to be copyable");

public:
    template <class In>
    static auto find() {  // public because `output` names it, which clang 14 refuses if it is private
        using middle = detail::output_of<Left, In>;
        if constexpr (detail::is_output<middle>)
            return std::type_identity<detail::output_of<Right, middle>>{};
        else
            return std::type_identity<middle>{};
    }

    all_to_all_pattern(Left left, Right right, all_to_all_options options, Choose choose)
        : left_(std::move(left)), right_(std::move(right)), options_(options), choose_(std::move(choose)) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename decltype(find<In>())::type;

    void describe(detail::role_list& roles) { describe_from(roles, 1); }
    std::size_t role_count() const {
        return emitter_ + lefts_ * left_.role_count() + rights_ * right_.role_count() + 1;
    }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first + role_count() - 1; }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
                                                               std::size_t first, Next& next) {
        using inside_inlet = detail::inlet<detail::item_of<In, detail::holed>, Policies>;
        return make.within(exit(first), [&]() -> detail::inlet<detail::item_of<In, Shape>, Policies>& {
            if constexpr (detail::is_numbered<Shape>)
                return make.template make<gate_of<In>>(first).template build<Shape>(
                    make, around, first, exit(first), next, [&](auto& out, detail::context inside) -> inside_inlet& {
                        return emitter<In, detail::holed>(make, first,
                                                          build_lefts<In, detail::holed>(make, inside, first, out));
                    });
            else
                return emitter<In, Shape>(make, first, build_lefts<In, Shape>(make, around, first, next));
        });
    }

    // ---- as all of a run whose source takes numbers (run.hpp): each left part has it ----

    template <class In, class Source, class Sink>
    static constexpr bool makes_ends =
        detail::is_output<output<In>> && detail::takes_numbers<Source, In> && std::invocable<Sink&, output<In>&&>;

    template <class In, class Source, class Sink>
    void describe_run(detail::role_list& roles) {
        describe_from(roles, 0);
        roles.add("sink", role_kind::sink);
    }
    template <class In, class Policies, class Source, class Sink>
    void build_run(detail::builder<Policies>& make, Source& source, Sink& sink) {
        using out = output<In>;
        const std::size_t last = exit(0) + 1;
        detail::inlet<detail::item_of<out, detail::plain>, Policies>& end =
            make.template metered<detail::item_of<out, detail::plain>>(
                last, make.template make<detail::sink_node<Sink, out, Policies>>(last, sink, make.state(last)));
        make.within(last, [&] {
            const auto lefts =
                build_lefts<In, detail::plain>(make, detail::context{}, 0, make.link(exit(0), last, last, end));
            for (std::size_t i = 0; i < lefts_; ++i)
                make.template make_role<detail::source_role<Source, In, Policies>>(
                    lefts.role(i), source, make.state(lefts.role(i)), make.thread_of(lefts.role(i)),
                    make.template metered_source<detail::item_of<In, detail::plain>>(lefts.role(i), lefts[i]), i,
                    lefts_);
        });
    }

private:
    template <class In, class Shape, class Policies>
    using branches = detail::branches_of<detail::item_of<In, Shape>, Policies>;
    template <class In>
    using gate_of = detail::gate<In, output<In>>;

    // Left and right parts mixed, because parts that are next to each other share a thread, and both have work to do.
    void describe_from(detail::role_list& roles, std::size_t emitter) {
        const std::size_t share = roles.threads() > 8 ? (roles.threads() - 2) / 2 : roles.threads();
        lefts_ = options_.left ? std::size_t{options_.left} : share;
        rights_ = options_.right ? std::size_t{options_.right} : share;
        emitter_ = emitter;
        roles.within("all_to_all.", false, [&] {
            if (emitter_) roles.add("emitter", role_kind::emitter);
            for (std::size_t i = 0, j = 0; i < lefts_ || j < rights_;)
                if (i < lefts_ && rights_before(i) == j)
                    roles.within("left " + std::to_string(i++) + '.', true, [&] { left_.describe(roles); });
                else
                    roles.within("right " + std::to_string(j++) + '.', true, [&] { right_.describe(roles); });
            roles.add("collector", role_kind::collector);
        });
    }
    // Left part i lies at (2 i + 1) / 2 N, right part j at (2 j + 1) / 2 M.
    std::size_t rights_before(std::size_t i) const {
        const std::size_t at = (2 * i + 1) * rights_;
        return at <= lefts_ ? 0 : std::min(rights_, (at - lefts_ - 1) / (2 * lefts_) + 1);
    }
    std::size_t lefts_before(std::size_t j) const {
        std::size_t i = 0;
        while (i < lefts_ && rights_before(i) <= j) ++i;
        return i;
    }
    std::size_t left_role(std::size_t first, std::size_t i) const {
        return first + emitter_ + i * left_.role_count() + rights_before(i) * right_.role_count();
    }
    std::size_t right_role(std::size_t first, std::size_t j) const {
        return first + emitter_ + lefts_before(j) * left_.role_count() + j * right_.role_count();
    }

    template <class In, class Shape, class Policies>
    detail::inlet<detail::item_of<In, Shape>, Policies>& emitter(detail::builder<Policies>& make, std::size_t role,
                                                                 const branches<In, Shape, Policies>& lefts) {
        return detail::make_emitter<In, Shape, Shape>(make, role, lefts, options_.slots, schedule::on_demand, any_);
    }
    // All of it but what comes before the left parts, whose entries are returned.
    template <class In, class Shape, class Policies, class Next>
    branches<In, Shape, Policies> build_lefts(detail::builder<Policies>& make, detail::context around,
                                              std::size_t first, Next& next) {
        using middle = detail::output_of<Left, In>;
        const auto rights = build_rights<middle, Shape>(make, around, first, next);
        branches<In, Shape, Policies> lefts;
        for (std::size_t i = 0; i < lefts_; ++i) {
            const std::size_t role = left_role(first, i);
            Left& part = make.template make<Left>(role, left_);
            auto& to = detail::make_emitter<middle, Shape, Shape>(make, part.exit(role), rights, options_.slots,
                                                                  options_.schedule, choose_);
            lefts.add(part.entry(role), part.template build<In, Shape>(make, around, role, to));
        }
        return lefts;
    }
    // The stream into a right part ends with the last left one. So does the stream that leaves it, at the collector.
    template <class Middle, class Shape, class Policies, class Next>
    branches<Middle, Shape, Policies> build_rights(detail::builder<Policies>& make, detail::context around,
                                                   std::size_t first, Next& next) {
        using out_item = detail::item_of<detail::output_of<Right, Middle>, Shape>;
        using merge_out = detail::merge_node<out_item, Policies>;
        using merge_in = detail::merge_node<detail::item_of<Middle, Shape>, Policies>;
        const std::size_t last = exit(first);
        detail::inlet<out_item, Policies>& all = make.template make<merge_out>(last, rights_, next);
        branches<Middle, Shape, Policies> rights;
        for (std::size_t j = 0; j < rights_; ++j) {
            const std::size_t role = right_role(first, j);
            Right& part = make.template make<Right>(role, right_);
            const std::size_t from = part.exit(role), entry = part.entry(role);
            auto& joined = make.link(from, last, from, all, options_.slots);
            rights.add(entry, make.template make<merge_in>(
                                  entry, lefts_, part.template build<Middle, Shape>(make, around, role, joined)));
        }
        return rights;
    }

    Left left_;
    Right right_;
    all_to_all_options options_;
    Choose choose_;
    no_choice any_;
    std::size_t lefts_ = 1, rights_ = 1, emitter_ = 1;
};

}  // namespace detail

template <class Left, class Right>
auto all_to_all(Left&& left, Right&& right, all_to_all_options options = {}) {
    return detail::all_to_all_pattern<detail::as_pattern_t<Left>, detail::as_pattern_t<Right>>(
        detail::as_pattern(std::forward<Left>(left)), detail::as_pattern(std::forward<Right>(right)), options,
        no_choice{});
}
// `choose(const Middle&, std::size_t rights)` is the number of the right part that gets an item.
template <class Left, class Right, class Choose>
auto all_to_all(Left&& left, Right&& right, all_to_all_options options, Choose choose) {
    return detail::all_to_all_pattern<detail::as_pattern_t<Left>, detail::as_pattern_t<Right>, Choose>(
        detail::as_pattern(std::forward<Left>(left)), detail::as_pattern(std::forward<Right>(right)), options,
        std::move(choose));
}

}  // namespace croft
