#pragma once
// Something that has threads of the pool for as long as the process lasts, though nobody may use them at the moment.
// The schedulers of those who call parallel loops outside of any are such. Asked to, they give the threads back, and
// borrow others when they are used next.

#include <mutex>

#include <croft/port/never_destroyed.hpp>
#include <croft/thread/forks.hpp>

namespace croft::detail {

class keeps_threads {
public:
    // False: somebody uses them.
    virtual bool give_back() = 0;

    // All that there are do. False if one did not.
    static bool all_give_back() {
        bool all = true;
        keeps_threads* each;
        {
            const std::lock_guard guard(there_are().lock);
            each = there_are().first;
        }
        // (Others may be added meanwhile, in front of these; none ever goes.)
        for (; each; each = each->next_) all = each->give_back() && all;
        return all;
    }

protected:
    keeps_threads() = default;
    ~keeps_threads() = default;
    keeps_threads(const keeps_threads&) = delete;
    keeps_threads& operator=(const keeps_threads&) = delete;
    // Once it is made.
    void add() {
        const std::lock_guard guard(there_are().lock);
        next_ = there_are().first;
        there_are().first = this;
    }

private:
    struct list {
        process_mutex lock;
        keeps_threads* first = nullptr;
    };
    static list& there_are() {
        static port::never_destroyed<list> one;
        return one.get();
    }

    keeps_threads* next_ = nullptr;
};

}  // namespace croft::detail
