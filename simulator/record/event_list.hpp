#pragma once
// Values of different types in the order in which they came, packed. Each takes its own words and one more, which says
// its type. 64 cores write them in turn, and the host's caches have to hold every byte.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace croftsim {

template <class... Types>
class EventList {
    using Word = std::uint64_t;
    static_assert((... && (std::is_trivially_copyable_v<Types> && std::is_trivially_destructible_v<Types> &&
                           alignof(Types) == alignof(Word))));

public:
    // A place in the list, in words from its beginning.
    using Place = std::size_t;

    explicit EventList(Place words) { reserve(words); }

    Place end() const { return end_; }

    template <class One>
    [[gnu::always_inline]] void push(const One& event) {
        if (end_ + 1 + most_words > size_) [[unlikely]]
            reserve(2 * size_ + 1 + most_words);
        std::byte* const to = words_.get() + end_ * sizeof(Word);
        ::new (to) Word(kind_of<One>());
        ::new (to + sizeof(Word)) One(event);
        end_ += 1 + words_of<One>;
    }
    // Forgets what came behind `place`.
    void cut(Place place) { end_ = place; }
    // Forgets what came before `place`.
    void drop(Place place) {
        std::memmove(words_.get(), words_.get() + place * sizeof(Word), (end_ - place) * sizeof(Word));
        end_ -= place;
    }

    // Calls visit(event) for each before `place`.
    template <class Visit>
    void for_each(Place place, Visit&& visit) const {
        find(place, [&](const auto& event) {
            visit(event);
            return false;
        });
    }
    // The same until visit() says true.
    template <class Visit>
    void find(Place place, Visit&& visit) const {
        bool found = false;
        for (Place at = 0; at < place && !found;) {
            const std::byte* const from = words_.get() + at * sizeof(Word);
            const Word kind = *std::launder(reinterpret_cast<const Word*>(from));
            (void)(... || (kind == kind_of<Types>() &&
                           (found = visit(*std::launder(reinterpret_cast<const Types*>(from + sizeof(Word)))),
                            at += 1 + words_of<Types>, true)));
        }
    }

private:
    template <class One>
    static constexpr Place words_of = sizeof(One) / sizeof(Word);
    static constexpr Place most_words = std::max({words_of<Types>...});
    template <class One>
    static constexpr Word kind_of() {
        Word kind = 0;
        (void)(... || (std::is_same_v<One, Types> || (++kind, false)));
        return kind;
    }
    [[gnu::noinline]] void reserve(Place words) {
        auto larger = std::make_unique_for_overwrite<std::byte[]>(words * sizeof(Word));
        if (end_) std::memcpy(larger.get(), words_.get(), end_ * sizeof(Word));
        words_ = std::move(larger);
        size_ = words;
    }

    std::unique_ptr<std::byte[]> words_;
    Place end_ = 0, size_ = 0;
};

}  // namespace croftsim
