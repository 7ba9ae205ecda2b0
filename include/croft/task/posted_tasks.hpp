#pragma once
// Tasks that a worker spawned for a group for which another task waits, or for which the same task waits outside of its
// present work. They cannot lie among the worker's own, which their spawner joins newest first. So they have a deque,
// from which everybody takes, and atomics count them, whoever runs them.

#include <cstddef>

#include <croft/task/chase_lev_deque.hpp>

namespace croft::detail {

template <class Work>
class posted_tasks {
public:
    // ---- the worker ----

    // False: no room.
    bool push(Work& what) { return deque_.push(&what); }
    // The newest, or null. The look ahead of it saves a fence: it never sees less than there is.
    Work* take() { return deque_.empty() ? nullptr : deque_.pop(); }

    // ---- others ----

    Work* steal() { return deque_.has_work() ? deque_.steal() : nullptr; }
    bool has_work() const { return deque_.has_work(); }

private:
    // Without room a worker runs its task at once. That does no harm if others have so much to do.
    static constexpr std::size_t room = 256;
    chase_lev_deque<Work, room> deque_;
};

}  // namespace croft::detail
