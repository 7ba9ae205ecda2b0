#pragma once
// A map whose sink takes each worker's part as it comes (paper 001, V.B): three kinds of roles. The source sends each
// item to the first workers. Every worker sends it on to those below it, works on its share and sends its result to the
// collector, which counts the parts.
//
// Every item goes to every worker and yields a result of each, whatever was thrown and whether or not it is dropped. If
// it is, only the content is nobody's (stand_in, map_form.hpp). So nobody ever waits for a message that will not come.
// The collector can tell by counting which item a result belongs to, and a message of one word stays one.
//
// Messages go one way, source, workers down the tree, collector, and each channel is received until its end; so nothing
// waits in a circle. A role looks before whether it would have to wait in a channel. Its thread may have others, and
// natively the run may be abandoned meanwhile. On a machine whose cores wait on lines, a role that has its thread for
// itself does wait there.
//
// `Channels` are the policies of what is between these roles, `Policies` those of the run (map_words.hpp).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/map_gather.hpp>
#include <croft/pattern/engine/map_sender.hpp>
#include <croft/pattern/engine/pace.hpp>
#include <croft/pattern/hand_over.hpp>
#include <croft/pattern/map_form.hpp>
#include <croft/pattern/map_options.hpp>
#include <croft/pattern/role.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/marks.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

// Sends an item to each of the sender's workers, or their part of it. `state`: of what throws everybody is to drop all,
// because some have got the item and others not.
template <class Item, class Channels, class Splitter>
[[gnu::always_inline]] inline void send_parts(Item& item, const map_sender<Item, Channels>& sender, Splitter& splitter,
                                              role_state& state) {
    sender.send([&](auto action) { return state.guard(action); },
                [&](const auto& to) {
                    Item part = part_of(item, splitter, to.part, to.worker);
                    hand_over(part, to.worker);
                    to.channel->send(std::move(part));
                },
                [](const auto& to) { to.channel->send(stand_in<Item>()); });
}

// Whether a role of that thread does not look first. `Askable`: can_be_asked, of its channels.
template <bool Askable, class Policies>
bool waits_in_channels([[maybe_unused]] const executor<Policies>& thread) {
    if constexpr (port::waits_on_lines)
        return thread.has_one_role();
    else
        return !Askable;
}

template <class Source, class Item, class Splitter, class Channels, class Policies>
class parts_source final : public role<Policies> {
public:
    // `own`: of what the source throws; `all`: of what a splitter does.
    parts_source(Source& source, Splitter& splitter, map_sender<Item, Channels> sender, role_state own, role_state all,
                 executor<Policies>& thread)
        : source_(source), splitter_(splitter), sender_(std::move(sender)), own_(own), all_(all), thread_(thread) {}

    progress step() override {
        return waits_in_channels<can_be_asked<channel<Item, Channels>>>(thread_) ? emit_all() : emit_some();
    }
    bool may_step(const look<Policies>& load) override { return sender_.may_send(load); }

private:
    progress emit_all() {
        while (emit_one()) {
        }
        return progress::ended;
    }
    progress emit_some() {
        pace_.begin();
        std::uint32_t taken = 0;
        for (; taken < pace_.budget() && sender_.may_send(acquire_load{}); ++taken)
            if (!emit_one()) return progress::ended;
        pace_.end(taken);
        return taken ? progress::some : progress::none;
    }
    // False at the end, which has been sent.
    [[gnu::always_inline]] bool emit_one() {
        Item item{};
        bool made = false;
        if (!own_.stops()) {
            expected_worker<Item> made_here;
            made_here.for_worker(sender_.worker());
            CROFT_BEGINS(emitter)
            own_.guard([&] { made = emit<Item>(source_, item, number_); });
            CROFT_ENDS(emitter)
        }
        if (!made) {
            sender_.close();
            return false;
        }
        send_parts(item, sender_, splitter_, all_);
        ++number_;
        return true;
    }

    Source& source_;
    Splitter& splitter_;
    map_sender<Item, Channels> sender_;
    role_state own_, all_;
    executor<Policies>& thread_;
    std::size_t number_ = 0;
    pace pace_;
};

template <class Worker, class Item, class Result, class Splitter, class Channels, class Policies>
class parts_worker final : public role<Policies> {
    using items_type = channel<Item, Channels>;
    using results_type = typename many_to_one<Result, Channels>::channel_type;

public:
    // `core`: its thread's.
    parts_worker(const Worker& worker, const Splitter& splitter, items_type& items, map_sender<Item, Channels> sender,
                 results_type& results, share mine, int core, role_state state, executor<Policies>& thread)
        : worker_(worker),
          splitter_(splitter),
          items_(items),
          sender_(std::move(sender)),
          results_(results),
          mine_(mine),
          core_(core),
          state_(state),
          thread_(thread) {}

    progress step() override {
        expected_worker<Result> made_here;
        made_here.for_worker(core_);
        return waits_in_channels<can_be_asked<items_type>>(thread_) ? take_all() : take_some();
    }
    bool may_step(const look<Policies>& load) override { return ready(load); }
    void before_wait() override {
        if constexpr (requires { items_.flush_acks(); }) items_.flush_acks();
    }

private:
    progress take_all() {
        while (take_one()) {
        }
        return progress::ended;
    }
    progress take_some() {
        pace_.begin();
        std::uint32_t taken = 0;
        for (; taken < pace_.budget() && ready(acquire_load{}); ++taken)
            if (!take_one()) return progress::ended;
        if (pace_.end(taken)) before_wait();
        return taken ? progress::some : progress::none;
    }
    template <class Load>
    bool ready(Load load) {
        if constexpr (can_be_asked<items_type>)
            return items_.may_receive(load) && sender_.may_send(load) && results_.may_send(load);
        else
            return true;
    }
    // False at the end, which has been passed on.
    [[gnu::always_inline]] bool take_one() {
        std::optional<Item> item = items_.receive();
        if (!item) {
            sender_.close();
            results_.close();
            return false;
        }
        send_parts(*item, sender_, splitter_, state_);
        Result result = work(std::move(*item));
        hand_over(result);
        if (!state_.guard([&] { results_.send(std::move(result)); })) results_.send(stand_in<Result>());
        return true;
    }
    [[gnu::always_inline]] Result work(Item&& item) {
        Result result = stand_in<Result>();
        if (!state_.drops()) {
            CROFT_BEGINS(worker)
            state_.guard([&] { result = work_on(worker_, own_part(std::move(item)), mine_); });
            CROFT_ENDS(worker)
        }
        return result;
    }
    Item own_part(Item&& item) {
        if constexpr (std::same_as<Splitter, whole_item>)
            return std::move(item);
        else
            return part_of(item, splitter_, sender_.first_part(), core_);
    }

    Worker worker_;
    Splitter splitter_;
    items_type& items_;
    map_sender<Item, Channels> sender_;
    results_type& results_;
    share mine_;
    int core_;
    role_state state_;
    executor<Policies>& thread_;
    pace pace_;
};

// `Askable`: can_be_asked, of the channels.
template <class Sink, class Result, bool Askable, class Channels, class Policies>
class parts_collector final : public role<Policies> {
    using results_type = many_to_one<Result, Channels>;

public:
    parts_collector(Sink& sink, results_type& results, int core, role_state state, executor<Policies>& thread)
        : sink_(sink), results_(results), gather_(results.size(), core), state_(state), thread_(thread) {}

    // (A guard for each result would cost half as much as the result. A call that throws has taken it.)
    progress step() override {
        if (waits_in_channels<Askable>(thread_)) {
            while (!state_.guard([&] { take_all(); })) {
            }
            return progress::ended;
        }
        pace_.begin();
        std::uint32_t taken = 0;
        if constexpr (port::waits_on_lines) {
            while (!state_.guard([&] { take_some(taken); })) {
            }
        } else if (!state_.guard([&] { take_some(taken); })) {
            take_some(taken);  // now as one that drops, so that what throws again is no sink
        }
        if (results_.ended()) return progress::ended;
        if (pace_.end(taken)) before_wait();
        return taken ? progress::some : progress::none;
    }
    bool may_step(const look<Policies>& load) override {
        if constexpr (Askable)
            return results_.may_receive(load);
        else
            return true;
    }
    void before_wait() override {
        if constexpr (requires { results_.flush_acks(); }) results_.flush_acks();
    }

private:
    void take_all() {
        // In variables of its own, because a compiler may not know that nobody else writes to the members.
        results_type& results = results_;
        Sink& sink = sink_;
        const role_state state = state_;
        while (std::optional<Result> result = results.receive()) take(sink, std::move(*result), results, state);
    }
    void take_some(std::uint32_t& taken) {
        if constexpr (Askable)
            while (taken < pace_.budget()) {
                std::optional<Result> result = results_.try_receive();
                if (!result) return;
                ++taken;
                take(sink_, std::move(*result), results_, state_);
            }
    }
    [[gnu::always_inline]] void take(Sink& sink, Result&& result, results_type& results, const role_state& state) {
        const map_part part = gather_.arrived(results.last_sender());
        if (std::is_same_v<Result, part_done> && !part.last) return;
        if (!state.drops()) sink(std::move(result), part);
    }

    Sink& sink_;
    results_type& results_;
    map_gather gather_;
    role_state state_;
    executor<Policies>& thread_;
    pace pace_;
};

}  // namespace croft::detail
