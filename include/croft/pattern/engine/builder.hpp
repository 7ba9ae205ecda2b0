#pragma once
// Makes a network after a plan: its threads, the parts that its patterns ask for, and links where neighbours are on
// different threads. Each part lies in lines homed at the core of its thread.

#include <cstddef>
#include <deque>
#include <new>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <croft/channel/channel.hpp>
#include <croft/channel/many_to_one.hpp>
#include <croft/memory/homed_lines.hpp>
#include <croft/pattern/engine/executor.hpp>
#include <croft/pattern/engine/flight.hpp>
#include <croft/pattern/engine/link.hpp>
#include <croft/pattern/engine/meter.hpp>
#include <croft/pattern/engine/usual_items.hpp>
#include <croft/pattern/plan.hpp>
#include <croft/pattern/run_state.hpp>
#include <croft/port/compiled.hpp>
#include <croft/port/port.hpp>

namespace croft::detail {

template <class Policies>
class builder {
public:
    builder(const plan& by, run_state& state, std::size_t slots) : plan_(by), state_(state), slots_(slots) {
        const bool crowded = by.threads > port::core_count();  // asked once: it is a call to the system
        threads_.reserve(by.threads);
        for (std::size_t i = 0; i < by.threads; ++i) {
            threads_.push_back(&make_at<executor<Policies>>(core_of_thread(i), state));
            if (crowded) share_cores(*threads_.back());
        }
    }
    ~builder() {
        while (!parts_.empty()) parts_.pop_back();  // the latest first
    }
    builder(const builder&) = delete;
    builder& operator=(const builder&) = delete;

    run_state& state() const { return state_; }
    role_state state(std::size_t role) const { return {state_, last_of_scope_ == no_scope ? role : last_of_scope_}; }
    // The roles that `build` makes work side by side, up to role `last`: see run_state.hpp. If scopes are nested, the
    // outermost counts.
    template <class Build>
    decltype(auto) within(std::size_t last, Build build) {
        struct scope {
            explicit scope(std::size_t& last) : now(last), before(last) {}
            ~scope() { now = before; }
            std::size_t& now;
            std::size_t before;
        } put_back(last_of_scope_);
        if (last_of_scope_ == no_scope) last_of_scope_ = last;
        return build();
    }
    std::size_t thread_count() const { return threads_.size(); }
    void wake_all() {
        for (executor<Policies>* each : threads_) each->wake();
    }
    executor<Policies>& thread(std::size_t i) { return *threads_[i]; }
    executor<Policies>& thread_of(std::size_t role) { return *threads_[plan_.roles[role].thread]; }
    int core_of(std::size_t role) const { return core_of_thread(plan_.roles[role].thread); }
    bool one_role_a_thread() const { return plan_.threads == plan_.roles.size(); }
    // Whether each role has a core for itself.
    bool apart() const { return one_role_a_thread() && !plan_.cores.empty(); }
    bool together(std::size_t a, std::size_t b) const { return plan_.roles[a].thread == plan_.roles[b].thread; }

    // A part of that role, for as long as the network lives.
    template <class Part, class... Arguments>
    Part& make(std::size_t role, Arguments&&... arguments) {
        return make_at<Part>(core_of(role), std::forward<Arguments>(arguments)...);
    }
    // One that its thread steps.
    template <class Part, class... Arguments>
    Part& make_role(std::size_t role, Arguments&&... arguments) {
        Part& made = make<Part>(role, std::forward<Arguments>(arguments)...);
        thread_of(role).add(made);
        return made;
    }

    // The inlet that calls a user's function in that role; in a measured run a meter is before it.
    template <class Item>
    inlet<Item, Policies>& metered(std::size_t role, inlet<Item, Policies>& one) {
        if constexpr (is_measured<Policies>)
            return make<metered_inlet<Item, Policies>>(role, meters_.of(role), one);
        else
            return one;
    }
    // Where a source, of that role, puts its items.
    template <class Item, class Next>
    auto& metered_source(std::size_t role, Next& next) {
        if constexpr (is_measured<Policies>)
            return static_cast<inlet<Item, Policies>&>(
                make<metered_source_end<Item, Policies>>(role, meters_.of(role), next));
        else
            return next;
    }
    // Once the threads of a measured run were joined. (Clang 14 instantiates it in others, too, in src/croft.cpp.)
    run_metrics metrics() const {
        run_metrics made;
        if constexpr (is_measured<Policies>)
            made.roles = meters_.read(plan_, [this](std::size_t thread) { return threads_[thread]->waited(); });
        return made;
    }

    // Where role `from` sends its items so that `next`, an inlet of role `to`, gets them. `home` names the role at
    // whose core the slots are homed.
    template <class Item>
    inlet<Item, Policies>& link(std::size_t from, std::size_t to, std::size_t home, inlet<Item, Policies>& next,
                                std::size_t slots = 0) {
        if (together(from, to)) return next;
        return sender(from, to, home, next, slots);
    }
    // The same between roles that are on different threads. One role receives all that leads into one inlet.
    template <class Item>
    link_sender<Item, Policies>& sender(std::size_t from, std::size_t to, std::size_t home, inlet<Item, Policies>& next,
                                        std::size_t slots = 0);
    // A channel between two roles, for parts that wait for more than one thing. `Channels`: policies, of the run or
    // others. With others only a role that has its thread for itself may wait for it.
    template <class Message, class Channels = Policies>
    channel<Message, Channels>& make_channel(std::size_t from, std::size_t to, std::size_t home,
                                             std::size_t slots = 0) {
        slots = slots_for(sizeof(Message), slots);
        return make_at<channel<Message, Channels>>(any_core, slots, ends{core_of(from), core_of(to), core_of(home)},
                                                   waiter_of<Channels>(from), waiter_of<Channels>(to));
    }
    // The same from so many roles, from `first` on, to one. Each sender is home to its own slots: at the receiver all
    // senders' requests would meet (paper 000, 7.2).
    template <class Message, class Channels = Policies>
    many_to_one<Message, Channels>& make_many_to_one(std::size_t first, std::size_t count, std::size_t to,
                                                     std::size_t slots = 0) {
        slots = slots_for(sizeof(Message), slots);
        return make_at<many_to_one<Message, Channels>>(
            core_of(to), count, slots,
            [this, first, to](std::size_t i) { return ends{core_of(first + i), core_of(to), core_of(first + i)}; },
            [this, first](std::size_t i) { return waiter_of<Channels>(first + i); }, waiter_of<Channels>(to));
    }

    // How many slots for messages of so many bytes, if `asked` is 0.
    std::size_t slots_for(std::size_t bytes, std::size_t asked) const {
        return asked ? asked : slots_ ? slots_ : usual_slots(bytes);
    }
    std::size_t slots_asked() const { return slots_; }
    // Where cores wait on lines, two, so that a worker works while the other one is filled. Natively a few more, so
    // that a look at an ack is worth a line's journey; but no more than a first-level cache holds.
    static constexpr std::size_t usual_slots(std::size_t bytes) {
        if constexpr (port::waits_on_lines) return 2;
        const std::size_t fitting = 32'768 / (bytes + 1);
        return fitting < 2 ? 2 : fitting > 64 ? 64 : fitting;
    }

private:
    // An object in lines of its own.
    struct part {
        void* memory;
        std::size_t size;
        int core;
        void (*destroy)(void*) = nullptr;  // once there is an object

        part(std::size_t s, int c) : memory(allocate_lines(s, c)), size(s), core(c) {}
        part(const part&) = delete;
        part& operator=(const part&) = delete;
        ~part() {
            if (destroy) destroy(memory);
            deallocate_lines(memory, size, core);
        }
    };

    template <class Part, class... Arguments>
    Part& make_at(int core, Arguments&&... arguments) {
        constexpr std::size_t line = port::cache_line;
        static_assert(alignof(Part) <= line, "an item may ask for one cache line of alignment at most");
        constexpr std::size_t size = (sizeof(Part) + line - 1) / line * line;
        part& holder = room_for(size, core);
        Part* const made = ::new (holder.memory) Part(std::forward<Arguments>(arguments)...);
        holder.destroy = [](void* at) { static_cast<Part*>(at)->~Part(); };
        return *made;
    }
    part& room_for(std::size_t size, int core);
    void*& receiver_of(const void* inlet);
    role_kind kind_of(std::size_t role) const { return plan_.roles[role].kind; }
    template <class Channels>
    typename Channels::wait* waiter_of([[maybe_unused]] std::size_t role) {
        if constexpr (std::is_same_v<Channels, Policies>)
            return &thread_of(role).waiter();
        else
            return nullptr;
    }
    int core_of_thread(std::size_t thread) const { return plan_.cores.empty() ? any_core : plan_.cores[thread]; }
    // With more threads than cores a spinner keeps out the very thread it waits for.
    static void share_cores(executor<Policies>& thread) {
        if constexpr (requires { thread.waiter().share_cores(); }) thread.waiter().share_cores();
    }

    static constexpr std::size_t no_scope = ~std::size_t{0};

    const plan& plan_;
    run_state& state_;
    std::size_t slots_;
    std::size_t last_of_scope_ = no_scope;
    std::deque<part> parts_;
    std::vector<executor<Policies>*> threads_;
    [[no_unique_address]] std::conditional_t<is_measured<Policies>, meters, unmeasured> meters_;
    std::unordered_map<const void*, void*> receivers_;  // the link_receiver of each inlet that has one
};

template <class Policies>
template <class Item>
CROFT_INLINE link_sender<Item, Policies>& builder<Policies>::sender(std::size_t from, std::size_t to, std::size_t home,
                                                                    inlet<Item, Policies>& next, std::size_t slots) {
    channel<Item, Policies>& through = make_channel<Item>(from, to, home, slots);
    if constexpr (is_measured<Policies>) meters_.add_input(to, through);
    void*& receiver = receiver_of(&next);
    if (!receiver)
        receiver = &make_role<link_receiver<Item, Policies>>(to, through, thread_of(to), next);
    else
        static_cast<link_receiver<Item, Policies>*>(receiver)->add(through);
    const bool begins_work = kind_of(to) == role_kind::worker && kind_of(from) != role_kind::worker;
    return make<link_sender<Item, Policies>>(from, through, state(from), thread_of(from),
                                             begins_work ? core_of(to) : any_core);
}

template <class Policies>
CROFT_INLINE auto builder<Policies>::room_for(std::size_t size, int core) -> part& {
    return parts_.emplace_back(size, core);
}

template <class Policies>
CROFT_INLINE void*& builder<Policies>::receiver_of(const void* inlet) {
    return receivers_[inlet];
}

}  // namespace croft::detail

#define CROFT_LINK_OF(how, item)                                                                                     \
    how template class croft::channel<item, croft::policies>;                                                        \
    how template class croft::detail::link_sender<item, croft::policies>;                                            \
    how template class croft::detail::link_receiver<item, croft::policies>;                                          \
    how template croft::detail::link_sender<item, croft::policies>& croft::detail::builder<croft::policies>::sender( \
        std::size_t, std::size_t, std::size_t, croft::detail::inlet<item, croft::policies>&, std::size_t);
#define CROFT_LINKS(how, bytes)                          \
    CROFT_LINK_OF(how, croft::detail::plain_item<bytes>) \
    CROFT_LINK_OF(how, croft::detail::numbered_item<bytes>)
#if defined(CROFT_COMPILED)
CROFT_USUAL_ITEMS(CROFT_LINKS, extern)
#endif
