#pragma once
// A data-flow graph of patterns.
//
//     croft::graph<picture, report> g;
//     auto parsed = g.add(g.input(), parse);                           // a stage or a pattern
//     auto edges = g.add(parsed, croft::farm_of(find_edges));          // both get every item
//     auto faces = g.add(parsed, find_faces);
//     g.leave(g.add(g.join(edges, faces), describe));                  // of std::pair<...>
//     croft::run(source, g, sink);
//
// What add() and its like return stands for a stream of items; it may be used any number of times, by copying its
// items, or not at all. As a stream is there before it is used, a graph has no cycles (feedback.hpp is for these).
//
// A graph is itself a pattern: it is run, held by an accelerator, or, moved, a part of a pipeline or another graph. Not
// of a farm or of a loop: of one item it may make several, one or none along each of its ways, and nobody could count
// them.

#include <concepts>
#include <cstddef>
#include <memory>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/emitter_node.hpp>
#include <croft/pattern/engine/graph_nodes.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft {

// Policies are those that it is run with.
template <class In, class Out, class Policies = policies>
class graph {
    using make_type = detail::builder<Policies>;
    template <class T>
    using inlet = detail::inlet<detail::item<T, detail::plain>, Policies>;

    // Where items of a stream go in; known once what it belongs to was built.
    template <class T>
    struct taker {
        inlet<T>* built = nullptr;
        std::size_t role = 0;
    };
    template <class T>
    struct outlet {
        std::vector<taker<T>*> takers;

        // For items that come from role `from`.
        inlet<T>& open(make_type& make, std::size_t from) const {
            if (takers.empty()) return make.template make<detail::drain_node<T, Policies>>(from);
            std::vector<inlet<T>*> all;
            for (taker<T>* each : takers) all.push_back(&make.link(from, each->role, each->role, *each->built));
            if (all.size() == 1) return *all[0];
            if constexpr (std::is_copy_assignable_v<T>)
                return make.template make<detail::fan_node<T, Policies>>(from, std::move(all), make.state());
            else
                throw std::invalid_argument("croft::graph: a stream of items that cannot be copied has several takers");
        }
    };

    struct node {
        virtual ~node() = default;
        virtual void describe(detail::role_list& roles) = 0;
        virtual std::size_t role_count() const = 0;
        virtual void build(make_type& make, std::size_t first) = 0;
    };
    template <class P, class T>
    struct pattern_node final : node {
        P pattern;
        taker<T> in;
        outlet<detail::output_of<P, T>> out;

        explicit pattern_node(P p) : pattern(std::move(p)) {}
        void describe(detail::role_list& roles) override { pattern.describe(roles); }
        std::size_t role_count() const override { return pattern.role_count(); }
        void build(make_type& make, std::size_t first) override {
            in = {&pattern.template build<T, detail::plain>(make, detail::context{}, first,
                                                            out.open(make, pattern.exit(first))),
                  pattern.entry(first)};
        }
    };
    template <class L, class R>
    struct join_part final : node {
        taker<L> left;
        taker<R> right;
        outlet<std::pair<L, R>> out;

        void describe(detail::role_list& roles) override { roles.add("join", role_kind::collector); }
        std::size_t role_count() const override { return 1; }
        void build(make_type& make, std::size_t first) override {
            auto& all = make.template make<detail::join_node<L, R, Policies>>(
                first, make.state(), make.thread_of(first), out.open(make, first));
            left = {&all.left(), first};
            right = {&all.right(), first};
        }
    };
    template <class T>
    struct merge_part final : node {
        taker<T> in;
        std::size_t streams = 0;
        outlet<T> out;

        void describe(detail::role_list& roles) override { roles.add("merge", role_kind::collector); }
        std::size_t role_count() const override { return 1; }
        void build(make_type& make, std::size_t first) override {
            in = {&make.template make<detail::merge_node<detail::item<T, detail::plain>, Policies>>(
                      first, streams, out.open(make, first)),
                  first};
        }
    };
    template <class T, class Choose>
    struct split_part final : node {
        Choose choose;
        taker<T> in;
        outlet<T> out[2];

        explicit split_part(Choose c) : choose(std::move(c)) {}
        void describe(detail::role_list& roles) override { roles.add("split", role_kind::emitter); }
        std::size_t role_count() const override { return 1; }
        void build(make_type& make, std::size_t first) override {
            const auto side = [this](const T& item, std::size_t) { return choose(item) ? 0u : 1u; };
            auto& chooser = make.template make<std::decay_t<decltype(side)>>(first, side);
            in = {&make.template make<detail::choosing_emitter_node<std::decay_t<decltype(side)>, T, detail::plain,
                                                                    detail::plain, Policies>>(
                      first, chooser, std::vector{&out[0].open(make, first), &out[1].open(make, first)}, make.state(),
                      make.thread_of(first)),
                  first};
        }
    };
    struct parts {
        outlet<In> input;
        merge_part<Out> output;
        std::vector<std::unique_ptr<node>> nodes;  // each after those whose streams it takes
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

    stream<In> input() { return {parts_.get(), &parts_->input}; }

    // What `stage`, a stage or a pattern, makes of the items of a stream.
    template <class T, class Stage>
    auto add(stream<T> from, Stage&& stage) {
        using pattern = detail::as_pattern_t<Stage>;
        using made = typename detail::require_output<detail::output_of<pattern, T>>::type;
        auto& one = keep(std::make_unique<pattern_node<pattern, T>>(detail::as_pattern(std::forward<Stage>(stage))));
        take(from, one.in);
        return stream<made>(parts_.get(), &one.out);
    }
    // The first item of each stream as a pair, the second, and so on, until one of them ends.
    template <class L, class R>
    stream<std::pair<L, R>> join(stream<L> left, stream<R> right) {
        auto& one = keep(std::make_unique<join_part<L, R>>());
        take(left, one.left);
        take(right, one.right);
        return {parts_.get(), &one.out};
    }
    // The items of several streams, as they come.
    template <class T, class... More>
        requires(std::same_as<More, stream<T>> && ...)
    stream<T> merge(stream<T> first, More... more) {
        auto& one = keep(std::make_unique<merge_part<T>>());
        one.streams = 1 + sizeof...(more);
        take(first, one.in);
        (take(more, one.in), ...);
        return {parts_.get(), &one.out};
    }
    // Those for which `choose(const T&)` is true, and the others.
    template <class T, std::predicate<const T&> Choose>
    std::pair<stream<T>, stream<T>> split(stream<T> from, Choose choose) {
        auto& one = keep(std::make_unique<split_part<T, Choose>>(std::move(choose)));
        take(from, one.in);
        return {stream<T>(parts_.get(), &one.out[0]), stream<T>(parts_.get(), &one.out[1])};
    }
    // These items leave the graph. Of several streams, as they come.
    void leave(stream<Out> from) {
        ++parts_->output.streams;
        take(from, parts_->output.in);
    }

    // ---- as a pattern ----

    static constexpr bool is_pattern = true;
    template <class T>
    using output = std::conditional_t<std::is_same_v<T, In>, Out, detail::none_of<graph, T>>;

    // Throws std::invalid_argument if nothing leaves it.
    void describe(detail::role_list& roles) {
        if (parts_->output.streams == 0) throw std::invalid_argument("croft::graph: no stream is its output");
        roles.within("graph.", false, [&] {
            roles.add("input", role_kind::emitter);
            for (const auto& each : parts_->nodes) each->describe(roles);
            roles.add("output", role_kind::collector);
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
    inlet<In>& build(detail::builder<Made>& make, detail::context, std::size_t first, Next& next) {
        static_assert(std::is_same_v<Shape, detail::plain>,
                      "croft::graph: a graph cannot be part of a farm that is ordered, nor of a loop");
        static_assert(std::is_same_v<Made, Policies>,
                      "croft::graph: it is run with the policies that it was made with");
        std::size_t role = exit(first);
        parts_->output.in = {&make.template make<detail::merge_node<detail::item<Out, detail::plain>, Policies>>(
                                 role, parts_->output.streams, next),
                             role};
        for (std::size_t i = parts_->nodes.size(); i-- > 0;) {
            role -= parts_->nodes[i]->role_count();
            parts_->nodes[i]->build(make, role);
        }
        return parts_->input.open(make, first);
    }

private:
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
};

}  // namespace croft
