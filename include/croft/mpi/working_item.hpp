#pragma once
// An item on its way through a process's own part of a pattern across processes. It is numbered by its job. It carries
// that number in the place of its place in an order (pattern/engine/item.hpp).

#include <cstdint>

#include <croft/pattern/engine/inlet.hpp>
#include <croft/pattern/engine/item.hpp>
#include <croft/pattern/run_state.hpp>

namespace croft::mpi::detail {

// Short names of what both ends of such a pattern are made of.
using croft::detail::inlet;
using croft::detail::item;
using croft::detail::item_of;
using croft::detail::look;
using croft::detail::numbered;
using croft::detail::plain;
using croft::detail::progress;
using croft::detail::role;
using croft::detail::role_state;

template <class T>
using working_item = item_of<T, numbered<plain>>;

// It is about to be worked on.
template <class Content>
void mark(item<Content, numbered<plain>>& one, std::uint32_t job) {
    one.sequence = job;
    one.last = true;
    one.hole = one.failed = false;
}

}  // namespace croft::mpi::detail
