#pragma once
// The parts of a graph before it is built: streams, each with those that take its items, and nodes between them. It is
// built in one of two shapes: plain, or holed, where a loop counts its messages.

#include <cstddef>
#include <map>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/collector_node.hpp>
#include <croft/pattern/engine/emitter_node.hpp>
#include <croft/pattern/engine/graph_nodes.hpp>
#include <croft/pattern/pattern.hpp>

namespace croft::detail {

// A graph from which items of type Out leave.
template <class Out, class Policies>
struct graph_parts {
    // Its surroundings when it is built.
    template <class Shape>
    struct site {
        builder<Policies>& make;
        context around;
        merge_node<item_of<Out, Shape>, Policies>& output;  // where items leave
        std::size_t output_role;
    };

    // Where items of a stream go in; known once what it belongs to was built.
    template <class T>
    struct taker {
        std::tuple<inlet<item_of<T, plain>, Policies>*, inlet<item_of<T, holed>, Policies>*> built;
        std::size_t role = 0;

        template <class Shape>
        inlet<item_of<T, Shape>, Policies>*& at() {
            return std::get<inlet<item_of<T, Shape>, Policies>*>(built);
        }
        template <class Shape>
        void set(inlet<item_of<T, Shape>, Policies>& where, std::size_t by) {
            at<Shape>() = &where;
            role = by;
        }
    };

    using moves = std::map<const void*, void*>;  // from the takers of a graph to those of its copy

    template <class T>
    struct outlet {
        pointer_list<taker<T>> takers;

        // For items that come from role `from`.
        template <class Shape>
        inlet<item_of<T, Shape>, Policies>& open(site<Shape>& in, std::size_t from) const {
            if (takers.empty()) return drain(in, from);
            pointer_list<inlet<item_of<T, Shape>, Policies>> all;
            for (taker<T>* each : takers)
                all.push_back(&in.make.link(from, each->role, each->role, *each->template at<Shape>()));
            if (all.size() == 1) return *all[0];
            if constexpr (std::is_copy_assignable_v<T>)
                return in.make.template make<fan_node<T, Shape, Policies>>(from, std::move(all), in.make.state(from),
                                                                           in.around.loop, in.make.thread_of(from));
            else
                throw std::invalid_argument("croft::graph: a stream of items that cannot be copied has several takers");
        }
        void follow(const moves& to) {
            pointer_list<taker<T>> of_copy;
            for (taker<T>* each : takers) of_copy.push_back(static_cast<taker<T>*>(to.at(each)));
            takers = std::move(of_copy);
        }

    private:
        template <class Shape>
        inlet<item_of<T, Shape>, Policies>& drain(site<Shape>& in, std::size_t from) const {
            in.output.add_branch();
            inlet<item_of<Out, Shape>, Policies>& output = in.output;
            auto& next = in.make.link(from, in.output_role, in.output_role, output);
            if constexpr (is_marked<Shape>)
                return in.make.template make<counted_drain_node<T, Out, Policies>>(from, next);
            else
                return in.make.template make<drain_node<T, Out, Policies>>(from, next);
        }
    };

    struct node {
        virtual ~node() = default;
        virtual void describe(role_list& roles) = 0;
        virtual std::size_t role_count() const = 0;
        virtual void build(site<plain>& in, std::size_t first) = 0;
        virtual void build(site<holed>& in, std::size_t first) = 0;
        // Throws std::invalid_argument if its stage cannot be copied. The copy's streams have the takers of the
        // original until it was told where theirs are.
        virtual std::unique_ptr<node> copy() const = 0;
        virtual std::vector<void*> takers() = 0;
        virtual void follow(const moves& to) = 0;
    };
    // Derived has build_as<Shape>(site, first), the takers and the outlets.
    template <class Derived>
    struct node_of : node {
        void build(site<plain>& in, std::size_t first) override { self().build_as(in, first); }
        void build(site<holed>& in, std::size_t first) override { self().build_as(in, first); }
        std::unique_ptr<node> copy() const override {
            if constexpr (std::is_copy_constructible_v<Derived>)
                return std::make_unique<Derived>(static_cast<const Derived&>(*this));
            else
                throw std::invalid_argument(
                    "croft::graph: with a stage that cannot be copied a graph cannot be either");
        }

    private:
        Derived& self() { return static_cast<Derived&>(*this); }
    };

    template <class P, class T>
    struct pattern_node final : node_of<pattern_node<P, T>> {
        P pattern;
        taker<T> in;
        outlet<output_of<P, T>> out;

        explicit pattern_node(P p) : pattern(std::move(p)) {}
        void describe(role_list& roles) override { pattern.describe(roles); }
        std::size_t role_count() const override { return pattern.role_count(); }
        template <class Shape>
        void build_as(site<Shape>& at, std::size_t first) {
            auto& next = out.open(at, pattern.exit(first));
            in.template set<Shape>(pattern.template build<T, Shape>(at.make, at.around, first, next),
                                   pattern.entry(first));
        }
        std::vector<void*> takers() override { return {&in}; }
        void follow(const moves& to) override { out.follow(to); }
    };
    template <class L, class R>
    struct join_part final : node_of<join_part<L, R>> {
        taker<L> left;
        taker<R> right;
        outlet<std::pair<L, R>> out;

        void describe(role_list& roles) override { roles.add("join", role_kind::collector); }
        std::size_t role_count() const override { return 1; }
        void build_as(site<plain>& at, std::size_t first) {
            set<plain>(at.make.template make<join_node<L, R, Policies>>(first, at.make.state(first),
                                                                        at.make.thread_of(first), out.open(at, first)),
                       first);
        }
        void build_as(site<holed>& at, std::size_t first) {
            set<holed>(at.make.template make<counted_join_node<L, R, Policies>>(first, at.make.state(first),
                                                                                out.open(at, first)),
                       first);
        }
        std::vector<void*> takers() override { return {&left, &right}; }
        void follow(const moves& to) override { out.follow(to); }

    private:
        template <class Shape, class Join>
        void set(Join& all, std::size_t first) {
            left.template set<Shape>(all.left(), first);
            right.template set<Shape>(all.right(), first);
        }
    };
    template <class T>
    struct merge_part final : node_of<merge_part<T>> {
        taker<T> in;
        std::size_t streams = 0;
        outlet<T> out;

        void describe(role_list& roles) override { roles.add("merge", role_kind::collector); }
        std::size_t role_count() const override { return 1; }
        template <class Shape>
        void build_as(site<Shape>& at, std::size_t first) {
            in.template set<Shape>(
                at.make.template make<merge_node<item_of<T, Shape>, Policies>>(first, streams, out.open(at, first)),
                first);
        }
        std::vector<void*> takers() override { return {&in}; }
        void follow(const moves& to) override { out.follow(to); }
    };
    template <class T, class Choose>
    struct split_part final : node_of<split_part<T, Choose>> {
        Choose choose;
        taker<T> in;
        outlet<T> out[2];

        explicit split_part(Choose c) : choose(std::move(c)) {}
        void describe(role_list& roles) override { roles.add("split", role_kind::emitter); }
        std::size_t role_count() const override { return 1; }
        template <class Shape>
        void build_as(site<Shape>& at, std::size_t first) {
            const auto side = [this](const T& item, std::size_t) { return choose(item) ? 0u : 1u; };
            using side_type = std::decay_t<decltype(side)>;
            auto& chooser = at.make.template make<side_type>(first, side);
            pointer_list<inlet<item_of<T, Shape>, Policies>> sides;
            for (outlet<T>& each : out) sides.push_back(&each.open(at, first));
            in.template set<Shape>(
                at.make.template make<choosing_emitter_node<side_type, T, Shape, Shape, Policies>>(
                    first, chooser, std::move(sides), at.make.state(first), at.make.thread_of(first)),
                first);
        }
        std::vector<void*> takers() override { return {&in}; }
        void follow(const moves& to) override {
            for (outlet<T>& each : out) each.follow(to);
        }
    };
};

}  // namespace croft::detail
