#pragma once
// Makes the data of one pattern. It says once where they are homed (data_home.hpp), so that no stage has to. Memory
// comes from the process's pool of homed lines and returns there (line_pool.hpp), whoever destroys the datum. So pages
// get their home once. To give it to them costs a system call and takes every copy out of every cache (paper 003,
// IV.B).
//
// Any thread may call. The data that it has made may outlive it.

#include <type_traits>
#include <utility>

#include <croft/memory/data_home.hpp>
#include <croft/memory/task_ptr.hpp>

namespace croft {

class task_allocator {
public:
    explicit task_allocator(homes::of_data policy = homes::of_data::hashed) : policy_(policy) {}

    // Without arguments a T of trivial type holds nothing in particular. Throws std::bad_alloc, and what T's
    // constructor does.
    template <class T, class... Arguments>
        requires std::is_constructible_v<T, Arguments...>
    task_ptr<T> make(Arguments&&... arguments) const {
        return task_ptr<T>(policy_, detail::expected_home(policy_), std::forward<Arguments>(arguments)...);
    }

    homes::of_data policy() const { return policy_; }

private:
    homes::of_data policy_;
};

}  // namespace croft
