#pragma once
// A home policy (memory/home.hpp) for a channel that is two objects, one in each side's process, over the same memory.
// Both ask it for the same lines in the same order. So both get them at the same distance from its beginning, wherever
// that is mapped; no pointer lies in it. The object of the process that makes the memory constructs what is there, the
// other one finds it (attached). State that a side keeps to itself stays in its own process.

#include <cstddef>

#include <croft/memory/home.hpp>
#include <croft/port/port.hpp>

namespace croft::mpi {

// The rest of some memory, which is not given out yet. It has to stay where it is while channels are made in it, no
// longer.
struct line_supply {
    unsigned char* next = nullptr;
    bool attached = false;

    // To find out how much a channel takes, one is made that is attached to no memory: it touches none.
    static line_supply of_none() { return {reinterpret_cast<unsigned char*>(port::cache_line), true}; }
    std::size_t taken_of_none() const { return reinterpret_cast<std::size_t>(next) - port::cache_line; }
};

class shared_lines : public croft::detail::plain_lines {
public:
    explicit shared_lines(line_supply& from) : from_(&from), attached_(from.attached) {}

    void* allocate(std::size_t size) const {
        unsigned char* const first = from_->next;
        from_->next += size;
        return first;
    }
    void deallocate(void*, std::size_t) const noexcept {}  // it goes with the memory
    bool attached() const { return attached_; }

private:
    line_supply* from_;
    bool attached_;
};

namespace homes {

class in_shared_memory {
public:
    explicit in_shared_memory(line_supply& from) : from_(&from) {}

    shared_lines at(croft::detail::part) const { return shared_lines(*from_); }
    shared_lines of_both() const { return shared_lines(*from_); }
    croft::detail::plain_lines of_sender() const { return croft::detail::plain_lines(); }
    croft::detail::plain_lines of_receiver() const { return croft::detail::plain_lines(); }

private:
    line_supply* from_;
};

}  // namespace homes
}  // namespace croft::mpi
