#pragma once
// Parallel prefix: every element of a range becomes what it and all before it combine to (an inclusive scan).
//
//     croft::prefix(std::plus<>())           // {1, 2, 3} becomes {1, 3, 6}
//     croft::prefix(std::plus<>(), {.workers = 8})
//
// A pattern that takes ranges with operator[] and size(), a std::vector say, and hands each of them on, changed in
// place. `combine` has to be associative, and need not be commutative. Two passes: each worker combines its part, the
// totals go up a tree, and the sum before each part comes down. Then each worker scans its part.

#include <concepts>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/map_options.hpp>
#include <croft/pattern/team_pattern.hpp>

namespace croft {

template <class Combine>
class prefix_pattern : public detail::team_pattern<prefix_pattern<Combine>> {
    template <class In>
    static auto find() {
        if constexpr (requires(In& in, Combine& both) {
                          in[0] = both(in[0], in[0]);
                          { in.size() } -> std::convertible_to<std::size_t>;
                      })
            return std::type_identity<In>{};
        else
            return std::type_identity<detail::none_of<prefix_pattern, In>>{};
    }

public:
    prefix_pattern(Combine combine, team_options options)
        : detail::team_pattern<prefix_pattern>(options), combine_(std::move(combine)) {}

    static constexpr const char* name() { return "prefix"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    template <class In, class Policies>
    class kernel {
        using T = std::decay_t<decltype(std::declval<In&>()[0])>;

    public:
        // Down the range, up the totals; down what comes before, up that all is done. Empty parts have no total.
        struct down {
            In* range;
            std::optional<T> before;
        };
        struct up {
            std::optional<T> total;
        };
        static constexpr int phases = 2;

        kernel(const prefix_pattern& by, detail::role_state state, int, std::size_t i, std::size_t workers)
            : combine_(by.combine_), state_(state), i_(i), workers_(workers) {}

        down first(In& item) { return {&item, {}}; }
        down next(int) { return {range_, {}}; }
        void start(int phase, const down& message) {
            range_ = message.range;
            before_ = message.before;
            if (phase == 0) {
                own_.reset();
                total_.reset();
                before_child_.clear();
            }
        }
        down down_for(int phase, std::size_t child, const down& message) {
            down to{message.range, {}};
            if (phase == 1 && !state_.drops())
                state_.guard([&] { to.before = both(message.before, before_child_[child]); });
            return to;
        }
        bool work(int phase) {
            if (state_.drops()) return true;
            const slice own = share{i_, 1, workers_}.of(range_->size());
            if (phase == 0) {
                for (std::size_t k = own.begin; k < own.end; ++k)
                    own_ = own_ ? combine_(*own_, (*range_)[k]) : (*range_)[k];
                total_ = own_;
            } else {
                for (std::size_t k = own.begin; k < own.end; ++k) {
                    T& element = (*range_)[k];
                    if (before_) element = combine_(*before_, element);
                    before_ = element;
                }
            }
            return true;
        }
        bool may_work(const detail::look<Policies>&) { return true; }
        void combine(int phase, std::size_t, up&& found) {
            if (phase != 0) return;
            before_child_.push_back(total_);
            total_ = both(total_, found.total);
        }
        up result(int) { return {total_}; }
        In finish(In& item) { return std::move(item); }

    private:
        std::optional<T> both(const std::optional<T>& a, const std::optional<T>& b) {
            if (!a) return b;
            return b ? combine_(*a, *b) : a;
        }

        Combine combine_;
        detail::role_state state_;
        std::size_t i_, workers_;
        In* range_ = nullptr;
        std::optional<T> own_, total_, before_;
        std::vector<std::optional<T>> before_child_;  // from this worker's part on
    };

private:
    Combine combine_;
};

template <class Combine>
auto prefix(Combine combine, team_options options = {}) {
    return prefix_pattern<Combine>(std::move(combine), options);
}

}  // namespace croft
