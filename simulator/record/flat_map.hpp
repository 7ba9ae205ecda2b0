#pragma once
// A hash map for counts that change at each step of a core. Keys and values are side by side in one array, found by
// linear probing; nothing is ever taken out.

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace croftsim {

// `Key` has operator==, hash(), and a default value that no real key has.
template <class Key, class Value>
class FlatMap {
public:
    FlatMap() : entries_(64) {}

    // The value of a key; a new one begins as Value{}.
    Value& operator[](const Key& key) {
        for (std::size_t at = place_of(key);; at = (at + 1) & (entries_.size() - 1)) {
            auto& [known, value] = entries_[at];
            if (known == key) return value;
            if (!(known == Key{})) continue;
            if (2 * (size_ + 1) > entries_.size()) {
                grow();
                return (*this)[key];
            }
            ++size_;
            known = key;
            return value;
        }
    }

    // The key will be asked for soon.
    void prefetch(const Key& key) const { __builtin_prefetch(&entries_[place_of(key)], 1); }

    std::size_t size() const { return size_; }
    template <class Visit>
    void for_each(Visit visit) const {  // in no order
        for (const auto& [key, value] : entries_)
            if (!(key == Key{})) visit(key, value);
    }

private:
    std::size_t place_of(const Key& key) const {
        // 2^64 by the golden ratio: spreads what lies side by side.
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        return static_cast<std::size_t>((key.hash() * golden) >> 32) & (entries_.size() - 1);
    }
    void grow() {
        std::vector<std::pair<Key, Value>> old(2 * entries_.size());
        old.swap(entries_);
        size_ = 0;
        for (auto& [key, value] : old)
            if (!(key == Key{})) (*this)[key] = std::move(value);
    }

    std::vector<std::pair<Key, Value>> entries_;
    std::size_t size_ = 0;
};

}  // namespace croftsim
