#pragma once
// The meters of a measured run (run_measured.hpp): one at each role that calls the user's functions, as an inlet before
// it. A run's policies say whether it is measured. So other runs have none of this, in code or in time.
//
// A role calls the roles behind it that share its thread. So a meter takes off what meters behind it have measured.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/channel/flag.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/pattern/run_metrics.hpp>

namespace croft::detail {

template <class Policies>
inline constexpr bool is_measured = requires { Policies::is_measured; };

using clock = std::chrono::steady_clock;

// Written by the thread of its role alone, read once that was joined.
struct meter {
    std::uint64_t items = 0;
    clock::duration busy{0};
    std::uint64_t looks = 0, found = 0;  // into its channels, and the items there

    // A channel that leads to its role. Before the network runs.
    template <class Channel>
    void add_input(Channel& from) {
        inputs_.push_back({&from, [](void* it) { return ready_in(*static_cast<Channel*>(it)); }});
    }
    // While its role has an item.
    void look() {
        if (inputs_.empty()) return;
        ++looks;
        for (const input& each : inputs_) found += each.ready(each.channel);
    }
    template <class Action>
    void time(Action action) {
        const clock::time_point began = clock::now();
        const clock::duration around = std::exchange(behind(), clock::duration{0});
        action();
        const clock::duration took = clock::now() - began;
        busy += took - behind();
        behind() = around + took;
    }

private:
    struct input {
        void* channel;
        std::size_t (*ready)(void*);
    };
    // At the receiver. (What has come is looked at without waiting, so nothing is received that was not there.)
    template <class Channel>
    static std::size_t ready_in(Channel& from) {
        return from.may_receive(acquire_load{}) && !from.ended() ? from.receive_some_in_place().size() : 0;
    }
    // The time that meters behind the one that measures now have taken meanwhile.
    static clock::duration& behind() {
        thread_local clock::duration time{0};
        return time;
    }

    std::vector<input> inputs_;
};

// How long a thread waits. Nothing, where nobody wants to know.
template <bool Measured>
class waiting_time {
public:
    struct scope {
        explicit scope(waiting_time& of) : all(of) {}
        ~scope() { all.time_ += clock::now() - began; }
        waiting_time& all;
        const clock::time_point began = clock::now();
    };
    clock::duration time() const { return time_; }

private:
    clock::duration time_{0};
};
template <>
class waiting_time<false> {
public:
    struct scope {
        explicit scope(waiting_time&) {}
        ~scope() {}
    };
    static constexpr clock::duration time() { return {}; }
};

// Before a stage or a sink.
template <class Item, class Policies>
class metered_inlet final : public inlet<Item, Policies> {
public:
    metered_inlet(meter& counts, inlet<Item, Policies>& next) : meter_(counts), next_(next) {}

    Item* acquire() override { return place_ = next_.acquire(); }
    void publish() override {
        count(*place_);
        meter_.time([this] { next_.publish(); });
    }
    void consume(Item& item) override {
        count(item);
        meter_.time([&] { next_.consume(item); });
    }
    void end() override { next_.end(); }
    bool may_accept(const look<Policies>& load) override { return next_.may_accept(load); }
    int worker() const override { return next_.worker(); }

private:
    void count(const Item& item) {
        meter_.items += !item.is_hole();
        meter_.look();
    }

    meter& meter_;
    inlet<Item, Policies>& next_;
    Item* place_ = nullptr;
};

// Behind a source: from the moment that it has room to when the item is there, it is the source that works.
template <class Item, class Policies>
class metered_source_end final : public inlet<Item, Policies> {
public:
    metered_source_end(meter& counts, inlet<Item, Policies>& next) : meter_(counts), next_(next) {}

    Item* acquire() override {
        Item* const place = next_.acquire();
        began_ = clock::now();
        return place;
    }
    void publish() override {
        meter_.busy += clock::now() - began_;
        ++meter_.items;
        next_.publish();
    }
    void consume(Item& item) override { next_.consume(item); }
    void end() override { next_.end(); }
    bool may_accept(const look<Policies>& load) override { return next_.may_accept(load); }
    int worker() const override { return next_.worker(); }

private:
    meter& meter_;
    inlet<Item, Policies>& next_;
    clock::time_point began_;
};

// The meters of a network.
class meters {
public:
    meter& of(std::size_t role) {
        for (entry& each : all_)
            if (each.role == role) return each.counts;
        return all_.emplace_back(role).counts;
    }
    // If that role has a meter. Before the network runs, behind the role's own making.
    template <class Channel>
    void add_input(std::size_t role, Channel& from) {
        for (entry& each : all_)
            if (each.role == role) each.counts.add_input(from);
    }
    // `waited(thread)`: how long that thread did.
    template <class Waited>
    std::vector<run_metrics::role> read(const plan& by, Waited waited) const {
        std::vector<run_metrics::role> made;
        for (std::size_t role = 0; role < by.roles.size(); ++role)
            for (const entry& each : all_)
                if (each.role == role) {
                    const std::size_t thread = by.roles[role].thread;
                    const meter& one = each.counts;
                    made.push_back({by.roles[role].name, thread, one.items, one.busy, waited(thread),
                                    one.looks ? static_cast<double>(one.found) / static_cast<double>(one.looks) : 0});
                }
        return made;
    }

private:
    struct entry {
        explicit entry(std::size_t of) : role(of) {}
        std::size_t role;
        meter counts;
    };
    std::deque<entry> all_;
};
struct unmeasured {};

}  // namespace croft::detail
