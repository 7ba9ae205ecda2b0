#pragma once
// Stencil: N workers update every cell of a grid from its neighbours, again and again.
//
//     croft::stencil(100, [](const double* above, const double* here, const double* below) {
//         return (above[0] + below[0] + here[-1] + here[1]) / 4;
//     })
//
// A pattern that takes croft::grids and hands each of them on after so many steps. The update is given where the cell
// and its neighbours in three rows lie, here[0] being the cell itself, and returns the new cell. All cells of a step
// see those of the step before. The cells on the border of the grid keep their values.
//
// Each step is a loop over the rows, from one grid to another of the same size. Whole rows, because the loop over the
// cells of a row is what compilers make vectors of.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/loop_stage.hpp>
#include <croft/task/parallel_for.hpp>

namespace croft {

template <class T>
struct grid {
    std::size_t rows = 0, columns = 0;
    std::vector<T> cells;  // row by row

    grid() = default;
    grid(std::size_t r, std::size_t c, T value = {}) : rows(r), columns(c), cells(r * c, value) {}
    T& at(std::size_t row, std::size_t column) { return cells[row * columns + column]; }
    const T& at(std::size_t row, std::size_t column) const { return cells[row * columns + column]; }
};

namespace detail {

template <class Update>
class stencil_pattern : public loop_stage<stencil_pattern<Update>> {
    template <class T>
    struct cell_of {
        using type = void;
    };
    template <class T>
    struct cell_of<grid<T>> {
        using type = T;
    };
    template <class In>
    static auto find() {
        using T = typename cell_of<In>::type;
        if constexpr (std::is_void_v<T>)
            return std::type_identity<none_of<stencil_pattern, In>>{};
        else if constexpr (!std::is_invocable_r_v<T, Update&, const T*, const T*, const T*>)
            return std::type_identity<none_of<stencil_pattern, In>>{};
        else
            return std::type_identity<In>{};
    }

public:
    stencil_pattern(std::size_t steps, Update update, team_options options)
        : loop_stage<stencil_pattern>(options), steps_(steps), update_(std::move(update)) {}

    static constexpr const char* name() { return "stencil"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    template <class In>
    In work(In& from, const role_state& state) {
        using T = typename cell_of<In>::type;
        if (from.rows < 3 || from.columns < 3 || steps_ == 0) return std::move(from);
        In to = from;
        const std::size_t columns = from.columns;
        const std::size_t rows_at_once = std::max<std::size_t>(1, 1024 / columns);  // worth a look for help
        for (std::size_t step = 0; step < steps_; ++step) {
            go_on_unless_dropped(state);
            parallel_for_intervals(std::size_t{1}, from.rows - 1,
                                   [&](std::size_t first, std::size_t last) {
                                       shared_or_copied<Update, const T*, const T*, const T*> update = update_;
                                       for (std::size_t r = first; r < last; ++r) {
                                           const T* const here = &from.at(r, 0);
                                           T* const next = &to.at(r, 0);
                                           for (std::size_t c = 1; c + 1 < columns; ++c)
                                               next[c] = update(here - columns + c, here + c, here + columns + c);
                                       }
                                   },
                                   {.grain = rows_at_once});
            std::swap(from.cells, to.cells);
        }
        return std::move(from);
    }

private:
    std::size_t steps_;
    Update update_;
};

}  // namespace detail

// The last argument says how many workers; a grid of R rows keeps R - 2 of them busy at most.
template <class Update>
auto stencil(std::size_t steps, Update update, team_options options = {}) {
    return detail::stencil_pattern<Update>(steps, std::move(update), options);
}

}  // namespace croft
