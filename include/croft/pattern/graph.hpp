#pragma once
// A data-flow graph of patterns.
//
//     croft::graph<picture, report> g;
//     auto parsed = g.add(g.input(), parse);                           // a stage or a pattern
//     auto edges = g.add(parsed, croft::farm(find_edges));          // both get every item
//     auto faces = g.add(parsed, find_faces);
//     g.leave(g.add(g.join(edges, faces), describe));                  // of std::pair<...>
//     croft::run(source, g, sink);
//
// add() and its like return a value that stands for a stream of items. You may use it any number of times, by copying
// its items, or not at all. A stream is there before it is used, so a graph has no cycles (feedback.hpp is for these).
//
// A graph is itself a pattern: it is run, held by an accelerator, or a part of others. In an ordered farm one item at a
// time is let into it, or the order would be lost among its ways. Until that item, and all that came of it, is through,
// every item that leaves counts as made of it. An item that a join keeps for a partner waits for it alone, not the item
// after it.

#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/gate.hpp>
#include <croft/pattern/engine/graph_parts.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

// Policies are those that it is run with.
template <class In, class Out, class Policies = policies>
class graph {
    using of = detail::graph_parts<Out, Policies>;
    template <class T>
    using taker = typename of::template taker<T>;
    template <class T>
    using outlet = typename of::template outlet<T>;
    using node = typename of::node;

    struct parts {
        outlet<In> input;
        taker<Out> output;
        std::size_t streams = 0;                   // that lead to the output
        std::vector<std::unique_ptr<node>> nodes;  // each after those whose streams it takes

        parts() = default;
        parts(const parts& other) : input(other.input), streams(other.streams) {
            typename of::moves to{{&other.output, &output}};
            for (const auto& each : other.nodes) {
                node& made = *nodes.emplace_back(each->copy());
                const std::vector<void*> from = each->takers(), now = made.takers();
                for (std::size_t i = 0; i < from.size(); ++i) to[from[i]] = now[i];
            }
            input.follow(to);
            for (const auto& each : nodes) each->follow(to);
        }
    };

public:
    template <class T>
    class stream {
        friend graph;
        stream(const parts* all, outlet<T>* from) : all_(all), from_(from) {}
        const parts* all_;
        outlet<T>* from_;
    };

    graph() : parts_(std::make_unique<parts>()) {}
    // A copy has streams of its own, which nobody can add to but through its own functions. Throws
    // std::invalid_argument if one of its stages cannot be copied.
    graph(const graph& other) : parts_(std::make_unique<parts>(*other.parts_)) {}
    graph(graph&&) = default;
    graph& operator=(graph other) {
        std::swap(parts_, other.parts_);
        return *this;
    }

    stream<In> input() { return {parts_.get(), &parts_->input}; }

    // The stream of results of `stage`, a stage or a pattern, on the items of a stream.
    template <class T, class Stage>
    auto add(stream<T> from, Stage&& stage) {
        using pattern = detail::as_pattern_t<Stage>;
        using made = typename detail::require_output<detail::output_of<pattern, T>>::type;
        if constexpr (detail::is_output<made>) {  // else that has been said
            auto& one = keep(std::make_unique<typename of::template pattern_node<pattern, T>>(
                detail::as_pattern(std::forward<Stage>(stage))));
            take(from, one.in);
            return stream<made>(parts_.get(), &one.out);
        } else {
            return stream<made>(parts_.get(), nullptr);
        }
    }
    // The first item of each stream as a pair, the second, and so on, until one of them ends.
    template <class L, class R>
    stream<std::pair<L, R>> join(stream<L> left, stream<R> right) {
        auto& one = keep(std::make_unique<typename of::template join_part<L, R>>());
        take(left, one.left);
        take(right, one.right);
        return {parts_.get(), &one.out};
    }
    // The items of several streams, in order of arrival.
    template <class T, class... More>
        requires(std::same_as<More, stream<T>> && ...)
    stream<T> merge(stream<T> first, More... more) {
        auto& one = keep(std::make_unique<typename of::template merge_part<T>>());
        one.streams = 1 + sizeof...(more);
        take(first, one.in);
        (take(more, one.in), ...);
        return {parts_.get(), &one.out};
    }
    // Those for which `choose(const T&)` is true, and the others.
    template <class T, std::predicate<const T&> Choose>
    std::pair<stream<T>, stream<T>> split(stream<T> from, Choose choose) {
        auto& one = keep(std::make_unique<typename of::template split_part<T, Choose>>(std::move(choose)));
        take(from, one.in);
        return {stream<T>(parts_.get(), &one.out[0]), stream<T>(parts_.get(), &one.out[1])};
    }
    // These items leave the graph, those of several streams in order of arrival.
    void leave(stream<Out> from) {
        ++parts_->streams;
        take(from, parts_->output);
    }

    // ---- as a pattern ----

    static constexpr bool is_pattern = true;
    template <class T>
    using output = std::conditional_t<std::is_same_v<T, In>, Out, detail::none_of<graph, T>>;

    // Throws std::invalid_argument if nothing leaves it.
    void describe(detail::role_list& roles) {
        if (parts_->streams == 0) throw std::invalid_argument("croft::graph: no stream is its output");
        roles.within("graph.", false, [&] {
            roles.add("input", plan::role_kind::emitter);
            for (const auto& each : parts_->nodes) each->describe(roles);
            roles.add("output", plan::role_kind::collector);
        });
    }
    std::size_t role_count() const {
        std::size_t count = 2;
        for (const auto& each : parts_->nodes) count += each->role_count();
        return count;
    }
    std::size_t entry(std::size_t first) const { return first; }
    std::size_t exit(std::size_t first) const { return first + role_count() - 1; }

    template <class T, class Shape, class Made, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build(detail::builder<Made>& make, detail::context around,
                                                               std::size_t first, Next& next) {
        static_assert(std::is_same_v<Made, Policies>,
                      "croft::graph: it is run with the policies that it was made with");
        return make.within(exit(first), [&]() -> detail::inlet<detail::item_of<In, Shape>, Policies>& {
            if constexpr (detail::is_numbered<Shape>)
                return gate_.template build<Shape>(
                    make, around, first, exit(first), next,
                    [&](auto& out,
                        detail::context inside) -> detail::inlet<detail::item_of<In, detail::holed>, Policies>& {
                        return build_inside<detail::holed>(make, inside, first, out);
                    });
            else
                return build_inside<Shape>(make, around, first, next);
        });
    }

private:
    template <class Shape, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build_inside(detail::builder<Policies>& make,
                                                                      detail::context around, std::size_t first,
                                                                      Next& next) {
        std::size_t role = exit(first);
        auto& merged =
            make.template make<detail::merge_node<detail::item_of<Out, Shape>, Policies>>(role, parts_->streams, next);
        parts_->output.template set<Shape>(merged, role);
        typename of::template site<Shape> at{make, around, merged, role};
        for (std::size_t i = parts_->nodes.size(); i-- > 0;) {
            role -= parts_->nodes[i]->role_count();
            parts_->nodes[i]->build(at, role);
        }
        return parts_->input.open(at, first);
    }
    template <class Part>
    Part& keep(std::unique_ptr<Part> one) {
        Part& kept = *one;
        parts_->nodes.push_back(std::move(one));
        return kept;
    }
    template <class T>
    void take(stream<T> from, taker<T>& by) {
        if (from.all_ != parts_.get()) throw std::invalid_argument("croft::graph: a stream of another graph");
        from.from_->takers.push_back(&by);
    }

    std::unique_ptr<parts> parts_;
    detail::gate<In, Out> gate_;
};

}  // namespace croft
