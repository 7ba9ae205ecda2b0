#pragma once
// The same as regions.hpp for a scheduler whose threads have cores of their own, and look for work there without ever
// sleeping. It has one crew, and one caller at a time.

#include <chrono>
#include <cstddef>
#include <mutex>

#include <croft/task/crew.hpp>

namespace croft::detail {

template <class Worker>
class one_region {
public:
    using crew_type = crew<Worker>;

    one_region(std::size_t workers, std::chrono::nanoseconds spin) : all_(workers, spin) {}

    crew_type& open() {
        one_caller_.lock();
        return all_;
    }
    void close(crew_type&) { one_caller_.unlock(); }
    bool has(const crew_type& which) const { return &which == &all_; }

    void work_as(std::size_t i) {
        Worker::set_current(&all_[i]);
        all_[i].enter();
        all_[i].work_until_end();
        all_[i].leave();
    }
    void end() { all_.end(); }

    template <class Use>
    void for_each_worker(Use use) const {
        for (std::size_t i = 0; i < all_.size(); ++i) use(all_[i]);
    }

private:
    crew_type all_;
    std::mutex one_caller_;
};

}  // namespace croft::detail
