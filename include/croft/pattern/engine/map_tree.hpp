#pragma once
// A map whose results become one item: the first worker takes the item, tells those below it, which tell theirs; each
// works on its share; what they found goes up again, neighbours' beside each other, and the first worker passes on what
// it comes to.
//
// Several items are under way, as many as there are slots: a worker goes on with the next one while those below it are
// still busy with the one before, and keeps its own value of that until theirs have come. Values are in the order of
// the items in every channel, so nothing has to say which item one is of.
//
// Why nothing waits in a circle. A role takes an item only if it finds room for what it sends down and for the value
// that it keeps, and sends a value up only if there is room; it never waits in a channel. The oldest item under way is
// the first of every worker that has it, and of those that have not it is on its way, or next: so the lowest of them
// can go on.
//
// What fails at an item is told in its place: a mark goes up with the item's value, and counts when its turn has come
// at the first worker, when all items before it have been passed on (run_state.hpp).

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/memory/home.hpp>
#include <croft/memory/line_array.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/map_sender.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

// The callables, of which every worker has a copy, and what follows from their types for items of type Item.
template <class Worker, class Gather, class Splitter, class Item>
struct map_calls {
    using form = map_form<Worker, Gather, Splitter, Item>;
    using item = Item;
    using value = typename form::value;
    using out = typename form::out;
    static constexpr gather_form gathers = form::form;
    static constexpr bool scatters = !std::same_as<Splitter, whole_item>;

    // What goes down: where the item lies, or a part of it. Or nothing: then nothing is to be done.
    struct whole {
        Item* item = nullptr;
        bool is_nothing() const { return !item; }
    };
    struct part {
        Item item{};
        bool nothing = true;
        bool is_nothing() const { return nothing; }
    };
    using down = std::conditional_t<scatters, part, whole>;
    struct up {
        value found{};
        bool failed = false;
    };

    Worker worker;
    Gather gather;
    Splitter splitter;
};

// One worker, and the values under way of the branch of workers that begins with it.
template <class Calls, class Policies>
class map_branch {
    using item = typename Calls::item;
    using down = typename Calls::down;

public:
    using up = typename Calls::up;

    // `slots`: how many items may be under way.
    map_branch(Calls calls, share mine, map_sender<down, Policies> sender, std::size_t slots, int core,
               role_state state)
        : calls_(std::move(calls)),
          mine_(mine),
          sender_(std::move(sender)),
          values_(slots),
          core_(core),
          state_(state) {}
    // Where the values of a branch below come from, in the order of the workers. Before it runs.
    void add_branch(channel<up, Policies>& values) { branches_.push_back(&values); }

    template <class Load>
    bool may_begin(Load load) const {
        return under_way_ < values_.size() && sender_.may_send(load);
    }
    // Sends it down and works on it. `whole`: the item, of which others get their parts first.
    void begin(item* whole) {
        up& own = values_[(first_ + under_way_++) % values_.size()];
        if constexpr (Calls::gathers == gather_form::all) own.found.clear();
        own.failed = !send_down(whole);
        if (whole && !own.failed && !state_.drops())
            own.failed = !state_.guard_in_order([&] { work(own.found, *whole); });
    }
    // At the end, with room for it.
    void close() { sender_.close(); }

    bool is_empty() const { return under_way_ == 0; }
    // Whether the oldest value is that of the whole branch; combines what has come for it.
    bool complete() {
        for (; heard_ < branches_.size(); ++heard_) {
            channel<up, Policies>& from = *branches_[heard_];
            if (!from.may_receive(acquire_load{})) return false;
            up& found = *from.receive_in_place();
            up& own = oldest();
            own.failed |= found.failed;
            if (!own.failed && !state_.drops())
                own.failed = !state_.guard_in_order([&] { combine(own.found, std::move(found.found)); });
            from.set_ack();
        }
        return true;
    }
    bool may_complete(const look<Policies>& load) const {
        return heard_ == branches_.size() || branches_[heard_]->may_receive(load);
    }
    up& oldest() { return values_[first_]; }
    void pop() {
        heard_ = 0;
        --under_way_;
        first_ = first_ + 1 == values_.size() ? 0 : first_ + 1;
    }
    void flush_acks() {
        for (channel<up, Policies>* each : branches_) each->flush_acks();
    }
    // For whoever is above.
    void write_oldest(up& to) {
        up& own = oldest();
        hand_over(own.found);
        to.failed = own.failed || !state_.guard_in_order([&] { to.found = std::move(own.found); });
    }
    typename Calls::out finish(item& of) {
        if constexpr (Calls::gathers == gather_form::in_place)
            return std::move(of);
        else if constexpr (Calls::gathers == gather_form::combine)
            return std::move(oldest().found);
        else
            return calls_.gather(std::move(of), std::move(oldest().found));
    }

private:
    bool send_down(item* whole) {
        return sender_.send([this](auto action) { return state_.guard_in_order(action); },
                            [&](const auto& to) {
                                if (!whole || state_.drops()) return to.channel->send(down{});
                                if constexpr (Calls::scatters) {
                                    down sent{part_of(*whole, calls_.splitter, to.part, to.worker), false};
                                    hand_over(sent.item, to.worker);
                                    to.channel->send(std::move(sent));
                                } else {
                                    to.channel->send(down{whole});
                                }
                            },
                            [](const auto& to) { to.channel->send(down{}); });
    }
    void work(typename Calls::value& found, item& whole) {
        expected_worker<typename Calls::value> made_here;
        made_here.for_worker(core_);
        const auto work_with = [&](item& mine) {
            if constexpr (Calls::gathers == gather_form::all)
                found.push_back(work_on(calls_.worker, mine, mine_));
            else
                found = work_on(calls_.worker, mine, mine_);
        };
        if constexpr (Calls::scatters) {
            if (sender_.count() > 1) {
                item mine = part_of(whole, calls_.splitter, sender_.first_part(), core_);
                return work_with(mine);
            }
        }
        work_with(whole);
    }
    void combine(typename Calls::value& left, typename Calls::value&& right) {
        if constexpr (Calls::gathers == gather_form::combine)
            left = calls_.gather(std::move(left), std::move(right));
        else if constexpr (Calls::gathers == gather_form::all)
            std::move(right.begin(), right.end(), std::back_inserter(left));
    }

    Calls calls_;
    share mine_;
    map_sender<down, Policies> sender_;
    std::vector<up> values_;  // a ring
    int core_;
    role_state state_;
    std::vector<channel<up, Policies>*> branches_;
    std::size_t first_ = 0, under_way_ = 0;
    std::size_t heard_ = 0;  // of the branches below, for the oldest value
};

// Workers 1 to N - 1.
template <class Calls, class Policies>
class map_member final : public role<Policies> {
    using item = typename Calls::item;
    using down = typename Calls::down;
    using up = typename Calls::up;

public:
    map_member(map_branch<Calls, Policies> branch, channel<down, Policies>& from, channel<up, Policies>& to)
        : branch_(std::move(branch)), from_(from), to_(to) {}
    map_branch<Calls, Policies>& branch() { return branch_; }

    progress step() override {
        bool progressed = pass_up();
        if (!ended_ && from_.may_receive(acquire_load{}) && branch_.may_begin(acquire_load{})) {
            take();
            progressed = true;
        }
        return ended_ && branch_.is_empty() ? progress::ended : progressed ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if (!ended_ && from_.may_receive(load) && branch_.may_begin(load)) return true;
        return !branch_.is_empty() && branch_.may_complete(load) && to_.may_send(load);
    }
    void before_wait() override {
        from_.flush_acks();
        branch_.flush_acks();
    }

private:
    bool pass_up() {
        if (branch_.is_empty() || !branch_.complete() || !to_.may_send(acquire_load{})) return false;
        branch_.write_oldest(to_.acquire());
        to_.publish();
        branch_.pop();
        return true;
    }
    void take() {
        down* const came = from_.receive_in_place();
        if (!came) {
            branch_.close();
            ended_ = true;
            return;
        }
        if constexpr (Calls::scatters) {
            branch_.begin(came->is_nothing() ? nullptr : &came->item);
            hand_over(came->item);
            from_.set_ack();
        } else {
            item* const whole = came->item;
            from_.set_ack();
            branch_.begin(whole);
        }
    }

    map_branch<Calls, Policies> branch_;
    channel<down, Policies>& from_;
    channel<up, Policies>& to_;
    bool ended_ = false;
};

// Worker 0, to which the items come and from which the results go. Items lie here until they are complete.
template <class Calls, class Shape, class Policies>
class map_root final : public inlet<item<typename Calls::item, Shape>, Policies>, public role<Policies> {
    using in_item = item<typename Calls::item, Shape>;
    using out_item = item<typename Calls::out, Shape>;
    struct entry {
        in_item content;
        bool nothing = false, failed = false;
    };

public:
    map_root(map_branch<Calls, Policies> branch, std::size_t slots, int core, role_state state,
             inlet<out_item, Policies>& next)
        : branch_(std::move(branch)), entries_(slots, plain_lines(core)), state_(state), next_(next) {}
    map_branch<Calls, Policies>& branch() { return branch_; }

    in_item* acquire() override { return has_room(acquire_load{}) ? &newest().content : nullptr; }
    void publish() override { begin(false); }
    void consume(in_item& in) override {
        const bool moved = state_.guard_in_order([&] { newest().content = std::move(in); });
        if (!moved) newest().content.take_marks(in);
        begin(!moved);
    }
    void end() override { ended_ = true; }
    bool may_accept(const look<Policies>& load) override { return has_room(load); }

    progress step() override {
        bool progressed = false;
        while (count_ > 0 && deliver()) progressed = true;
        if (count_ > 0 || !ended_ || !branch_.may_begin(acquire_load{}))
            return progressed ? progress::some : progress::none;
        branch_.close();
        next_.end();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override {
        if (count_ == 0) return ended_ && branch_.may_begin(load);
        return (oldest().nothing || branch_.may_complete(load)) && next_.may_accept(load);
    }
    void before_wait() override { branch_.flush_acks(); }

private:
    template <class Load>
    bool has_room(Load load) const {
        return count_ < entries_.size() && branch_.may_begin(load);
    }
    entry& newest() { return entries_[(first_ + count_) % entries_.size()]; }
    entry& oldest() { return entries_[first_]; }

    void begin(bool failed) {
        entry& own = newest();
        own.failed = failed;
        own.nothing = failed || own.content.is_hole() || state_.drops();
        ++count_;
        if (!own.nothing) branch_.begin(&own.content.get());
    }
    // The oldest one; false if something else has to come first.
    bool deliver() {
        entry& own = oldest();
        if (!own.nothing && !branch_.complete()) return false;
        out_item* const to = next_.acquire();
        if (!to) return false;
        to->take_marks(own.content);
        if (own.failed || (!own.nothing && branch_.oldest().failed)) fail(*to);
        bool made = false;
        if (!own.nothing && !branch_.oldest().failed && !state_.drops())
            guard_item(state_, *to, [&] {
                to->get() = branch_.finish(own.content.get());
                made = true;
            });
        if (!own.nothing) branch_.pop();
        hand_over(own.content.get());
        first_ = first_ + 1 == entries_.size() ? 0 : first_ + 1;
        --count_;
        if constexpr (is_marked<Shape>) {
            to->set_hole(!made);
            made = true;
        }
        if (made) next_.publish();
        return true;
    }
    // All that comes before it has been passed on.
    void fail([[maybe_unused]] out_item& to) {
        if constexpr (is_numbered<Shape>)
            to.set_failed();
        else
            state_.failed();
    }

    map_branch<Calls, Policies> branch_;
    line_array<entry, plain_lines> entries_;  // a ring
    role_state state_;
    inlet<out_item, Policies>& next_;
    std::size_t first_ = 0, count_ = 0;
    bool ended_ = false;
};

}  // namespace croft::detail
