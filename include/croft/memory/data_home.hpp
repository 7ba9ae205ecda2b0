#pragma once
// Where data are homed that stages hand each other by pointer (paper 003, IV.B). home.hpp says it of the slots that the
// pointers travel through. A pattern hands each datum from one thread to the next, so at any time one thread owns it.
// That makes the second and the third possible:
//
//   hashed   the machine's choice (HHN). Nothing is to be known; each line takes room in two caches, its home's and its
//            reader's, and is fetched from a third core
//   fixed    at the thread that does most of the work with it (FHN): in a farm the worker. It finds every line in its
//            own cache, and each line takes room once. But the worker has to be known when the memory is taken
//   none     nowhere (NHN). Lines go from their reader's cache straight to memory and back. Nobody is told of writes,
//            so a thread that hands a datum on writes it back and drops it before
//
// Elsewhere than on a many-core all three are the same memory.

#include <croft/memory/ends.hpp>
#include <croft/memory/homed_lines.hpp>

namespace croft {

namespace homes {

enum class of_data { hashed, fixed, none };

}  // namespace homes

#if defined(CROFT_MANY_CORE)

namespace detail {

inline thread_local int data_worker = any_core;

// While it lives, data that this thread makes are for the core that it was last told of. Patterns tell it before they
// call a stage. Afterwards the earlier core holds again.
class data_worker_scope {
public:
    data_worker_scope() : before_(data_worker) {}
    ~data_worker_scope() { data_worker = before_; }
    data_worker_scope(const data_worker_scope&) = delete;
    data_worker_scope& operator=(const data_worker_scope&) = delete;
    void expect(int core) const { data_worker = core; }

private:
    int before_;
};

inline int expected_home(homes::of_data policy) {
    if (policy == homes::of_data::none) return home_none;
    return policy == homes::of_data::fixed ? data_worker : home_default;  // any_core: the machine's choice
}
}  // namespace detail

#else

namespace detail {

struct data_worker_scope {
    void expect(int) const {}
};

inline int expected_home(homes::of_data) { return home_default; }
}  // namespace detail

#endif

}  // namespace croft
