// The credit protocol of a link between processes (croft/mpi/credit.hpp), in every order in which frames and counts can
// arrive, be read, and be lost.
//
// The explorer of the channels (explorer.hpp) is about what one memory shows to threads. Here there is no such memory,
// but two sides and messages on their way. So this explorer has a state of its own, small enough to be compared whole.
// It takes every step out of every state that can be reached. credit.hpp itself does what the sides do with their
// counts. A model here does what a link does around it (frame_link.hpp). A slot is done with when its receive is posted
// again. A word is owed then, or said early.
//
// The network. Messages of a link of MPI's arrive in order, each at any time: frames, with the count in front, and
// words. Otherwise counts are words in memory, for which order means nothing. Any of them arrives at any time, up to
// twice, or never if a later one has followed it. (The last one does arrive: the protocol is for no network that
// carries nothing more.) Frames arrive in order at any time.
//
// A side may die between any two steps. Then nothing more has to come about; nothing wrong may.

#include <croft/mpi/credit.hpp>

#include <doctest/doctest.h>

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using croft::mpi::credit_count;
using croft::mpi::credit_window;

struct setting {
    std::uint32_t slots = 1;                    // K
    std::array<std::uint32_t, 2> frames{5, 0};  // that each side sends
    std::uint32_t first = 0;                    // what all counts begin with
    bool says_early = false;                    // a word for whatever was read (flush())
    bool counts_in_memory = false;              // or in order, by messages
    bool dies = false;
    // Mutants.
    std::uint32_t batch = 0;           // 0: credit.hpp's
    std::uint32_t more_room = 0;       // that a sender takes beyond K
    std::uint32_t fewer_receives = 0;  // than K + most_words
    bool done_when_read = false;       // and not when posted again
    bool done_when_come = false;
};

// Believes whatever it hears last.
struct believing_window {
    believing_window(std::uint32_t slots, std::uint32_t first) : slots(slots), sent_(first), done(first) {}
    bool has_room() const { return sent_ - done < slots; }
    std::uint32_t in_flight() const { return sent_ - done; }
    void sent_one() { ++sent_; }
    bool hear(std::uint32_t count) {
        done = count;
        return true;
    }
    auto operator<=>(const believing_window&) const = default;
    std::uint32_t slots, sent_, done;
};

template <class Window>
class exploration {
public:
    explicit exploration(const setting& how) : how_(how) {}

    // Says what is wrong in some state, or nothing.
    std::string run() {
        side one(how_, how_.frames[0]), other(how_, how_.frames[1]);
        visit({one, other});
        while (!to_visit_.empty() && wrong_.empty()) {
            const state from = to_visit_.back();
            to_visit_.pop_back();
            step_from(from);
        }
        return wrong_;
    }
    std::size_t states() const { return seen_.size(); }

private:
    static constexpr std::uint32_t word = ~std::uint32_t{0};
    struct message {
        std::uint32_t count;
        std::uint32_t frame;  // its number, or `word`
        auto operator<=>(const message&) const = default;
    };
    struct side {
        side(const setting& how, std::uint32_t frames)
            : window(how.slots + how.more_room, how.first),
              count(how.batch ? 2 * how.batch : how.slots, how.first),
              to_send(frames) {}

        Window window;
        credit_count count;
        std::uint32_t to_send, sent = 0;
        std::vector<message> under_way;  // to this side, in order
        std::map<std::uint32_t, std::uint32_t>
            words;                         // to this side, in memory: by age; how often each may yet be seen
        std::vector<std::uint32_t> told;   // what they say
        std::uint32_t come = 0, read = 0;  // slots with frames, and those that were not posted again
        std::uint32_t next = 0;            // frame to be read
        bool is_dead = false;
        auto operator<=>(const side&) const = default;
    };
    using state = std::array<side, 2>;

    void visit(const state& next) {
        check(next);
        if (wrong_.empty() && seen_.insert(next).second) to_visit_.push_back(next);
    }
    void fail(const char* why) {
        if (wrong_.empty()) wrong_ = why;
    }

    std::uint32_t receives(const state& now, std::size_t i) const {
        const bool gets_frames = now[1 - i].to_send + now[1 - i].sent > 0;
        const bool gets_words = now[i].to_send + now[i].sent > 0 && !how_.counts_in_memory;
        const std::uint32_t words = how_.says_early ? how_.slots : credit_count::most_words(how_.slots);
        return (gets_frames ? how_.slots : 0) + (gets_words ? words - how_.fewer_receives : 0);
    }
    void check(const state& now) {
        for (std::size_t i = 0; i < 2; ++i) {
            const side& one = now[i];
            std::uint32_t frames = one.come + one.read;
            for (const message& each : one.under_way) frames += each.frame != word;
            if (frames > how_.slots) fail("more than K frames");
            if (one.under_way.size() + one.come + one.read > receives(now, i)) fail("a message without a receive");
            if (one.window.in_flight() > how_.slots) fail("more than K in flight");
        }
    }

    // Takes `change`, of one side and its peer, if it is any.
    template <class Change>
    void step(const state& from, std::size_t i, bool& any, Change change) {
        state to = from;
        if (!change(to[i], to[1 - i])) return;
        any = true;
        visit(to);
    }
    void step_from(const state& from) {
        bool any = false;
        for (std::size_t i = 0; i < 2 && wrong_.empty(); ++i) {
            if (from[i].is_dead) continue;
            const auto take = [&](auto change) { step(from, i, any, change); };
            take([&](side& own, side& peer) { return send(own, peer); });
            take([&](side& own, side& peer) { return receive(own, peer); });
            take([&](side& own, side& peer) { return read(own, peer); });
            take([&](side& own, side& peer) { return own.read > 0 && (post_one(own, peer), true); });
            if (how_.says_early) take([&](side& own, side& peer) { return flush(own, peer); });
            for (const auto& [age, left] : from[i].words) {
                take([&, age = age](side& own, side&) { return see(own, age); });
                if (age + 1 < from[i].told.size())
                    take([&, age = age](side& own, side&) { return own.words.erase(age) > 0; });
            }
            if (how_.dies) step(from, i, any, [](side& own, side&) { return own.is_dead = true; });
        }
        if (any || from[0].is_dead || from[1].is_dead) return;
        for (std::size_t i = 0; i < 2; ++i)
            if (from[i].to_send > 0 || from[i].next != from[1 - i].sent) fail("neither side can go on");
    }

    bool send(side& own, side& peer) {
        if (own.to_send == 0 || !own.window.has_room()) return false;
        --own.to_send;
        peer.under_way.push_back({how_.counts_in_memory ? how_.first : own.count.tell(), own.sent++});
        own.window.sent_one();
        return true;
    }
    bool receive(side& own, side& peer) {
        if (own.under_way.empty()) return false;
        const message next = own.under_way.front();
        own.under_way.erase(own.under_way.begin());
        if (!how_.counts_in_memory) own.window.hear(next.count);
        if (next.frame == word) return true;
        if (next.frame != own.next + own.come) fail("a frame out of order");
        ++own.come;
        if (how_.done_when_come) done_with_one(own, peer);
        return true;
    }
    bool read(side& own, side& peer) {
        if (own.come == 0) return false;
        --own.come, ++own.next, ++own.read;
        if (how_.done_when_read) done_with_one(own, peer);
        if (own.count.is_due(own.read))
            while (own.read > 0) post_one(own, peer);
        return true;
    }
    void post_one(side& own, side& peer) {
        --own.read;
        if (!how_.done_when_read && !how_.done_when_come) done_with_one(own, peer);
    }
    void done_with_one(side& own, side& peer) {
        own.count.done_with_one();
        if (own.count.is_due()) tell(own, peer);
    }
    bool flush(side& own, side& peer) {
        if (own.read == 0 && !own.count.is_untold()) return false;
        while (own.read > 0) post_one(own, peer);
        if (own.count.is_untold()) tell(own, peer);
        return true;
    }
    void tell(side& own, side& peer) {
        const std::uint32_t count = own.count.tell();
        if (!how_.counts_in_memory) return peer.under_way.push_back({count, word});
        peer.words.emplace(static_cast<std::uint32_t>(peer.told.size()), 2);
        peer.told.push_back(count);
    }
    bool see(side& own, std::uint32_t age) {
        own.window.hear(own.told[age]);
        if (--own.words[age] == 0) own.words.erase(age);
        return true;
    }

    const setting how_;
    std::set<state> seen_;
    std::vector<state> to_visit_;
    std::string wrong_;
};

template <class Window = credit_window>
std::string explored(const setting& how) {
    exploration<Window> one(how);
    const std::string wrong = one.run();
    INFO("K = ", how.slots, ", ", how.frames[0], " and ", how.frames[1], " frames");
    if (wrong.empty()) CHECK(one.states() > how.frames[0]);  // -s tells the number
    return wrong;
}

constexpr std::uint32_t before_zero = ~std::uint32_t{0} - 2;  // so that counts wrap around in the middle

}  // namespace

TEST_CASE("explored credit: one way, every frame once and in order, none without a receive, and no deadlock") {
    for (std::uint32_t slots = 1; slots <= 8; ++slots)
        for (const std::uint32_t first : {0u, before_zero})
            for (const bool dies : {false, true})
                CHECK(explored({.slots = slots, .frames = {2 * slots + 3, 0}, .first = first, .dies = dies}) == "");
}

TEST_CASE("explored credit: words that are said early") {
    for (std::uint32_t slots = 1; slots <= 4; ++slots)
        CHECK(explored({.slots = slots, .frames = {slots + 3, 0}, .first = before_zero, .says_early = true}) == "");
}

TEST_CASE("explored credit: both ways, where frames carry counts") {
    for (std::uint32_t slots = 1; slots <= 4; ++slots)
        for (const bool dies : {false, true})
            CHECK(explored({.slots = slots, .frames = {slots + 1, slots + 1}, .first = before_zero, .dies = dies}) ==
                  "");
    CHECK(explored({.slots = 2, .frames = {3, 2}, .first = before_zero, .says_early = true}) == "");
}

TEST_CASE("explored credit: counts in memory, lost, late, in any order, twice") {
    for (std::uint32_t slots = 1; slots <= 4; ++slots)
        for (const std::uint32_t first : {0u, before_zero})
            CHECK(explored({.slots = slots, .frames = {slots + 2, 0}, .first = first, .counts_in_memory = true}) == "");
    CHECK(explored({.slots = 2,
                    .frames = {4, 0},
                    .first = before_zero,
                    .says_early = true,
                    .counts_in_memory = true,
                    .dies = true}) == "");
}

TEST_CASE("explored credit: what breaks the protocol is found") {
    // A receiver that owes nothing before K + 1 frames, but gets only K.
    for (std::uint32_t slots = 1; slots <= 3; ++slots)
        CHECK(explored({.slots = slots, .frames = {slots + 3, 0}, .batch = slots + 1}) == "neither side can go on");
    // K is just enough.
    CHECK(explored({.slots = 3, .frames = {7, 0}, .batch = 3}) == "");
    // A sender that believes old counts waits for news that it has had.
    CHECK(explored<believing_window>({.slots = 2, .frames = {6, 0}, .counts_in_memory = true}) != "");
    // One frame too many.
    CHECK(explored({.slots = 2, .frames = {4, 0}, .more_room = 1}) == "more than K in flight");
    // One receive too few, for words.
    for (std::uint32_t slots = 1; slots <= 4; ++slots)
        CHECK(explored({.slots = slots, .frames = {3 * slots, 0}, .fewer_receives = 1}) ==
              "a message without a receive");
    // A slot that is done with when it is read, and told of before its receive is posted again, by a frame.
    CHECK(explored({.slots = 4, .frames = {6, 1}, .done_when_read = true}) == "more than K frames");
    // Or that is done with as soon as its frame has come.
    CHECK(explored({.slots = 2, .frames = {5, 0}, .done_when_come = true}) == "more than K frames");
    // Words said early, and receives for those that are due.
    CHECK(explored({.slots = 4, .frames = {6, 0}, .says_early = true, .fewer_receives = 2}) ==
          "a message without a receive");
}
