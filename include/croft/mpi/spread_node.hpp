#pragma once
// Where a pattern across processes begins and ends: at the process that has the items, the root. It gives each item to
// one of the processes, itself among them, takes back the results, and passes them on. One thread does all, the only
// one here that calls MPI.
//
// Which process gets an item (sharing.hpp). On demand: in turn, the next that has fewer than its window of them
// (peer_window.hpp). If its own pattern is on this very thread, the pattern gets only items that no other has room for.
// Strictly in turn: the next that is there, and if it has no room, it is waited for.
//
// Nothing is lost, nothing comes twice. An item that was given away stays in the table of jobs until all its results
// have come back, and they leave only then. If its process is lost before (lost_process.hpp), the results so far are
// dropped and another process gets the item. So each result leaves once, whatever dies, though a worker may have been
// called twice. The same holds of a process that is believed to be lost and is not, because nothing that it says later
// is heard. In order: jobs leave in the order in which they were made, each when those before it have.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/mpi/arrivals.hpp>
#include <croft/mpi/greeting.hpp>
#include <croft/mpi/item_bytes.hpp>
#include <croft/mpi/job_table.hpp>
#include <croft/mpi/lost_process.hpp>
#include <croft/mpi/peer_link.hpp>
#include <croft/mpi/peer_window.hpp>
#include <croft/mpi/record.hpp>
#include <croft/mpi/sharing.hpp>
#include <croft/mpi/working_item.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::mpi::detail {

struct spread_options {
    bool ordered;      // what is made leaves in the order of the items
    bool works;        // this process works on some
    bool own_is_here;  // and does so on the thread of this role
    sharing how;
};

template <class In, class Out, class Shape, class Policies>
class spread_node final : public inlet<item_of<In, Shape>, Policies>, public role<Policies> {
    using in_item = item_of<In, Shape>;
    using out_item = item_of<Out, Shape>;
    using inner_in = working_item<In>;
    using inner_out = working_item<Out>;
    struct no_content {};

    // Takes the results of this process's own pattern.
    class returning final : public inlet<inner_out, Policies> {
    public:
        explicit returning(spread_node& all) : all_(all) {}
        inner_out* acquire() override { return &own_; }
        void publish() override { consume(own_); }
        void consume(inner_out& in) override { all_.take_own(in); }
        void end() override { all_.own_ended_ = true; }
        bool may_accept(const look<Policies>&) override { return true; }

    private:
        spread_node& all_;
        inner_out own_;
    };

    static constexpr std::size_t here = 0;  // the place of this process; peer i is place i + 1

    using jobs = job_table<In, Out, item_of<no_content, Shape>>;
    using job = typename jobs::job;

public:
    spread_node(std::vector<std::unique_ptr<peer_link>>& peers, const greeting& mine, const spread_options& options,
                role_state state, inlet<out_item, Policies>& next)
        : peers_(peers), mine_(mine), options_(options), state_(state), next_(next), jobs_(options.ordered) {
        own_window_.begin(mine.threads);
        for (auto& each : peers_) arrivals_.add(each->link);
    }
    inlet<inner_out, Policies>& back() { return back_; }
    void begin(inlet<inner_in, Policies>& own) { own_ = &own; }

    // ---- items come ----

    in_item* acquire() override { return may_enter() && choose() ? &slot_ : nullptr; }
    void publish() override { consume(slot_); }
    void consume(in_item& in) override {
        const std::uint32_t number = jobs_.add();
        jobs_[number].marks.take_marks(in);
        if (in.is_hole() || state_.drops())
            finish(number);
        else
            give(number, in.template get<In>());
    }
    void end() override { ended_ = true; }
    bool may_accept(const look<Policies>&) override { return may_enter() && choose(); }

    // ---- results go ----

    progress step() override {
        begin_once();
        bool progressed = pass_kept();
        arrivals_.look();
        for (std::size_t i = 0; i < peers_.size(); ++i) progressed |= attend(i);
        progressed |= give_again();
        if (state_.drops() && !std::exchange(told_drop_, true)) tell_all(record_kind::drop);
        if (ended_ && jobs_.size() == 0 && !std::exchange(told_end_, true)) {
            own_->end();
            tell_all(record_kind::end);
            progressed = true;
        }
        if (!told_end_ || !kept_.empty()) return progressed ? progress::some : progress::none;
        if (!std::exchange(passed_end_, true)) next_.end();
        return own_ended_ && all_ended() ? progress::ended : progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        tell_who_is_missing();  // it may wait for nothing else
        if (!kept_.empty()) return next_.may_accept(load);
        // (A process may turn out to be lost when it is asked for room.)
        if (!again_.empty() && (state_.drops() || choose())) return true;
        arrivals_.look();
        for (const auto& each : peers_)
            if (each->is_open() && (may_read(*each) || each->link.peer_has_gone())) return true;
        return ended_ && jobs_.size() == 0 && (!told_end_ || (own_ended_ && all_ended()));
    }
    void before_wait() override { flush_all(); }

private:
    // ---- who gets what ----

    bool may_enter() const { return kept_.empty() && again_.empty() && jobs_.waiting() < most_waiting; }
    std::size_t places() const { return peers_.size() + 1; }
    bool has_room(std::size_t place) {
        if (place == here) return others_have_theirs() && own_window_.has_room() && own_->acquire();
        peer_link& peer = *peers_[place - 1];
        if (!peer.greeted || !peer.window.has_room()) return false;
        return with_peer(place - 1, [](peer_link& to) { return to.writer.has_room(); });
    }
    // In turn this process is the last, and while it works on its share on this very thread nothing is sent.
    bool others_have_theirs() {
        if (options_.how != sharing::in_turn || !options_.own_is_here) return true;
        bool all = true;
        for (std::size_t i = 0; i < peers_.size(); ++i)
            with_peer(i, [&all](peer_link& to) {
                to.writer.progress();
                to.writer.flush();
                all &= to.writer.is_empty() && to.link.all_sent();
            });
        return all;
    }
    bool has_help() const {
        return std::any_of(peers_.begin(), peers_.end(), [](const auto& each) { return each->is_open(); });
    }
    bool choose() { return options_.how == sharing::in_turn ? choose_in_turn() : choose_on_demand(); }
    bool choose_on_demand() {
        for (std::size_t seen = 0; seen < places(); ++seen) {
            const std::size_t place = next_place_;
            next_place_ = after(place);
            if (place == here && (options_.own_is_here || !options_.works)) continue;
            if (has_room(place)) {
                chosen_ = place;
                return true;
            }
        }
        if (options_.works ? !options_.own_is_here : has_help()) return false;
        if (!has_room(here)) return false;
        chosen_ = here;
        return true;
    }
    // The turn is over when an item was given: see give().
    bool choose_in_turn() {
        for (;; next_place_ = after(next_place_)) {
            const bool own = next_place_ == here;
            if (own ? !options_.works && has_help() : !peers_[next_place_ - 1]->is_open()) continue;
            chosen_ = next_place_;
            if (has_room(chosen_)) return true;
            if (own || peers_[chosen_ - 1]->is_open()) return false;
        }
    }
    std::size_t after(std::size_t place) const { return place + 1 == places() ? here : place + 1; }

    // To the place that was chosen, which has room.
    void give(std::uint32_t number, In& content) {
        job& one = jobs_[number];
        one.place = chosen_;
        if (options_.how == sharing::in_turn) next_place_ = after(chosen_);
        if (chosen_ == here) {
            inner_in& to = *own_->acquire();
            if (!state_.guard([&] { to.slot() = std::move(content); })) return finish(number);
            own_window_.give();
            own_busy_.begin_one();
            mark(to, number);
            own_->publish();
            return;
        }
        if (!state_.guard([&] {
                if (&content != &one.kept) one.kept = std::move(content);
                bytes_ = bytes_of(one.kept, scratch_);
            }))
            return finish(number);
        peers_[chosen_ - 1]->window.give();
        with_peer(chosen_ - 1, [&](peer_link& to) { to.writer.put(record_kind::item, number, bytes_); });
    }
    bool give_again() {
        bool any = false;
        while (!again_.empty() && (state_.drops() || choose())) {
            const std::uint32_t number = again_.front();
            again_.pop_front();
            if (state_.drops())
                finish(number);
            else
                give(number, jobs_[number].kept);
            any = true;
        }
        return any;
    }

    // ---- what comes back ----

    void take_own(inner_out& in) {
        job& one = jobs_[in.sequence];
        if (in.failed) one.failed = true;
        if (!in.hole && !state_.drops())
            state_.guard([&] { one.outputs.push_back({std::move(in.template get<Out>())}); });
        if (!in.last) return;
        own_window_.take_back();
        if (own_busy_.end_one()) own_window_.ran_dry(own_busy_.ns_an_item());
        finish(in.sequence);
    }
    bool attend(std::size_t i) {
        return with_peer(i, [this](peer_link& from) {
            bool any = false;
            from.check_is_there();
            for (int taken = 0; taken < most_in_turn && kept_.size() < most_kept && from.is_open(); ++taken) {
                record one;
                if (!from.reader.next(one)) break;
                any = true;
                hear(from, one);
            }
            from.writer.progress();
            from.writer.flush_if_due();
            return any;
        });
    }
    void hear(peer_link& from, const record& said) {
        switch (said.kind) {
            case record_kind::hello:
                from.window.begin(understood(mine_, said.content, from.link.peer()).threads);
                from.greeted = true;
                asks_who_is_missing_ =
                    !std::all_of(peers_.begin(), peers_.end(), [](const auto& each) { return each->greeted; });
                return;
            case record_kind::dry:
                from.window.ran_dry(said.number);
                return;
            case record_kind::end:
                from.reader.finish();
                from.ended = true;
                return;
            case record_kind::failure:
                // As if it had been thrown here; when it counts, see finish().
                state_.guard_in_order([&] {
                    throw remote_failure(from.link.peer(),
                                         {reinterpret_cast<const char*>(said.content.data()), said.content.size()});
                });
                jobs_[said.number].failed = true;
                return;
            case record_kind::result:
            case record_kind::last:
                if (!state_.drops())
                    state_.guard([&] { item_from(said.content, jobs_[said.number].outputs.emplace_back().content); });
                if (said.kind == record_kind::result) return;
                break;
            case record_kind::hole:
                break;
            default:
                from.refuse();
        }
        from.window.take_back();
        finish(said.number);
    }

    // All that is made of it is here.
    void finish(std::uint32_t number) {
        jobs_.finish(number, [this](job& one) { pass(one); });
    }
    void pass(job& one) {
        if (one.failed && !croft::detail::is_numbered<Shape>) state_.failed();
        if (state_.drops() && !croft::detail::is_marked<Shape>) return;
        for (std::size_t i = 0; i < one.outputs.size(); ++i)
            put_out(one, &one.outputs[i].content, i + 1 == one.outputs.size());
        if (croft::detail::is_marked<Shape> && one.outputs.empty()) put_out(one, nullptr, true);
    }
    void put_out(job& one, Out* content, bool last) {
        out_item* const to = kept_.empty() ? next_.acquire() : nullptr;
        out_item& slot = to ? *to : kept_.emplace_back();
        bool of_item = last;
        if constexpr (croft::detail::is_numbered<Shape>) of_item = last && one.marks.last;
        croft::detail::write_item(state_, slot, one.marks, state_.drops() ? nullptr : content, of_item,
                                  !content || state_.drops());
        if constexpr (croft::detail::is_numbered<Shape>)
            if (one.failed) slot.set_failed();
        if (to) next_.publish();
    }
    bool pass_kept() {
        bool any = false;
        while (!kept_.empty() && next_.acquire()) {
            next_.consume(kept_.front());
            kept_.pop_front();
            any = true;
        }
        return any;
    }

    // ---- processes ----

    // Does something with a peer, which may find that it is gone.
    template <class Action>
    auto with_peer(std::size_t i, Action action) {
        using result = std::invoke_result_t<Action&, peer_link&>;
        if (!peers_[i]->is_open()) return result();
        try {
            return action(*peers_[i]);
        } catch (const error& why) {
            lose(i, why);
        }
        return result();
    }
    bool may_read(peer_link& peer) {
        try {
            return peer.reader.may_read();
        } catch (const error&) {
            return true;  // step() finds it again
        }
    }
    void lose(std::size_t i, const error& why) {
        peers_[i]->lost = true;
        arrivals_.remove(peers_[i]->link);
        const bool goes_on = options_.how != sharing::one && is_lost_process(why.code());
        if (!goes_on) state_.guard([&] { throw; });  // called in its handler
        jobs_.for_each_at(i + 1, [this](std::uint32_t number, job& one) {
            one.outputs.clear();
            again_.push_back(number);
        });
    }
    void begin_once() {
        if (std::exchange(begun_, true)) return;
        began_ = std::chrono::steady_clock::now();
        for (std::size_t i = 0; i < peers_.size(); ++i) with_peer(i, [this](peer_link& to) { to.greet(mine_); });
    }
    // This waits for a process that does not come, as MPI waits; but somebody might want to know.
    void tell_who_is_missing() {
        if (!asks_who_is_missing_ || !begun_ || std::chrono::steady_clock::now() - began_ < patience) return;
        asks_who_is_missing_ = false;
        for (const auto& each : peers_)
            if (each->is_open() && !each->greeted)
                std::fprintf(stderr, "croft::mpi: waiting for rank %d, which has not come to this run in %lld s\n",
                             each->link.peer(), static_cast<long long>(patience.count()));
    }
    void flush_all() {
        for (std::size_t i = 0; i < peers_.size(); ++i)
            with_peer(i, [](peer_link& peer) {
                peer.writer.flush();
                peer.link.flush();
            });
    }
    void tell_all(record_kind what) {
        for (std::size_t i = 0; i < peers_.size(); ++i) with_peer(i, [what](peer_link& to) { to.writer.tell(what); });
    }
    bool all_ended() {
        for (std::size_t i = 0; i < peers_.size(); ++i)
            if (peers_[i]->is_open() || !peers_[i]->has_left()) return false;
        return true;
    }

    static constexpr int most_in_turn = 256;
    static constexpr std::size_t most_kept = 1024, most_waiting = 1 << 16;
    static constexpr std::chrono::seconds patience{10};

    std::vector<std::unique_ptr<peer_link>>& peers_;
    greeting mine_;
    spread_options options_;
    role_state state_;
    inlet<out_item, Policies>& next_;
    inlet<inner_in, Policies>* own_ = nullptr;
    returning back_{*this};
    peer_window own_window_;
    busy_time own_busy_;
    in_item slot_;
    jobs jobs_;
    arrivals arrivals_;
    std::deque<std::uint32_t> again_;  // whose process is lost
    std::deque<out_item> kept_;        // leaves when there is room
    std::size_t next_place_ = 1 % places(), chosen_ = here;
    std::vector<std::byte> scratch_;
    std::span<const std::byte> bytes_;
    std::chrono::steady_clock::time_point began_{};
    bool begun_ = false, ended_ = false, asks_who_is_missing_ = true, told_drop_ = false, told_end_ = false;
    bool own_ended_ = false, passed_end_ = false;
};

}  // namespace croft::mpi::detail
