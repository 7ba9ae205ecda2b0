#pragma once
// The engine for items that are nothing but 4, 8 or 16 bytes (content.hpp): numbers, pointers, pairs of them. All that
// lies between the ends of a network is compiled once, in croft::croft_compiled, and a program has only its own ends.
//
// `what(how, bytes)` names templates of that size; `how` is nothing where they are made (src/croft.cpp), else extern.

#include <cstddef>

#include <croft/pattern/engine/item.hpp>

#define CROFT_USUAL_ITEMS(what, how) what(how, 4) what(how, 8) what(how, 16)

namespace croft::detail {

template <std::size_t Size>
using plain_item = item<plain_bytes<Size>, plain>;
template <std::size_t Size>
using numbered_item = item<plain_bytes<Size>, numbered<plain>>;

}  // namespace croft::detail
