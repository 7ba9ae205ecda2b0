#pragma once
// The owner of a datum that stages hand each other. It is a unique_ptr that knows where its datum is homed
// (data_home.hpp) and what to do when it changes hands. Stage code uses it as a unique_ptr and never names the policy:
//
//     croft::task_allocator tasks(croft::homes::of_data::none);
//     croft::run([&]() -> std::optional<croft::task_ptr<picture>> { auto p = tasks.make<picture>(); return p; },
//                croft::farm([](croft::task_ptr<picture> p) { filter(*p); return p; }),
//                [](croft::task_ptr<picture> p) { show(*p); });
//
// The caller of hand_over() is the pattern, just before the event that gives the message to the other side. It calls it
// on messages that it sends, and on those that it leaves in a slot that it acknowledges (pattern/hand_over.hpp). If you
// pass one to another thread by other means, call it yourself, in the thread that had it.
//
// With no home, the rule is that a datum which nobody holds, or which is under way, is in no cache. So every thread
// that has looked at it flushes it before it lets go of it. To flush is to write its dirty words back and to drop all
// of its lines. Then the next thread finds nothing stale, and need not drop anything. A thread that only passes the
// pointer on need do nothing, so looking (`*`, `->`, get()) is noted. A reference into the datum is not to be used once
// it was handed over.
//
// A fixed home is known when the datum is made, if the pattern has chosen the worker by then. (A farm has if its
// emitter shares the source's thread: the slot to be filled is some worker's.) If not, hand_over() moves the datum into
// memory that is homed there, if it can be moved; otherwise it stays where it is.
//
// The datum itself has this home; memory that it owns elsewhere (the elements of a vector) has not.

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <croft/memory/data_home.hpp>
#include <croft/memory/data_memory.hpp>
#include <croft/memory/homed_lines.hpp>
#include <croft/memory/lines.hpp>
#include <croft/port/port.hpp>

namespace croft {

template <class T>
class task_ptr {
    static_assert(std::is_object_v<T> && !std::is_array_v<T>, "a task_ptr owns one object");
    static_assert(alignof(T) <= port::cache_line, "a datum may ask for one cache line of alignment at most");

public:
    using element_type = T;

    task_ptr() = default;
    task_ptr(std::nullptr_t) {}
    task_ptr(task_ptr&& from) noexcept { swap(from); }
    task_ptr& operator=(task_ptr&& from) noexcept {
        if (this != &from) {
            reset();
            swap(from);
        }
        return *this;
    }
    ~task_ptr() { reset(); }

    T* get() const {
        looked_ = true;
        return object_;
    }
    T& operator*() const { return *get(); }
    T* operator->() const { return get(); }
    explicit operator bool() const { return object_ != nullptr; }

    // Destroys the datum; its memory serves the next one of this size and home.
    void reset() noexcept {
        if (!object_) return;
        if constexpr (!std::is_trivially_destructible_v<T>) std::destroy_at(get());
        let_go();
        detail::deallocate_data(std::exchange(object_, nullptr), sizeof(T), home_);
    }
    void swap(task_ptr& other) noexcept {
        std::swap(object_, other.object_);
        std::swap(home_, other.home_);
        std::swap(policy_, other.policy_);
        std::swap(looked_, other.looked_);
    }

    // To be called before another thread gets this pointer: see above. `worker`: the core that does most of the work
    // with the datum, if that is known. Throws, and nothing has changed, what moving it does: std::bad_alloc, or
    // whatever T's constructor throws.
    void hand_over([[maybe_unused]] int worker = detail::any_core) {
        if constexpr (port::is_many_core && std::is_move_constructible_v<T>)
            if (object_ && policy_ == homes::of_data::fixed && worker != detail::any_core && worker != home_)
                task_ptr(policy_, worker, std::move(*object_)).swap(*this);
        let_go();
    }

    homes::of_data policy() const { return policy_; }
    int home() const { return home_; }  // a core, or one of homed_lines.hpp's

private:
    friend class task_allocator;

    // Without arguments it is default-initialised: one of trivial type stays untouched, and so do its lines.
    template <class... Arguments>
    task_ptr(homes::of_data policy, int home, Arguments&&... arguments) : home_(home), policy_(policy) {
        void* const memory = detail::allocate_data(sizeof(T), home);
        try {
            if constexpr (sizeof...(Arguments) == 0)
                object_ = ::new (memory) T;
            else
                object_ = ::new (memory) T(std::forward<Arguments>(arguments)...);
        } catch (...) {
            if (home == detail::home_none) lines::flush(memory, sizeof(T));  // what the constructor has written
            detail::deallocate_data(memory, sizeof(T), home);
            throw;
        }
        looked_ = sizeof...(Arguments) != 0 || !std::is_trivially_default_constructible_v<T>;
    }

    // Ordered by the release of the event that follows, as stores are; in reset(), by that of the pool's lock.
    void let_go() noexcept {
        if (object_ && looked_ && home_ == detail::home_none) lines::flush(object_, sizeof(T));
        looked_ = false;
    }

    T* object_ = nullptr;
    int home_ = detail::home_default;
    homes::of_data policy_ = homes::of_data::hashed;
    mutable bool looked_ = false;  // one thread at a time owns this, and looks
};

}  // namespace croft
