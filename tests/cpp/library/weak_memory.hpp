#pragma once
// A memory in which loads may find old values: release/acquire by views. It follows Kang, Hur, Lahav, Vafeiadis and
// Dreyer, "A promising semantics for relaxed-memory concurrency", POPL 2017, without the promises.
//
// Each location keeps every value ever stored in it, in the one order that all threads agree upon. Each thread has a
// *view*: for each location, the oldest value that it may still read. Then
//
//   a load               reads any value from its view's on, and moves its view there. If it acquires, its view also
//                        takes in the view that came with the value
//   a store              takes a place anywhere after its view's, and moves its view there. If it releases, the
//                        thread's view goes with it
//   a read-modify-write  takes the place right after the value it has read, which no other store may then take. It
//                        passes on the view that came with that value
//   a full fence         makes the thread's view and the one view of all fences the same, the newer of each
//
// Plain data has no old values to read, because racing for it is an error. An access races unless every conflicting
// access before it is in the thread's view. Clocks count that: one for the writes of a datum, and one for each thread's
// reads of it. They are places in the view like any other.
//
// Everything that C++ allows of relaxed, acquire, release and sequentially consistent fences is here, except load
// buffering. That is a store that comes into effect before an earlier load of its thread. It could hurt if a message is
// overwritten while it is still read, and the explorer finds that as a race. Fences and relaxed accesses do not combine
// to synchronise as they may in C++. Here only the fences among each other do. That allows more than C++ does, never
// less.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace explorer {

class weak_memory {
public:
    static constexpr std::size_t setting_up = ~std::size_t{0};  // in the place of a thread: before any begins

    // One access made weaker than the program asks for, to see whether that is noticed.
    enum class weakened { nothing, loads, stores };
    void weaken(std::size_t where, weakened what) { weak_where_ = where, weak_what_ = what; }

    void begin(std::size_t threads) {
        views_.assign(threads, latest());
        fences_ = latest();
    }

    // ---- atomics ----

    std::size_t make(std::size_t thread, std::uint64_t value) {
        // Place 0 is before it is made.
        locations_.push_back({{stored{}, stored{value, {}, false}}, false, 1});
        if (thread != setting_up) at(views_[thread], locations_.size() - 1) = 1;
        return locations_.size() - 1;
    }
    // How many values a load by this thread may find; the first is the oldest.
    std::size_t readable(std::size_t thread, std::size_t where) const {
        return locations_[where].history.size() - seen(thread, where);
    }
    std::uint64_t load(std::size_t thread, std::size_t where, std::size_t which, bool acquire) {
        if (thread == setting_up) return locations_[where].history.back().value;
        const std::size_t place = seen(thread, where) + which;
        take_in(thread, where, place, acquire && !is_weak(where, weakened::loads));
        return locations_[where].history[place].value;
    }
    // How many places a store may take; the first is the earliest.
    std::size_t places(std::size_t thread, std::size_t where) const { return free_places(thread, where).size(); }
    void store(std::size_t thread, std::size_t where, std::size_t which, std::uint64_t value, bool release) {
        if (thread == setting_up) return void(locations_[where].history.back().value = value);
        insert(thread, where, free_places(thread, where)[which], value,
               release && !is_weak(where, weakened::stores) ? views_[thread] : view{});
    }
    std::uint64_t exchange(std::size_t thread, std::size_t where, std::size_t which, std::uint64_t value,
                           bool release) {
        if (thread == setting_up) {
            std::swap(locations_[where].history.back().value, value);
            return value;
        }
        const std::size_t place = free_places(thread, where)[which];
        stored& read = locations_[where].history[place];
        read.followed = true;
        const std::uint64_t before = read.value;
        view carried = read.carried;
        if (release && !is_weak(where, weakened::stores)) join(carried, views_[thread]);
        insert(thread, where, place, value, std::move(carried));
        return before;
    }
    // Any read-modify-write: `change` gives the new value from the old one, or none, and then it only is a load.
    template <class Change>
    std::uint64_t update(std::size_t thread, std::size_t where, std::size_t which, Change change, bool acquire,
                         bool release) {
        if (thread == setting_up) {
            std::uint64_t& value = locations_[where].history.back().value;
            const std::uint64_t before = value;
            value = change(before).value_or(before);
            return before;
        }
        const std::size_t place = free_places(thread, where)[which];
        const std::uint64_t before = locations_[where].history[place].value;
        const std::optional<std::uint64_t> after = change(before);
        take_in(thread, where, place, acquire && !is_weak(where, weakened::loads));
        if (!after) return before;
        locations_[where].history[place].followed = true;
        view carried = locations_[where].history[place].carried;
        if (release && !is_weak(where, weakened::stores)) join(carried, views_[thread]);
        insert(thread, where, place, *after, std::move(carried));
        return before;
    }
    // The fence of one thread, by itself or by another's membarrier.
    void full_fence(std::size_t thread) {
        join(fences_, views_[thread]);
        views_[thread] = fences_;
    }
    // The halves of it, for caches that the program keeps coherent. A flush shows to all what this thread has written
    // and seen. An invalidate lets this thread see what was shown so.
    void flush(std::size_t thread) { join(fences_, views_[thread]); }
    void invalidate(std::size_t thread) { join(views_[thread], fences_); }

    std::uint64_t newest(std::size_t where) const { return locations_[where].history.back().value; }
    bool is_made_for(std::size_t thread, std::size_t where) const {
        return thread == setting_up || seen(thread, where) > 0;
    }

    // ---- plain data: two kinds of clocks ----

    std::size_t make_clock(std::size_t thread) {
        locations_.push_back({{}, true, 1});
        if (thread != setting_up) at(views_[thread], locations_.size() - 1) = 1;
        return locations_.size() - 1;
    }
    bool is_current(std::size_t thread, std::size_t clock) const {
        return thread == setting_up || seen(thread, clock) == locations_[clock].now;
    }
    void tick(std::size_t thread, std::size_t clock) {
        if (thread != setting_up) at(views_[thread], clock) = ++locations_[clock].now;
    }

    std::size_t size() const { return locations_.size(); }
    bool is_clock(std::size_t where) const { return locations_[where].clock; }

    // Tells all that matters for what can still happen, and nothing else. Values that no thread can read any more are
    // left out. Places are counted from the oldest that some thread can read. A clock is current or it is not.
    void describe(std::string& key) const {
        std::vector<std::uint32_t> oldest(locations_.size());
        for (std::size_t where = 0; where < locations_.size(); ++where) {
            std::uint32_t least = static_cast<std::uint32_t>(locations_[where].history.size());
            for (std::size_t thread = 0; thread < views_.size(); ++thread) least = std::min(least, seen(thread, where));
            oldest[where] = least;
        }
        const auto add_view = [&](const view& one) {
            for (std::size_t where = 0; where < locations_.size(); ++where) {
                const std::uint32_t place = where < one.size() ? one[where] : 0;
                const location& there = locations_[where];
                key += there.clock ? static_cast<char>(place == there.now)
                                   : static_cast<char>(std::max(place, oldest[where]) - oldest[where]);
            }
        };
        for (std::size_t where = 0; where < locations_.size(); ++where) {
            const auto& history = locations_[where].history;
            for (std::size_t place = oldest[where]; place < history.size(); ++place) {
                key.append(reinterpret_cast<const char*>(&history[place].value), sizeof(std::uint64_t));
                key += static_cast<char>(history[place].followed << 1 | !history[place].carried.empty());
                if (!history[place].carried.empty()) add_view(history[place].carried);
            }
            key += '\xff';
        }
        for (const view& one : views_) add_view(one);
        add_view(fences_);
    }

private:
    using view = std::vector<std::uint32_t>;  // a place in each location; a missing one is 0
    struct stored {
        std::uint64_t value = 0;
        view carried = {};      // of a releasing store: the view that goes with it
        bool followed = false;  // by a read-modify-write
    };
    struct location {
        std::vector<stored> history;
        bool clock;
        std::uint32_t now;  // a clock's
    };

    static std::uint32_t& at(view& one, std::size_t where) {
        if (one.size() <= where) one.resize(where + 1);
        return one[where];
    }
    static void join(view& one, const view& other) {
        if (one.size() < other.size()) one.resize(other.size());
        for (std::size_t i = 0; i < other.size(); ++i) one[i] = std::max(one[i], other[i]);
    }
    view latest() const {
        view all;
        for (const location& one : locations_)
            all.push_back(one.clock ? one.now : static_cast<std::uint32_t>(one.history.size() - 1));
        return all;
    }
    std::uint32_t seen(std::size_t thread, std::size_t where) const {
        return where < views_[thread].size() ? views_[thread][where] : 0;
    }
    bool is_weak(std::size_t where, weakened what) const { return where == weak_where_ && what == weak_what_; }

    void take_in(std::size_t thread, std::size_t where, std::size_t place, bool acquire) {
        at(views_[thread], where) = static_cast<std::uint32_t>(place);
        if (acquire) join(views_[thread], locations_[where].history[place].carried);
    }
    std::vector<std::size_t> free_places(std::size_t thread, std::size_t where) const {
        std::vector<std::size_t> found;  // what the store comes right after
        for (std::size_t place = seen(thread, where); place < locations_[where].history.size(); ++place)
            if (!locations_[where].history[place].followed) found.push_back(place);
        return found;
    }
    // Right after `place`: what comes later moves up, in every view.
    void insert(std::size_t thread, std::size_t where, std::size_t place, std::uint64_t value, view carried) {
        auto& history = locations_[where].history;
        const auto move_up = [&](view& one) {
            if (where < one.size() && one[where] > place) ++one[where];
        };
        if (place + 1 < history.size()) {
            for (view& one : views_) move_up(one);
            move_up(fences_);
            for (location& there : locations_)
                for (stored& one : there.history) move_up(one.carried);
        }
        at(views_[thread], where) = static_cast<std::uint32_t>(place + 1);
        if (!carried.empty()) at(carried, where) = static_cast<std::uint32_t>(place + 1);
        history.insert(history.begin() + static_cast<std::ptrdiff_t>(place) + 1, {value, std::move(carried), false});
    }

    std::vector<location> locations_;
    std::vector<view> views_;
    view fences_;
    std::size_t weak_where_ = ~std::size_t{0};
    weakened weak_what_ = weakened::nothing;
};

}  // namespace explorer
