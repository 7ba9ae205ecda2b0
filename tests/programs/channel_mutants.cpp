// Channels with one thing left out each: a release, a flush, a drop, a forward. The policies say what; the library is
// the one that everybody uses. channel_mutants MUTANT streams messages and prints "ok" or what is wrong, if it ends at
// all.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include <croft/memory/forwarded.hpp>
#include <croft/memory/incoherent.hpp>

#include "channel_checks.hpp"

namespace {

using namespace checks;
using croft::forwarded_lines;
using croft::incoherent_lines;
using croft::detail::plain_lines;
namespace kinds = croft::kinds;
namespace lines = croft::lines;

// A home with other lines.
template <class Home, class Lines>
struct with_lines : Home {
    static with_lines between(croft::detail::ends cores) { return {Home::between(cores)}; }
    Lines at(croft::detail::part what) const { return Lines(Home::at(what)); }
};
template <class Home, class Lines, class Base>
struct mutant : Base {
    using home = with_lines<Home, Lines>;
};

// ---- order ----

// Signals without releasing: a fence left out.
struct unreleased_lines : plain_lines {
    explicit unreleased_lines(const plain_lines& kind) : plain_lines(kind) {}
    template <bool Followed, class Flag>
    auto event(Flag& flag) const {
        return unreleased<Flag>{flag};
    }
    template <class Flag>
    struct unreleased {
        Flag& flag;
        void store(std::uint32_t value, std::memory_order) const { flag.store(value, std::memory_order_relaxed); }
    };
};

// Notifies without releasing. (The message's lines are homed elsewhere, so that they have a way to go.)
struct unreleased_message : plain_lines {
    explicit unreleased_message(const plain_lines& kind) : plain_lines(kind) {}
    void release() const {}
};
struct notified : kinds::ra_udn {
    using home = croft::homes::hashed;
};

// ---- lines without a home ----

struct written_and_kept : incoherent_lines {
    explicit written_and_kept(const incoherent_lines& kind) : incoherent_lines(kind) {}
    void after_write(const void*, std::size_t) const {}
};
struct read_and_kept : incoherent_lines {
    explicit read_and_kept(const incoherent_lines& kind) : incoherent_lines(kind) {}
    void after_read(const void*, std::size_t) const {}
};
struct looked_at_in_the_cache : incoherent_lines {
    explicit looked_at_in_the_cache(const incoherent_lines& kind) : incoherent_lines(kind) {}
    void before_look(const void*) const {}
};
struct flag_kept : incoherent_lines {
    explicit flag_kept(const incoherent_lines& kind) : incoherent_lines(kind) {}
    template <bool Followed, class Flag>
    Flag& event(Flag& flag) const {
        return flag;
    }
};
// Drops what it has to write back.
struct dropped_unwritten : incoherent_lines {
    explicit dropped_unwritten(const incoherent_lines& kind) : incoherent_lines(kind) {}
    void after_write(const void* first, std::size_t size) const { lines::drop(first, size); }
};
template <class Lines>
struct incoherent_mutant : mutant<croft::homes::incoherent, Lines, kinds::ra> {
    using wait = croft::waits::spin;
};
struct incoherent : kinds::ra {
    using home = croft::homes::incoherent;
    using wait = croft::waits::spin;
};

// ---- home-forwarding: what is left out costs invalidations, but no message ----

struct not_forwarded : forwarded_lines {
    explicit not_forwarded(const forwarded_lines& kind) : forwarded_lines(kind) {}
    void after_write(const void*, std::size_t) const {}
};
struct not_dropped : forwarded_lines {
    explicit not_dropped(const forwarded_lines& kind) : forwarded_lines(kind) {}
    void after_read(const void*, std::size_t) const {}
};
// Allocates the line that holds the flags too.
struct too_much_allocated : forwarded_lines {
    explicit too_much_allocated(const forwarded_lines& kind) : forwarded_lines(kind) {}
    void before_write(const void* first, std::size_t size) const {
        const auto* const flags = static_cast<const unsigned char*>(first) - croft::port::cache_line;
        if (away()) lines::allocate(flags, size + croft::port::cache_line);
    }
};
template <class Lines>
using forwarded_mutant = mutant<croft::homes::forwarded, Lines, kinds::ra_hf_drop>;

template <class Policies>
void run(int home) {
    for (const std::size_t degree : {1, 2}) stream<block<1000>, Policies>(degree, 100, style::in_place, home, true);
}

// Messages of one line, which a receiver looks at as soon as it hears of them.
template <class Policies>
void run_short() {
    for (const std::size_t degree : {1, 16}) stream<block<64>, Policies>(degree, 300, style::by_value, 2, true);
}

bool run(const std::string& name) {
    if (name == "none")
        run<kinds::ra>(2);
    else if (name == "split")
        run<kinds::ra_home>(2);
    else if (name == "unreleased")
        run_short<mutant<croft::homes::hashed, unreleased_lines, kinds::ra>>();
    else if (name == "unreleased-split")
        run_short<mutant<croft::homes::hashed, unreleased_lines, kinds::ra_home>>();
    else if (name == "notified")
        run_short<notified>();
    else if (name == "unreleased-notified")
        run_short<mutant<croft::homes::hashed, unreleased_message, notified>>();
    else if (name == "incoherent")
        run<incoherent>(2);
    else if (name == "written-and-kept")
        run<incoherent_mutant<written_and_kept>>(2);
    else if (name == "read-and-kept")
        run<incoherent_mutant<read_and_kept>>(2);
    else if (name == "looked-at-in-the-cache")
        run<incoherent_mutant<looked_at_in_the_cache>>(2);
    else if (name == "flag-kept")
        run<incoherent_mutant<flag_kept>>(2);
    else if (name == "dropped-unwritten")
        run<incoherent_mutant<dropped_unwritten>>(2);
    else if (name == "forwarded-to-receiver")
        run<kinds::ra_hf_drop>(2);
    else if (name == "not-forwarded")
        run<forwarded_mutant<not_forwarded>>(2);
    else if (name == "too-much-allocated")
        run<forwarded_mutant<too_much_allocated>>(2);
    else if (name == "forwarded-to-sender")
        run<kinds::ra_hf_drop>(1);
    else if (name == "not-dropped")
        run<forwarded_mutant<not_dropped>>(1);
    else
        return false;
    return true;
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2 || !run(std::string(arguments[1]))) {
        std::fprintf(stderr, "usage: channel_mutants MUTANT\n");
        return 2;
    }
    std::printf("%s\n", failures.load() ? "FAILED" : "ok");
    return failures.load() != 0;
}
