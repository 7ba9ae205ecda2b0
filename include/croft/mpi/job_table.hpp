#pragma once
// The items that the root of a pattern across processes has let in and is not done with. Each has a number that travels
// with it, and an entry: who works on it, what it was, and its results so far. If order is to be kept, a job leaves
// when those that were added before it have.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace croft::mpi::detail {

// `Marks`: what the patterns around have to know of an item (pattern/engine/item.hpp).
template <class In, class Out, class Marks>
class job_table {
public:
    struct output {  // or a vector of bool, which is none of objects
        Out content;
    };
    struct job {
        Marks marks;
        std::size_t place = 0;  // who works on it
        bool free = true;       // it is none
        bool done = false;      // all that is made of it is here
        bool failed = false;
        In kept;                      // what it was, while another process works on it
        std::vector<output> outputs;  // so far
    };

    explicit job_table(bool ordered) : ordered_(ordered) {}

    std::size_t size() const { return size_; }
    // That have to wait for one before them, or are still worked on; none if no order is kept.
    std::size_t waiting() const { return order_.size(); }
    job& operator[](std::uint32_t number) { return jobs_[number]; }

    std::uint32_t add() {
        std::uint32_t number;
        if (free_.empty()) {
            number = static_cast<std::uint32_t>(jobs_.size());
            jobs_.emplace_back();
        } else {
            number = free_.back();
            free_.pop_back();
        }
        job& one = jobs_[number];
        one.free = one.done = one.failed = false;
        ++size_;
        if (ordered_) order_.push_back(number);
        return number;
    }
    // It is done. Calls leave(job) for all that may leave by now, which then are none any more.
    template <class Leave>
    void finish(std::uint32_t number, Leave leave) {
        if (!ordered_) return pass(number, leave);
        jobs_[number].done = true;
        while (!order_.empty() && jobs_[order_.front()].done) {
            const std::uint32_t due = order_.front();
            order_.pop_front();
            pass(due, leave);
        }
    }
    // Calls action(number, job) for all that somebody works on there.
    template <class Action>
    void for_each_at(std::size_t place, Action action) {
        for (std::uint32_t number = 0; number < jobs_.size(); ++number) {
            job& one = jobs_[number];
            if (!one.free && !one.done && one.place == place) action(number, one);
        }
    }

private:
    template <class Leave>
    void pass(std::uint32_t number, Leave& leave) {
        job& one = jobs_[number];
        leave(one);
        one.free = true;
        one.outputs.clear();
        free_.push_back(number);
        --size_;
    }

    bool ordered_;
    std::deque<job> jobs_;             // which stay where they are
    std::vector<std::uint32_t> free_;  // numbers of none
    std::deque<std::uint32_t> order_;  // of those that have not left
    std::size_t size_ = 0;
};

}  // namespace croft::mpi::detail
