#pragma once
// Loops of a run-time whose workers cut each other's intervals (interrupt_stealing.hpp). parallel_for and
// parallel_reduce are made of them there.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <croft/task/failure.hpp>
#include <croft/task/loop_body.hpp>
#include <croft/task/loop_ends.hpp>

namespace croft::detail {

// The steps of a loop in chunks of `grain`, so that an interval is two numbers of 32 bits.
template <class Index>
class chunks {
public:
    using number = std::uint32_t;
    chunks(Index first, std::size_t steps, std::size_t grain)
        : first_(first), steps_(steps), grain_(std::max(grain, steps >> 31)) {}
    number count() const { return static_cast<number>((steps_ + grain_ - 1) / grain_); }
    Index begin(number chunk) const { return step_on(first_, chunk * grain_); }
    Index end(number chunk) const { return step_on(first_, std::min(steps_, (chunk + std::size_t{1}) * grain_)); }

private:
    const Index first_;
    const std::size_t steps_, grain_;
};

// A chunk of a loop, unless another one has failed. Whether the next one is wanted.
template <class Chunk>
bool go_on(failure& failed, Chunk do_chunk) {
    try {
        if (failed.failed()) return false;
        do_chunk();
        return true;
    } catch (...) {
        failed.keep_current();
        return false;
    }
}

// The beginner of the loop has the share 2^whole; a piece with share s stands for 2^s of it. A thief that has done the
// rest of its piece gives back the rest of its share. Once all shares are back, all chunks have been done. (Weighted
// reference counting: Bevan, Watson and Watson, PARLE 1987.) Every cut halves the number of chunks, too, and there are
// less than 2^32 of them. So nobody's share is used up before its chunks.
template <class Runtime, called_with What, class Index, class Body>
class cut_for_loop : Runtime::loop {
    using base = typename Runtime::loop;
    using worker = typename Runtime::worker;
    using number = std::uint32_t;
    static constexpr std::uint32_t whole = 40;

public:
    cut_for_loop(Body& body, Index first, std::size_t steps, std::size_t grain)
        : base{&run_piece}, body_(body), chunks_(first, steps, grain) {}

    void run(worker& here) {
        const std::uint32_t left = go_through(here, 0, chunks_.count(), whole, false);
        if (left != whole) [[unlikely]] {
            const std::uint64_t given = portion(whole) - portion(left);
            here.help_until([this, given] {
                return Runtime::join_policy::reaches(back_, [given](std::uint64_t now) { return now == given; });
            });
        }
        failure_.rethrow();
    }

private:
    static std::uint64_t portion(std::uint32_t share) { return std::uint64_t{1} << share; }
    static void run_piece(base& what, worker& here, number first, number last, std::uint32_t share) {
        auto& self = static_cast<cut_for_loop&>(what);
        const std::uint32_t left = self.go_through(here, first, last, share, true);
        Runtime::join_policy::add(self.back_, portion(left));
    }
    std::uint32_t go_through(worker& here, number first, number last, std::uint32_t share, bool stolen) {
        typename worker::interval mine(*this, first, last, share);
        here.go_through(mine, stolen, [this](number chunk) {
            return go_on(failure_, [&] { call_for_all<What>(body_, chunks_.begin(chunk), chunks_.end(chunk)); });
        });
        return mine.share.load(std::memory_order_relaxed);
    }

    Body& body_;
    const chunks<Index> chunks_;
    failure failure_;
    std::atomic<std::uint64_t> back_{0};
};

// Here the order counts: a piece that was cut off lies behind the rest, a later cut before an earlier one. So each
// piece has a place for its value, its share. The worker that it was cut from joins them.
template <class Runtime, class Index, class Value, class Join, class Fold>
class cut_reduce_loop : Runtime::loop {
    using base = typename Runtime::loop;
    using worker = typename Runtime::worker;
    using number = std::uint32_t;
    // From more than 2^12 chunks the last ones stay where they are.
    static constexpr std::uint32_t places = 12;

public:
    struct common {
        common(const Value& neutral, Join& joined_by, Fold folded_by, Index first, std::size_t steps, std::size_t grain)
            : identity(neutral), join(joined_by), fold(folded_by), parts(first, steps, grain) {}
        const Value& identity;
        Join& join;
        Fold fold;  // (first, last, so_far)
        const chunks<Index> parts;
        failure failed;
    };
    explicit cut_reduce_loop(common& all) : base{&run_piece}, all_(all) {}

    // By the loop's beginner.
    Value run(worker& here) {
        Value result = run(here, 0, all_.parts.count());
        all_.failed.rethrow();
        return result;
    }

private:
    static void run_piece(base& what, worker& here, number first, number last, std::uint32_t share) {
        auto& self = static_cast<cut_reduce_loop&>(what);
        try {
            cut_reduce_loop mine(self.all_);
            self.values_[share].emplace(mine.run(here, first, last));
        } catch (...) {
            self.all_.failed.keep_current();
        }
        Runtime::join_policy::add(self.back_, std::uint32_t{1});
    }
    Value run(worker& here, number first, number last) {
        Value so_far = all_.identity;
        typename worker::interval mine(*this, first, last, places);
        here.go_through(mine, false, [this, &so_far](number chunk) {
            return go_on(all_.failed, [&] {
                so_far = all_.fold(all_.parts.begin(chunk), all_.parts.end(chunk), std::move(so_far));
            });
        });
        const std::uint32_t left = mine.share.load(std::memory_order_relaxed);
        if (left == places) [[likely]]
            return so_far;
        here.help_until([this, left] {
            return Runtime::join_policy::reaches(back_, [left](std::uint32_t now) { return now == places - left; });
        });
        for (std::uint32_t i = left; i < places && !all_.failed.failed(); ++i)
            so_far = all_.join(std::move(so_far), std::move(*values_[i]));
        return so_far;
    }

    common& all_;
    std::array<std::optional<Value>, places> values_;
    std::atomic<std::uint32_t> back_{0};
};

}  // namespace croft::detail
