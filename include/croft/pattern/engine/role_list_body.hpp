#pragma once
// The bodies of role_list.hpp.

#include <croft/pattern/engine/role_list.hpp>

namespace croft::detail {

CROFT_INLINE void role_list::add(const std::string& name, role_kind kind, bool row) {
    roles_.push_back({prefix_ + name, kind, depth_ > 0 && kind != role_kind::worker && !row, 0, row});
}

CROFT_INLINE std::size_t role_list::enter(const std::string& prefix, bool within_farm) {
    const std::size_t before = prefix_.size();
    prefix_ += prefix;
    depth_ += within_farm;
    return before;
}

CROFT_INLINE void role_list::leave(std::size_t before, bool within_farm) {
    prefix_.resize(before);
    depth_ -= within_farm;
}

}  // namespace croft::detail
