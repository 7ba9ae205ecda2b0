#pragma once
// An accelerator made of the cores that the caller leaves idle (paper 003, II.A). It is a pattern that runs in threads
// of its own. The caller gives it items one by one, and goes on with its own work.
//
//     croft::accelerator<order, quote> quotes(croft::farm(price, {.workers = 3}), {.input_slots = 64});
//     quotes.offload(next);                            // waits only if 64 are waiting already
//     if (auto made = quotes.try_get_result()) ...     // or get_result(), which waits
//     quotes.close();                                  // no more; then get_result() gives what is left, and nothing
//
// One thread at a time offloads and one gets results. These may be two, but over the network of a many-core
// (kinds::ra_udn) both are the one that made it. Both channels are bounded. A thread that offloads without ever taking
// results will wait in the end for room that it alone could make (try_offload() does not).
//
// get_result() and try_get_result() throw the pattern's exception once everything has ended, behind the results that
// precede it (run.hpp). Later items are taken and dropped. Destroying an accelerator drops the items under way.
//
// If the run is abandoned (abandonment.hpp), nobody takes items any more, nor closes the results. So a thread that
// waits for either looks at that as well. It finds that its item is dropped, or that the results have ended.
//
// In the child of a fork it has no threads: there it can only be destroyed, and another one made.

#include <atomic>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <croft/channel/one_caller.hpp>
#include <croft/channel/taken.hpp>
#include <croft/memory/lines.hpp>
#include <croft/pattern/engine/network_threads.hpp>
#include <croft/pattern/engine/offload_role.hpp>
#include <croft/pattern/pattern.hpp>
#include <croft/pattern/placement.hpp>
#include <croft/pattern/run.hpp>
#include <croft/port/count_option.hpp>
#include <croft/port/misuse.hpp>
#include <croft/thread/core_share.hpp>

namespace croft {

struct accelerator_options {
    // 0: one for each core but the caller's, as far as no run or other accelerator has it; at least one.
    count_option threads = 0;
    detail::placement place = placements::neighbours{.spare = 1};
    count_option input_slots = 64;   // how many items may wait to be taken up
    count_option output_slots = 64;  // how many results may wait to be taken
    count_option slots = 0;          // K of the channels within; 0: as in run_options
    std::stop_token stop = {};       // a request there is a stop()
};

template <class In, class Out, class Policies = policies>
class accelerator {
    using in_item = detail::item_of<In, detail::plain>;
    using out_item = detail::item_of<Out, detail::plain>;

public:
    // Starts the threads. Throws as run() does.
    template <class Pattern>
    explicit accelerator(Pattern&& pattern, accelerator_options options = {})
        : cores_(options.threads, detail::caller::has_other_work), state_(stop_) {
        auto own = std::make_shared<detail::as_pattern_t<Pattern>>(detail::as_pattern(std::forward<Pattern>(pattern)));
        using made = typename detail::require_output<detail::output_of<detail::as_pattern_t<Pattern>, In>>::type;
        static_assert(std::is_same_v<made, Out> || !detail::is_output<made>,
                      "croft::accelerator: the pattern makes something else of these items");
        if constexpr (std::is_same_v<made, Out>) build(*own, options);
        pattern_ = std::move(own);
        if (options.stop.stop_possible()) on_request_.emplace(options.stop, stops{this});
    }
    ~accelerator() {
        if (!process_.still()) {
            keep_for_parent();
            return;
        }
        stop(stop_mode::drop);
        close();
        while (next_result()) output_->set_ack();
        threads_->join();
    }
    accelerator(const accelerator&) = delete;
    accelerator& operator=(const accelerator&) = delete;

    // ---- who offloads ----

    // Waits for a free input slot.
    void offload(In item) {
        check_open();
        if (!await_room()) return;
        input_->acquire().content = std::move(item);
        input_->publish();
    }
    // False, and the item untouched, if there is none.
    bool try_offload(In&& item) {
        check_open();
        in_item* const slot = input_->try_acquire();
        if (!slot) return state_.abandoned();
        slot->content = std::move(item);
        input_->publish();
        return true;
    }
    bool try_offload(const In& item) {
        In copy(item);
        return try_offload(std::move(copy));
    }
    // The end of the stream: nothing is offloaded after it. A second call is none.
    void close() {
        if (!std::exchange(closed_, true) && await_room()) input_->close();
    }

    // ---- who gets the results ----

    // Waits for a result; nothing at the end of the stream.
    std::optional<Out> get_result() {
        check_process();
        [[maybe_unused]] const auto call = getter_.begin(detail::of_receiver);
        while (out_item* const found = next_result())
            if (is_wanted()) return take(*found);
        finish();
        return std::nullopt;
    }
    // Nothing also if there is none now. ended() tells which.
    std::optional<Out> try_get_result() {
        check_process();
        [[maybe_unused]] const auto call = getter_.begin(detail::of_receiver);
        while (out_item* const found = output_->try_receive_in_place())
            if (is_wanted()) return take(*found);
        if (ended()) finish();
        return std::nullopt;
    }
    // Whether all results were taken.
    bool ended() const {
        if (state_.abandoned() && !output_->may_receive(detail::acquire_load{})) return true;
        return output_->ended();
    }

    // ---- any thread ----

    // Ends the stream where it is now: later offloaded items are taken and dropped.
    void stop(stop_mode mode = stop_mode::drain) {
        stop_.request(mode);
        ring();
    }
    // The placement of its roles.
    const croft::plan& plan() const { return plan_; }

private:
    template <class P>
    void build(P& pattern, const accelerator_options& options) {
        detail::role_list roles(cores_.threads());
        pattern.describe(roles);
        plan_ = detail::placed(std::move(roles.roles()), cores_.threads(), options.place);
        cores_.keep(plan_.threads);
        make_ = std::make_unique<detail::builder<Policies>>(plan_, state_, options.slots);

        const int caller = lines::this_core();  // unknown where that does not matter
        const std::size_t entry = pattern.entry(0), exit = pattern.exit(0);
        auto& last = make_->thread_of(exit);
        output_ = std::make_unique<channel<out_item, Policies>>(
            options.output_slots, detail::ends{make_->core_of(exit), caller, make_->core_of(exit)}, &last.waiter(),
            nullptr);
        auto& sender =
            make_->template make<detail::link_sender<out_item, Policies>>(exit, *output_, make_->state(exit), last);
        auto& first = pattern.template build<In, detail::plain>(*make_, detail::context{}, 0, as_inlet(sender));

        auto& waiter = make_->thread_of(entry).waiter();
        const int core = make_->core_of(entry);
        input_ = std::make_unique<channel<in_item, Policies>>(options.input_slots, detail::ends{caller, core, core},
                                                              nullptr, &waiter);
        bell_ =
            std::make_unique<channel<char, Policies>>(1, detail::ends{detail::any_core, core, core}, nullptr, &waiter);
        make_->template make_role<detail::offload_role<in_item, Policies>>(entry, *input_, *bell_, make_->state(entry),
                                                                           make_->thread_of(entry), first);
        state_.set_alarm([this] { ring(); });
        state_.ends().set_wake_all([this] {
            make_->wake_all();
            input_->sender_waiter().notify();
            output_->receiver_waiter().notify();
        });
        threads_ = std::make_unique<detail::network_threads<Policies>>(*make_, plan_, 0);
    }
    static detail::inlet<out_item, Policies>& as_inlet(detail::inlet<out_item, Policies>& one) { return one; }

    void check_process() const {
        port::check_use(process_.still(), "croft::accelerator: it is another process's, whose child this one is");
    }
    void check_open() const {
        check_process();
        port::check_use(!closed_, "croft::accelerator: an item is offloaded behind close()");
    }
    // False: nobody will make any.
    bool await_room() {
        if constexpr (!port::waits_on_lines)
            while (!input_->may_send(detail::acquire_load{})) {
                if (state_.abandoned()) return false;
                input_->sender_waiter().wait(
                    [this](auto load) { return input_->may_send(load) || state_.abandoned(); });
            }
        return true;
    }
    out_item* next_result() {
        if constexpr (port::waits_on_lines) return output_->receive_in_place();
        for (;;) {
            // Before the look: results sent by then are found.
            const bool abandoned = state_.abandoned();
            if (out_item* const found = output_->try_receive_in_place()) return found;
            if (abandoned || output_->ended()) return nullptr;
            output_->receiver_waiter().wait(
                [this](auto load) { return output_->may_receive(load) || state_.abandoned(); });
        }
    }
    // In a child its threads' work is in whatever state they had left it, so nothing of it is touched.
    void keep_for_parent() {
        detail::keep_for_ever(std::move(make_));
        detail::keep_for_ever(std::move(input_));
        detail::keep_for_ever(std::move(output_));
        detail::keep_for_ever(std::move(bell_));
        detail::keep_for_ever(std::move(pattern_));
    }
    // Once, by whoever comes first: so the bell has one sender.
    void ring() {
        if (!rung_.exchange(true, std::memory_order_relaxed)) bell_->send(1);
    }
    // If not, the one just received is dropped.
    bool is_wanted() {
        if (!stop_.drops()) return true;
        output_->set_ack();
        return false;
    }
    std::optional<Out> take(out_item& found) {
        return detail::taken(found.template get<Out>(), [this] { output_->set_ack(); });
    }
    // The end has come, by way of every role. So an exception of any role is visible. (The threads may be at work
    // still, dropping what is offloaded.)
    void finish() {
        if (std::exchange(told_, true)) return;
        if (state_.abandoned()) std::rethrow_exception(state_.failure());
        state_.rethrow();
    }

    struct stops {
        accelerator* which;
        void operator()() const { which->stop(); }
    };

    [[no_unique_address]] detail::caller_check<Policies> getter_;  // it waits outside of the channel
    [[no_unique_address]] detail::this_process process_;
    detail::core_share cores_;
    detail::stop_request stop_;
    detail::run_state state_;
    croft::plan plan_;
    std::shared_ptr<void> pattern_;
    std::unique_ptr<detail::builder<Policies>> make_;
    std::unique_ptr<channel<in_item, Policies>> input_;
    std::unique_ptr<channel<out_item, Policies>> output_;
    std::unique_ptr<channel<char, Policies>> bell_;
    std::unique_ptr<detail::network_threads<Policies>> threads_;
    std::atomic<bool> rung_{false};
    bool closed_ = false, told_ = false;
    std::optional<std::stop_callback<stops>> on_request_;  // the first to go
};

}  // namespace croft
