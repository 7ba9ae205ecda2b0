#pragma once
// The keys of the place of what is attached to a router.

#include "contract/description.hpp"
#include "description/keys.hpp"

namespace croftsim {

template <class Keys>
void keys(Keys& in, Attachment& at) {
    in.number("column", at.column, {0, 63}, "its column, counted from 0");
    in.number("row", at.row, {0, 63}, "its row, counted from 0");
    in.optional_number("chip", at.chip, {0, 63}, "its chip, counted from 0. Nothing: 0");
}

}  // namespace croftsim
