#pragma once
// Loops over the rows and columns of something, in tiles.
//
//     croft::parallel_for(croft::range_2d{rows, columns}, [&](std::size_t r, std::size_t c) { b[c][r] = a[r][c]; });
//     croft::parallel_for(croft::range_2d{rows, columns}, [&](croft::range_2d tile) { blur(tile); }, {.grain = 4096});
//     double sum = croft::parallel_reduce(croft::range_2d{rows, columns}, 0.0,
//                                         [&](std::size_t r, std::size_t c) { return a[r][c]; }, std::plus<>());
//
// The range is halved along its longer side until a piece, a tile, has no more than `grain` steps, and none is empty. A
// piece that another worker takes is about such a half, or a half of that. So it touches few rows and few columns, and
// neighbours have the least border in common. Steps, exceptions and where it runs: as for loops over one side
// (parallel_for.hpp, parallel_reduce.hpp), with two differences. Grain is the most steps of a tile. Results are joined
// in the order of the tiles, so `join` has to be commutative, too.

#include <cstddef>
#include <type_traits>
#include <utility>

#include <croft/task/parallel_for.hpp>
#include <croft/task/parallel_reduce.hpp>

namespace croft {

namespace detail {

// From `first` to before `last`.
struct range_side {
    std::size_t first = 0, last = 0;
    std::size_t size() const { return last - first; }
};

}  // namespace detail

struct range_2d {
    detail::range_side rows, columns;

    range_2d(std::size_t row_count, std::size_t column_count) : rows{0, row_count}, columns{0, column_count} {}
    range_2d(detail::range_side of_rows, detail::range_side of_columns) : rows(of_rows), columns(of_columns) {}
    std::size_t steps() const { return rows.size() * columns.size(); }
};

namespace detail {

// The tiles of a range, by number; none is empty. Rows and columns are each cut into strips of equal length, give or
// take one step, and a tile is where two strips meet. The first numbers are those of one half of the range, and so on
// within each half; so neighbouring numbers are pieces of the plane.
class tiles {
public:
    tiles(range_2d all, std::size_t grain) : all_(all) {
        std::size_t rows = all.rows.size(), columns = all.columns.size();
        while (rows * columns > grain && rows * columns > 1) {
            std::size_t& longer = rows >= columns ? rows : columns;
            longer -= longer / 2;  // the larger half
        }
        if (all.steps() != 0) strips_ = {strips(all.rows, rows), strips(all.columns, columns)};
    }
    std::size_t count() const { return strips_.steps(); }
    range_2d operator[](std::size_t number) const {
        range_2d left = strips_;
        while (left.steps() > 1) {
            const bool by_rows = left.columns.size() == 1 ||
                                 (left.rows.size() > 1 && rows_of(left.rows).size() >= columns_of(left.columns).size());
            range_side& side = by_rows ? left.rows : left.columns;
            const std::size_t half = side.size() - side.size() / 2, before = left.steps() / side.size() * half;
            if (number < before) {
                side.last = side.first + half;
            } else {
                side.first += half;
                number -= before;
            }
        }
        return {rows_of(left.rows), columns_of(left.columns)};
    }

private:
    // How many there have to be for none to be longer than `longest`.
    static std::size_t strips(range_side side, std::size_t longest) { return (side.size() - 1) / longest + 1; }
    static range_side part(range_side whole, range_side strips, std::size_t all) {
        return {begin(whole, strips.first, all), begin(whole, strips.last, all)};
    }
    static std::size_t begin(range_side whole, std::size_t strip, std::size_t all) {
        const std::size_t least = whole.size() / all, longer = whole.size() % all;
        return whole.first + strip * least + (strip < longer ? strip : longer);
    }
    range_side rows_of(range_side strips) const { return part(all_.rows, strips, strips_.rows.size()); }
    range_side columns_of(range_side strips) const { return part(all_.columns, strips, strips_.columns.size()); }

    range_2d all_;
    range_2d strips_{0, 0};
};

// By a worker, which knows how many there are.
template <class Runtime, class Use>
void with_tiles(range_2d all, loop_options options, Use use) {
    if (all.steps() == 0) return;
    as_worker<Runtime>([&] { use(tiles(all, grain_of(options, all.steps(), workers_of<Runtime>()))); });
}

template <bool Tile, bool Step>
constexpr void check_one_form() {
    static_assert(Tile || Step, "croft: the body of a loop over tiles is called with a row and a column, or a tile");
    static_assert(!(Tile && Step),
                  "croft: the body of a loop over tiles can be called with a row and a column, and with a tile: name "
                  "its parameters' types, so that it is one of both");
}

template <class Body>
void call_for_tile(Body&& body, range_2d tile) {
    if constexpr (std::is_invocable_v<Body&, range_2d>)
        body(tile);
    else
        for (std::size_t r = tile.rows.first; r < tile.rows.last; ++r)
            for (std::size_t c = tile.columns.first; c < tile.columns.last; ++c) body(r, c);
}

}  // namespace detail

// body(row, column) for each step, or body(tile).
template <class Runtime = detail::default_task_runtime, class Body>
void parallel_for(range_2d all, Body&& body, loop_options options = {}) {
    detail::check_one_form<std::is_invocable_v<Body&, range_2d>,
                           std::is_invocable_v<Body&, std::size_t, std::size_t>>();
    detail::with_tiles<Runtime>(all, options, [&body](const detail::tiles& parts) {
        parallel_for<Runtime>(std::size_t{0}, parts.count(),
                              [&](std::size_t i) { detail::call_for_tile(body, parts[i]); }, {.grain = 1});
    });
}

// Reduces the results of body(row, column), or of body(tile, so_far).
template <class Runtime = detail::default_task_runtime, class Value, class Body, class Join>
Value parallel_reduce(range_2d all, Value identity, Body&& body, Join&& join, loop_options options = {}) {
    detail::check_one_form<std::is_invocable_v<Body&, range_2d, Value>,
                           std::is_invocable_v<Body&, std::size_t, std::size_t>>();
    Value result = identity;
    detail::with_tiles<Runtime>(all, options, [&](const detail::tiles& parts) {
        const auto fold = [&](std::size_t first, std::size_t last, Value so_far) {
            for (std::size_t i = first; i < last; ++i) {
                if constexpr (std::is_invocable_v<Body&, range_2d, Value>)
                    so_far = body(parts[i], std::move(so_far));
                else
                    detail::call_for_tile(
                        [&](std::size_t r, std::size_t c) { so_far = join(std::move(so_far), body(r, c)); }, parts[i]);
            }
            return so_far;
        };
        result = parallel_reduce_intervals<Runtime>(std::size_t{0}, parts.count(), identity, fold, join, {.grain = 1});
    });
    return result;
}

}  // namespace croft
