#pragma once
// An emitter that lets urgent items overtake. Items wait here, in a bounded room. Whenever a branch has room, it gets
// the most urgent of them, and of equally urgent ones the one that came first. Items lie where they were put; only the
// entries that say where they are get sorted.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/engine/pointer_list.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::detail {

template <class Priority, class T, class Shape, class Inside, class Policies>
class priority_emitter_node final : public inlet<item_of<T, Shape>, Policies>, public role<Policies> {
    static constexpr bool numbers = !std::is_same_v<Shape, Inside>;
    using outer_item = item_of<T, Shape>;
    using inner_item = item_of<T, Inside>;
    using branch = inlet<inner_item, Policies>;

public:
    // Those on this thread get one item a step, so that items that come meanwhile are asked how urgent they are.
    priority_emitter_node(Priority& priority, pointer_list<branch> away, pointer_list<branch> here, role_state state,
                          executor<Policies>& thread)
        : priority_(priority),
          away_(std::move(away)),
          here_(std::move(here)),
          state_(state),
          thread_(thread),
          places_(std::max<std::size_t>(priority.room, 1)) {
        waiting_.reserve(places_.size());
        for (inner_item& each : places_) free_.push_back(&each);
    }

    outer_item* acquire() override {
        if (free_.empty()) return nullptr;
        if constexpr (numbers)
            return &free_.back()->outer;
        else
            return free_.back();
    }
    void publish() override {
        inner_item& in = *free_.back();
        if constexpr (numbers) {
            in.sequence = number_;
            in.last = true;
            in.hole = in.outer.is_hole();
            in.failed = false;
        }
        int urgency = std::numeric_limits<int>::max();  // of what is nothing but counted
        if (!in.is_hole() && !state_.drops())
            state_.guard([&] { urgency = static_cast<int>(priority_.of(std::as_const(in.template get<T>()))); });
        free_.pop_back();
        waiting_.push_back({urgency, number_++, &in});
        std::push_heap(waiting_.begin(), waiting_.end());
        give(away_);
        if (!waiting_.empty() && !std::exchange(deferred_, true)) thread_.defer(*this);
    }
    void consume(outer_item& in) override {
        if (move_item(state_, *acquire(), in)) publish();
    }
    void end() override {
        ended_ = true;
        if (!deferred_) end_all();
    }
    bool may_accept(const look<Policies>&) override { return !free_.empty(); }

    // Only while something waits.
    progress step() override {
        bool progressed = give(away_);
        for (std::size_t i = 0; i < here_.size() && !waiting_.empty(); ++i) progressed |= give_to(*here_[i]);
        if (!waiting_.empty()) return progressed ? progress::some : progress::none;
        deferred_ = false;
        if (ended_) end_all();
        return progress::ended;
    }
    bool may_step(const look<Policies>& load) override {
        for (const auto* const all : {&away_, &here_})
            for (branch* each : *all)
                if (each->may_accept(load)) return true;
        return false;
    }

private:
    struct waiting {
        int urgency;
        std::uint32_t number;  // in the order in which they came, modulo 2^32
        inner_item* at;

        bool operator<(const waiting& other) const {
            if (urgency != other.urgency) return urgency < other.urgency;
            return static_cast<std::int32_t>(number - other.number) > 0;
        }
    };

    // True if it had room for one.
    bool give_to(branch& to) {
        if (!to.acquire()) return false;
        std::pop_heap(waiting_.begin(), waiting_.end());
        inner_item* const most_urgent = waiting_.back().at;
        waiting_.pop_back();
        free_.push_back(most_urgent);  // nobody takes it before this has returned: its thread is here
        to.consume(*most_urgent);
        return true;
    }
    // For as long as there is room, in turn. Whether there was any.
    bool give(const pointer_list<branch>& to) {
        bool given = false;
        for (std::size_t full = 0; full < to.size() && !waiting_.empty();) {
            if (next_ >= to.size()) next_ = 0;
            full = give_to(*to[next_++]) ? 0 : full + 1;
            given |= full == 0;
        }
        return given;
    }
    void end_all() {
        for (branch* each : away_) each->end();
        for (branch* each : here_) each->end();
    }

    Priority& priority_;
    pointer_list<branch> away_, here_;
    role_state state_;
    executor<Policies>& thread_;
    std::vector<inner_item> places_;
    std::vector<inner_item*> free_;
    std::vector<waiting> waiting_;  // a heap
    std::size_t next_ = 0;          // to be tried first
    std::uint32_t number_ = 0;
    bool deferred_ = false;
    bool ended_ = false;
};

}  // namespace croft::detail
