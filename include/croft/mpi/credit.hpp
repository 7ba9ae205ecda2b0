#pragma once
// How a sender knows that its receiver has room: the acknowledgements of a link between processes, as counts.
//
// The receiver has K slots. It tells how many frames it has done with so far, all in all, modulo 2^32; the sender may
// be K frames ahead of that. A count says all that earlier ones said. So a count that is lost costs nothing once a
// later one comes. A count that comes behind a later one says nothing new and is passed over, and one that comes twice
// does no harm. (MPI loses none and keeps their order. But a link that puts them into memory overwrites counts that
// were not looked at, which is the same as losing them.)
//
// Several at a time: the receiver owes a word of its own only once a batch of K / 2 is done with and untold. Frames
// that it sends the other way carry the count for nothing. So it may hold back K / 2 - 1 of them, and the sender still
// has K - (K / 2 - 1) > 0 slots to go on with. Nobody waits for a count that is held back for ever.
//
// How many words of its own can be under way? The receiver says one after K / 2 frames that it has not told of. Suppose
// the sender has not heard two of them. The frames of both are among the K that it was allowed when it last heard one.
// A third would take frames that it may send only after it has heard the first. So two, of K / 2 each, and one more
// where K is odd: `most_words`, for which a sender keeps receives ready. That holds for words that are due. A word said
// early, to a sender that waits to hear of everything, may tell of a single frame. So up to K of these can be under
// way.

#include <algorithm>
#include <compare>
#include <cstdint>

namespace croft::mpi {

// The sender's half.
class credit_window {
public:
    // Counts begin with `first`, at both sides.
    explicit credit_window(std::uint32_t slots, std::uint32_t first = 0) : slots_(slots), sent_(first), done_(first) {}

    bool has_room() const { return in_flight() < slots_; }
    // Sent, and not known to be done with.
    std::uint32_t in_flight() const { return sent_ - done_; }
    std::uint32_t sent() const { return sent_; }

    void sent_one() { ++sent_; }
    // A count has come: true if it says something new.
    bool hear(std::uint32_t done) {
        // New are the counts up to what was sent; an old one is behind done_, so further than that, modulo 2^32.
        const std::uint32_t news = done - done_;
        if (news == 0 || news > in_flight()) return false;
        done_ = done;
        return true;
    }

    auto operator<=>(const credit_window&) const = default;

private:
    std::uint32_t slots_;
    std::uint32_t sent_, done_;
};

// The receiver's half.
class credit_count {
public:
    explicit credit_count(std::uint32_t slots, std::uint32_t first = 0)
        : batch_(batch(slots)), done_(first), told_(first) {}

    static constexpr std::uint32_t batch(std::uint32_t slots) { return std::max<std::uint32_t>(slots / 2, 1); }
    // Words of its own that can be under way.
    static constexpr std::uint32_t most_words(std::uint32_t slots) { return (slots + batch(slots) - 1) / batch(slots); }

    void done_with_one() { ++done_; }
    // Whether the sender is owed a word of its own; or would be, once `more` are done with.
    bool is_due(std::uint32_t more = 0) const { return done_ - told_ + more >= batch_; }
    bool is_untold() const { return done_ != told_; }
    // The count to tell, in a frame that goes the other way anyhow, or in a word of its own.
    std::uint32_t tell() { return told_ = done_; }

    auto operator<=>(const credit_count&) const = default;

private:
    std::uint32_t batch_;
    std::uint32_t done_, told_;
};

}  // namespace croft::mpi
