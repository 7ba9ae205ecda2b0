#pragma once
// How a map's items are divided among processes (divided.hpp). Every process stands for as many of the map's workers as
// the root has. A map of its own, on its cores, does their work.
//
// Workers see the same as within one process: share i of N, N being all processes' workers. Neighbours' results are
// combined, or all are gathered, N of them, in the order of the workers. If a process has more or fewer threads than
// the root, its map has as many workers as that. These divide its share further where results are combined. Where each
// of several workers has to yield a result of its own, they stand for several of them.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/portion.hpp>
#include <croft/pattern/map.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>

namespace croft::mpi::detail {

template <class Worker, class Gather, class Splitter, class In>
struct divided_form {
    using form = croft::detail::map_form<Worker, Gather, Splitter, In>;
    static constexpr bool combines = form::form == croft::detail::gather_form::combine;
    static constexpr bool gathers = form::form == croft::detail::gather_form::all;
    static constexpr bool can_be = combines || gathers;
    using made = std::conditional_t<combines, typename form::result, gathered<typename form::result>>;
};

// A process's share of all, and its worker's of that: the worker's of all.
inline share some_of(share whose, share mine) {
    return {whose.first * mine.workers + mine.first * whose.count, mine.count * whose.count,
            whose.workers * mine.workers};
}
// The same, as so many of them that are whole.
inline share whole_ones_of(share whose, share mine) {
    const slice own = mine.of(whose.count);
    return {whose.first + own.begin, own.size(), whose.workers};
}

// ---- a map's callables in each process, of portions ----

template <class Worker, class Gather, class Splitter>
struct portion_worker {
    template <class In>
    using form = divided_form<Worker, Gather, Splitter, In>;

    Worker worker;
    Splitter splitter;

    template <class In>
        requires(form<In>::can_be)
    typename form<In>::made operator()(portion<In>& it, share mine) {
        if constexpr (form<In>::combines) {
            return croft::detail::work_on(worker, it.content, some_of(it.whose, mine));
        } else {
            constexpr bool splits = !std::is_same_v<Splitter, croft::detail::whole_item>;
            const share own = splits ? it.whose : whole_ones_of(it.whose, mine);
            typename form<In>::made results;
            for (std::size_t i = own.count; i-- > 0;) {  // the last one first, as splitters have it
                const share one{own.first + i, 1, own.workers};
                if (!splits || own.count == 1) {
                    results.all.push_back(croft::detail::work_on(worker, it.content, one));
                } else {
                    In part = splitter(it.content, share{i, 1, own.count});
                    results.all.push_back(croft::detail::work_on(worker, part, one));
                }
            }
            std::reverse(results.all.begin(), results.all.end());
            return results;
        }
    }
};

template <class Gather>
struct portion_gather {
    Gather gather;

    template <class Result>
        requires(std::is_invocable_v<Gather&, Result&&, Result&&>)
    Result operator()(Result a, Result b) {
        return gather(std::move(a), std::move(b));
    }
    template <class Result>
    gathered<Result> operator()(gathered<Result> a, gathered<Result> b) {
        a.all.insert(a.all.end(), std::move_iterator(b.all.begin()), std::move_iterator(b.all.end()));
        return a;
    }
};

template <class Worker, class Gather, class Splitter>
struct portion_splitter {
    Splitter splitter;

    template <class In>
    portion<In> operator()(portion<In>& of, share part) {
        if constexpr (divided_form<Worker, Gather, Splitter, In>::combines) {
            return {of.whose, splitter(of.content, part)};
        } else {
            // As many as these of the process's workers stand for, which may be none.
            const slice own = part.of(of.whose.count);
            return {{of.whose.first + own.begin, own.size(), of.whose.workers},
                    own.size() ? In(splitter(of.content, share{own.begin, own.size(), of.whose.count})) : In()};
        }
    }
};

// ---- and at the root ----

template <class Worker, class Gather, class Splitter>
class map_division {
    static_assert(!std::is_same_v<Gather, croft::detail::no_gather>,
                  "croft::mpi::across: what a map's worker writes into an item stays in its process, so across "
                  "processes a map has a gather, croft::map(worker, gather): workers return what they make");
    static constexpr bool splits = !std::is_same_v<Splitter, croft::detail::whole_item>;
    template <class In>
    using form = divided_form<Worker, Gather, Splitter, In>;

public:
    explicit map_division(const croft::map_pattern<Worker, Gather, Splitter>& of)
        : worker_(of.worker()), gather_{of.gather()}, splitter_(of.splitter()), options_(of.options()) {}

    template <class In>
    using output = std::conditional_t<form<In>::can_be, typename form<In>::form::out,
                                      croft::detail::none_of<croft::map_pattern<Worker, Gather, Splitter>, In>>;
    template <class In>
    using part = portion<In>;
    template <class In>
    using made = typename form<In>::made;
    template <class In>
    static constexpr bool keeps_item = form<In>::gathers;

    auto body() const {
        const portion_worker<Worker, Gather, Splitter> worker{worker_, splitter_};
        if constexpr (splits)
            return croft::map(worker, gather_, options_, portion_splitter<Worker, Gather, Splitter>{splitter_});
        else
            return croft::map(worker, gather_, options_);
    }
    std::size_t workers(std::size_t threads) const {
        return std::max<std::size_t>(1, options_.workers ? std::size_t{options_.workers} : threads);
    }
    template <class In>
    portion<In> cut(In& item, share whose) {
        // (As a map of one worker, splitters are not asked for all of an item.)
        return {whose, whose.count == whose.workers ? In(item) : In(splitter_(item, whose))};
    }
    template <class In>
    made<In> join(made<In> a, made<In> b) {
        return gather_(std::move(a), std::move(b));
    }
    template <class In>
    output<In> finish(In&& item, made<In>&& results) {
        return gather_.gather(std::move(item), std::move(results.all));
    }

private:
    Worker worker_;
    portion_gather<Gather> gather_;
    Splitter splitter_;
    map_options options_;
};

}  // namespace croft::mpi::detail
