#pragma once
// A thread's stay in a region of its own, as the region's worker 0.

#include <croft/task/crew.hpp>

namespace croft::detail {

template <class Regions, class Worker>
class visit {
public:
    explicit visit(Regions& among) : among_(among), crew_(among.open()), before_(Worker::current()) {
        Worker::set_current(&crew_[0]);
        crew_[0].enter();
    }
    ~visit() {
        crew_[0].leave();
        Worker::set_current(before_);
        among_.close(crew_);
    }
    visit(const visit&) = delete;
    visit& operator=(const visit&) = delete;

private:
    Regions& among_;
    crew<Worker>& crew_;
    Worker* before_;
};

}  // namespace croft::detail
