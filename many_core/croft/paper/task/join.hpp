#pragma once
// parallel_invoke of two, made of the paper's spawn and wait.

#include <exception>

#include <croft/task/failure.hpp>

namespace croft::paper {

template <class Runtime, class First, class Second>
void both(typename Runtime::worker& here, First& first, Second& second) {
    using worker = typename Runtime::worker;
    struct child : Runtime::work {
        explicit child(Second& what) : Runtime::work{&run_it}, body(what) {}
        static void run_it(typename Runtime::work& what, worker& here, worker&) {
            child& self = static_cast<child&>(what);
            auto* const outer = here.running;
            here.running = nullptr;
            try {
                if (!self.failed.failed()) self.body();
            } catch (...) {
                self.failed.keep_current();
            }
            here.running = outer;
        }
        Second& body;
        detail::failure failed;
    } other(second);

    typename Runtime::join_count count;
    count = 1;
    here.spawn(other, count);
    try {
        first();
    } catch (...) {
        other.failed.keep_current();  // so the other does not begin if it has not
        here.wait(count, {});
        throw;
    }
    here.wait(count, {});
    other.failed.rethrow();
}

}  // namespace croft::paper
