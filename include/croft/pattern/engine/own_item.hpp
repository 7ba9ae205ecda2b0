#pragma once
// Where a sender on the same thread writes an item: a part's own. A large item lies apart from its part. So the fields
// that the part uses for every item stay beside those of others, in few lines. Otherwise they would be at the beginning
// of pages of their own. There all that are large begin in the same set of a small cache.

#include <memory>
#include <type_traits>

#include <croft/port/port.hpp>

namespace croft::detail {

template <class Item>
class own_item {
    static constexpr bool apart = sizeof(Item) > 4 * port::cache_line;

public:
    own_item() {
        if constexpr (apart) place_ = std::make_unique_for_overwrite<Item>();
    }
    Item& operator*() {
        if constexpr (apart)
            return *place_;
        else
            return place_;
    }
    Item* operator->() { return &**this; }

private:
    std::conditional_t<apart, std::unique_ptr<Item>, Item> place_;
};

}  // namespace croft::detail
