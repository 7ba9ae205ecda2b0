#pragma once
// The pipeline: each item goes through all its stages, one after the other, and different items are in different stages
// at the same time.
//
//     croft::pipeline([](int n) { return n * n; }, croft::farm(simulate, {.workers = 4}), print_name)
//
// A stage is a callable (stage.hpp) or a pattern. Items leave in the order in which they came, if all its stages keep
// it. A stage is used where it is, in the pipeline that it was given to. So it may have state, and may be move-only, or
// a std::ref to an object of yours. (In a farm, every worker has a copy.)

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <croft/pattern/pattern.hpp>

namespace croft {

template <class... Stages>
class pipeline_pattern {
    static_assert(sizeof...(Stages) > 0, "croft::pipeline: there has to be a stage");
    static constexpr std::size_t count = sizeof...(Stages);

public:
    template <class In, class First, class... Rest>
    static auto fold() {  // public because `output` names it, which clang 14 refuses if it is private
        using made = detail::output_of<First, In>;
        if constexpr (sizeof...(Rest) == 0 || !detail::is_output<made>)
            return std::type_identity<made>{};
        else
            return fold<made, Rest...>();
    }

    explicit pipeline_pattern(Stages... stages) : stages_(std::move(stages)...) {}

    static constexpr bool is_pattern = true;
    template <class In>
    using output = typename decltype(fold<In, Stages...>())::type;

    void describe(detail::role_list& roles) {
        std::apply([&](auto&... stage) { (stage.describe(roles), ...); }, stages_);
    }
    std::size_t role_count() const {
        return std::apply([](const auto&... stage) { return (stage.role_count() + ...); }, stages_);
    }
    std::size_t entry(std::size_t first) const { return std::get<0>(stages_).entry(first); }
    std::size_t exit(std::size_t first) const {
        const auto& last = std::get<count - 1>(stages_);
        return last.exit(first + role_count() - last.role_count());
    }

    template <class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build(detail::builder<Policies>& make, detail::context around,
                                                               std::size_t first, Next& next) {
        return build_from<0, In, Shape>(make, around, first, next);
    }

    // Calls visit.template operator()<In>(stage) for each stage, with the type of its items.
    template <class In, std::size_t I = 0, class Visit>
    void for_each_stage(Visit&& visit) {
        auto& stage = std::get<I>(stages_);
        visit.template operator()<In>(stage);
        if constexpr (I + 1 < count)
            for_each_stage<detail::output_of<std::tuple_element_t<I, std::tuple<Stages...>>, In>, I + 1>(visit);
    }

private:
    template <std::size_t I, class In, class Shape, class Policies, class Next>
    detail::inlet<detail::item_of<In, Shape>, Policies>& build_from(detail::builder<Policies>& make,
                                                                    detail::context around, std::size_t first,
                                                                    Next& next) {
        auto& stage = std::get<I>(stages_);
        if constexpr (I + 1 == count) {
            return stage.template build<In, Shape>(make, around, first, next);
        } else {
            using made = detail::output_of<std::tuple_element_t<I, std::tuple<Stages...>>, In>;
            const std::size_t second = first + stage.role_count();
            auto& rest = build_from<I + 1, made, Shape>(make, around, second, next);
            const std::size_t from = stage.exit(first), to = std::get<I + 1>(stages_).entry(second);
            return stage.template build<In, Shape>(make, around, first, make.link(from, to, to, rest));
        }
    }

    std::tuple<Stages...> stages_;
};

template <class... Stages>
auto pipeline(Stages&&... stages) {
    return pipeline_pattern<detail::as_pattern_t<Stages>...>(detail::as_pattern(std::forward<Stages>(stages))...);
}

}  // namespace croft
