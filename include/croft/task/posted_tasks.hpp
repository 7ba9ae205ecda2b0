#pragma once
// Tasks that a worker spawned for a group which another task waits for, or the same task outside of what it is doing.
// They cannot lie among its own, which are joined newest first by whoever spawned them; so they have a deque, from
// which everybody takes, and are counted by atomics whoever runs them.

#include <cstddef>

#include <croft/task/chase_lev_deque.hpp>

namespace croft::detail {

template <class Work>
class posted_tasks {
public:
    // ---- the worker ----

    // False: no room.
    bool push(Work& what) { return deque_.push(&what); }
    // The newest, or null. The look ahead of it saves a fence: what it sees is never less than there is.
    Work* take() { return deque_.empty() ? nullptr : deque_.pop(); }

    // ---- others ----

    Work* steal() { return deque_.has_work() ? deque_.steal() : nullptr; }
    bool has_work() const { return deque_.has_work(); }

private:
    // Who finds no room runs its task at once, which it does not mind if others have so much to do.
    static constexpr std::size_t room = 256;
    chase_lev_deque<Work, room> deque_;
};

}  // namespace croft::detail
