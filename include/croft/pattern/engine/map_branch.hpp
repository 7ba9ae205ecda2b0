#pragma once
// One worker of a map whose results become one item (map_tree.hpp), and the values under way of the branch of workers
// that begins with it. It sends to those below it, does its own work, and makes one value of theirs and its own.

#include <concepts>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/pattern/engine/look.hpp>
#include <croft/pattern/engine/map_sender.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/marks.hpp>

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

    // The message down: where the item lies, or a part of it. Or nothing: then nothing is to be done.
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
        if (whole && !own.failed && !state_.drops()) {
            CROFT_BEGINS(worker)
            own.failed = !state_.guard_in_order([&] { work(own.found, *whole); });
            CROFT_ENDS(worker)
        }
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

}  // namespace croft::detail
