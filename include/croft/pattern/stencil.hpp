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
// Each worker has neighbouring rows, in memory homed at its core. A worker lets its neighbour read its outermost row
// where it lies: the slot between them carries its address. Ready says that the row is of this step, ack that it was
// read. Rows are kept twice, for odd and for even steps. So a row that a neighbour may be reading is not overwritten
// before the slot is free again, one step later. While a neighbour's row is not there yet a worker updates its inner
// rows.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/memory/homed_allocator.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/team_pattern.hpp>

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

template <class Update>
class stencil_pattern : public detail::team_pattern<stencil_pattern<Update>> {
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
            return std::type_identity<detail::none_of<stencil_pattern, In>>{};
        else if constexpr (!std::is_invocable_r_v<T, Update&, const T*, const T*, const T*>)
            return std::type_identity<detail::none_of<stencil_pattern, In>>{};
        else
            return std::type_identity<In>{};
    }

public:
    stencil_pattern(std::size_t steps, Update update, team_options options)
        : detail::team_pattern<stencil_pattern>(options), steps_(steps), update_(std::move(update)) {}

    static constexpr const char* name() { return "stencil"; }
    template <class In>
    using output = typename decltype(find<In>())::type;

    template <class In, class Policies>
    class kernel {
        using T = typename cell_of<In>::type;
        static_assert(std::is_default_constructible_v<T>,
                      "croft::stencil: a cell needs a default constructor, because workers have room for rows before "
                      "they are written");
        using row_channel = channel<const T*, Policies>;
        using rows_type = std::vector<T, homed_allocator<T>>;

    public:
        struct down {
            In* item;
        };
        struct up {};
        static constexpr int phases = 1;

        kernel(const stencil_pattern& by, detail::role_state state, int core, std::size_t i, std::size_t workers)
            : update_(by.update_),
              steps_(by.steps_),
              state_(state),
              i_(i),
              workers_(workers),
              rows_{rows_type(homed_allocator<T>(core)), rows_type(homed_allocator<T>(core))} {}

        // To the worker with the rows below.
        void connect(detail::builder<Policies>& make, std::size_t own, std::size_t below, kernel& next) {
            to_below_ = &make.template make_channel<const T*>(own, below, below, 1);
            from_below_ = next.to_above_ = &make.template make_channel<const T*>(below, own, own, 1);
            next.from_above_ = to_below_;
        }

        down first(In& item) { return {&item}; }
        down next(int) { return {}; }
        down down_for(int, std::size_t, const down& message) { return message; }
        void start(int, const down& message) {
            item_ = message.item;
            columns_ = item_->columns;
            const std::size_t inner = item_->rows > 2 && columns_ > 2 ? item_->rows - 2 : 0;
            // With fewer rows than workers the first ones have one each.
            const std::size_t busy = std::min(workers_, inner);
            const slice own = i_ < busy ? share{i_, 1, busy}.of(inner) : slice{0, 0};
            first_ = own.begin + 1;
            count_ = own.size();
            has_above_ = count_ > 0 && i_ > 0;
            has_below_ = count_ > 0 && i_ + 1 < busy;
            step_ = 0;
            done_ = showing;
            if (count_ > 0 && steps_ > 0) copy_in();
        }
        bool work(int) {
            if (count_ == 0) return true;
            for (; step_ < steps_; ++step_, done_ = showing)
                if (!take_step()) return false;
            if (steps_ > 0) copy_out();
            return true;
        }
        bool may_work(const detail::look<Policies>& load) {
            if (done_ == showing)
                return (!has_above_ || to_above_->may_send(load)) && (!has_below_ || to_below_->may_send(load));
            return (needs_above() && from_above_->may_receive(load)) ||
                   (needs_below() && from_below_->may_receive(load));
        }
        void combine(int, std::size_t, up&&) {}
        up result(int) { return {}; }
        In finish(In& item) { return std::move(item); }

    private:
        // The rows of a step that are done: bits for the inner rows, the first and the last.
        enum : unsigned { showing = 8, inner_rows = 1, first_row = 2, last_row = 4, all_rows = 7 };

        bool needs_above() const { return has_above_ && !(done_ & first_row); }
        bool needs_below() const { return has_below_ && !(done_ & last_row); }

        // Kept rows: one above, the own ones, one below; those of a neighbour stay empty.
        T* row(std::size_t which, std::size_t r) { return rows_[which].data() + r * columns_; }
        void copy_in() {
            for (rows_type& each : rows_) each.assign((count_ + 2) * columns_, T());
            for (const std::size_t which : {std::size_t{0}, std::size_t{1}})  // both: for the border
                for (std::size_t r = 0; r < count_ + 2; ++r)
                    std::copy_n(&item_->at(first_ - 1 + r, 0), columns_, row(which, r));
        }
        void copy_out() {
            for (std::size_t r = 1; r <= count_; ++r)
                std::copy_n(row(steps_ % 2, r), columns_, &item_->at(first_ - 1 + r, 0));
        }

        // False if a neighbour has to come first.
        bool take_step() {
            const std::size_t from = step_ % 2;
            if (done_ == showing) {
                // A free slot says that what was shown in it has been read: the rows that this step overwrites.
                if (has_above_ && !to_above_->may_send(acquire_load{})) return false;
                if (has_below_ && !to_below_->may_send(acquire_load{})) return false;
                if (has_above_) to_above_->send(row(from, 1));
                if (has_below_) to_below_->send(row(from, count_));
                done_ = 0;
            }
            if (!(done_ & inner_rows)) {
                done_ |= inner_rows;
                for (std::size_t r = 2; r < count_; ++r) update_row(from, r, row(from, r - 1), row(from, r + 1));
            }
            if (count_ == 1) return only_row(from);
            if (!(done_ & first_row)) {
                const T* above = row(from, 0);
                if (!has_above_ || from_above_->may_receive(acquire_load{})) {
                    done_ |= first_row;
                    if (has_above_) above = *from_above_->front();
                    update_row(from, 1, above, row(from, 2));
                    if (has_above_) read(*from_above_);
                }
            }
            if (!(done_ & last_row)) {
                const T* below = row(from, count_ + 1);
                if (!has_below_ || from_below_->may_receive(acquire_load{})) {
                    done_ |= last_row;
                    if (has_below_) below = *from_below_->front();
                    update_row(from, count_, row(from, count_ - 1), below);
                    if (has_below_) read(*from_below_);
                }
            }
            return done_ == all_rows;
        }
        bool only_row(std::size_t from) {
            if (has_above_ && !from_above_->may_receive(acquire_load{})) return false;
            done_ |= first_row;
            if (has_below_ && !from_below_->may_receive(acquire_load{})) return false;
            done_ |= last_row;
            update_row(from, 1, has_above_ ? *from_above_->front() : row(from, 0),
                       has_below_ ? *from_below_->front() : row(from, 2));
            if (has_above_) read(*from_above_);
            if (has_below_) read(*from_below_);
            return true;
        }
        static void read(row_channel& from) {
            from.set_ack();
            from.flush_acks();  // with the next step the neighbour waits for it
        }
        // In a run that drops the steps go on, for the neighbours' sake, and nothing is computed. An exception must not
        // keep a row from being acknowledged.
        void update_row(std::size_t from, std::size_t r, const T* above, const T* below) {
            if (state_.drops()) return;
            state_.guard([&] {
                const T* const here = row(from, r);
                T* const to = row(1 - from, r);
                for (std::size_t c = 1; c + 1 < columns_; ++c) to[c] = update_(above + c, here + c, below + c);
            });
        }

        Update update_;
        std::size_t steps_;
        detail::role_state state_;
        std::size_t i_, workers_;
        rows_type rows_[2];
        row_channel *to_above_ = nullptr, *from_above_ = nullptr, *to_below_ = nullptr, *from_below_ = nullptr;
        In* item_ = nullptr;
        std::size_t columns_ = 0, first_ = 0, count_ = 0, step_ = 0;
        bool has_above_ = false, has_below_ = false;
        unsigned done_ = showing;
    };

private:
    std::size_t steps_;
    Update update_;
};

// The last argument says how many workers; a grid of R rows keeps R - 2 of them busy at most.
template <class Update>
auto stencil(std::size_t steps, Update update, team_options options = {}) {
    return stencil_pattern<Update>(steps, std::move(update), options);
}

}  // namespace croft
