#pragma once
// Where a pattern across processes begins and ends at a process that is not the root. Its items come from the root, and
// its results go back there. One thread does both, the only one here that calls MPI.
//
// Results leave several to a frame where they come close behind each other (record.hpp), and at once where they do not.
// If a worker throws, the root is told, in the item's place, and nothing ends here. There the exception ends the run,
// which ends the stream.
//
// The end. The root says that no item will follow. Items under way are finished and told, and then this side says that
// nothing will follow them. It goes once the root has acknowledged that: then nothing is on its way, in either
// direction.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <croft/mpi/greeting.hpp>
#include <croft/mpi/item_bytes.hpp>
#include <croft/mpi/peer_link.hpp>
#include <croft/mpi/peer_window.hpp>
#include <croft/mpi/record.hpp>
#include <croft/mpi/working_item.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/pattern/stop_request.hpp>

namespace croft::mpi::detail {

template <class In, class Out, class Policies>
class member_node final : public inlet<working_item<Out>, Policies>, public role<Policies> {
    using in_item = working_item<In>;
    using out_item = working_item<Out>;

public:
    member_node(peer_link& root, const greeting& mine, croft::detail::run_state& all, role_state state,
                croft::detail::stop_request& stop)
        : root_(root), mine_(mine), all_(all), state_(state), stop_(stop) {}
    void begin(inlet<in_item, Policies>& body) { body_ = &body; }

    // ---- results ----

    out_item* acquire() override { return has_room() ? &own_ : nullptr; }
    void publish() override { consume(own_); }
    void consume(out_item& made) override {
        std::span<const std::byte> bytes;
        if (!made.hole && !state_.guard_in_order([&] { bytes = bytes_of(made.template get<Out>(), scratch_); }))
            made.set_failed();
        with_root([&] {
            if (made.failed) {
                const std::string what = what_of(all_.failure());
                root_.writer.put(record_kind::failure, made.sequence, std::as_bytes(std::span(what)));
            }
            if (made.hole) {
                if (made.last) root_.writer.put(record_kind::hole, made.sequence);
            } else {
                root_.writer.put(made.last ? record_kind::last : record_kind::result, made.sequence, bytes);
            }
            if (made.last && busy_.end_one()) root_.writer.put(record_kind::dry, busy_.ns_an_item());
        });
    }
    void end() override {
        body_ended_ = true;
        with_root([this] { root_.writer.tell(record_kind::end); });
    }
    bool may_accept(const look<Policies>&) override { return has_room(); }

    // ---- items ----

    progress step() override {
        if (!std::exchange(begun_, true)) with_root([this] { root_.greet(mine_); });
        bool any = false;
        with_root([&] {
            if (!body_ended_) root_.check_is_there();
            root_.writer.progress();
            for (int taken = 0; taken < most_in_turn && !told_end_ && (!root_.greeted || body_->acquire()); ++taken) {
                record one;
                if (!root_.reader.next(one)) break;
                any = true;
                hear(one);
                root_.writer.flush_if_due();  // the item may have been worked on right here, and that for long
            }
            root_.writer.flush_if_due();
            if (body_ended_) any |= root_.link.progress();
            if (body_ended_ && is_acknowledged()) done_ = true;
        });
        if (root_.lost && !told_end_) end_body();
        if (body_ended_ && (root_.lost || done_)) return progress::ended;
        return any ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if (root_.lost || root_.link.peer_has_gone()) return true;
        try {
            if (body_ended_) return root_.link.progress() || is_acknowledged();
            return !told_end_ && body_->may_accept(load) && root_.reader.may_read();
        } catch (const error&) {
            return true;  // step() finds it again
        }
    }
    void before_wait() override {
        with_root([this] {
            root_.writer.progress();
            root_.writer.flush();
            root_.link.flush();
        });
    }

private:
    static constexpr int most_in_turn = 256;

    bool has_room() {
        bool room = true;  // if there is nobody to tell
        with_root([&] { room = root_.writer.has_room(); });
        return room;
    }
    void hear(const record& said) {
        switch (said.kind) {
            case record_kind::hello:
                understood(mine_, said.content, root_.link.peer());
                root_.greeted = true;
                return;
            case record_kind::item: {
                in_item& to = *body_->acquire();
                mark(to, said.number);
                busy_.begin_one();
                if (!state_.guard_in_order([&] { item_from(said.content, to.template get<In>()); })) to.set_failed();
                body_->publish();
                return;
            }
            case record_kind::drop:
                return stop_.request(stop_mode::drop);
            case record_kind::end:
                root_.reader.finish();
                return end_body();
            default:
                root_.refuse();
        }
    }
    void end_body() {
        told_end_ = true;
        body_->end();
    }
    bool is_acknowledged() {
        if (root_.link.peer_has_gone()) return true;  // it wants nothing more
        return root_.writer.is_empty() && root_.link.in_flight() == 0 && root_.link.all_sent();
    }
    // Without the root there is nobody to work for: the run ends, with an error that names it.
    template <class Action>
    void with_root(Action action) {
        if (root_.lost) return;
        try {
            action();
        } catch (const error&) {
            root_.lost = true;
            state_.guard([] { throw; });
        }
    }

    peer_link& root_;
    greeting mine_;
    croft::detail::run_state& all_;
    role_state state_;
    croft::detail::stop_request& stop_;
    inlet<in_item, Policies>* body_ = nullptr;
    busy_time busy_;
    out_item own_;
    std::vector<std::byte> scratch_;
    bool begun_ = false, told_end_ = false, body_ended_ = false, done_ = false;
};

}  // namespace croft::mpi::detail
