#pragma once
// Lines of a simulated many-core, brought into a known state before an access to them is timed. Only there: it needs
// the croft instructions.
//
// One thread does everything: it moves to the core that has to act next. So while an access is timed, no other core
// executes anything, and nothing but the access itself is under way.

#include <croft/port/port.hpp>

#ifdef CROFT_MANY_CORE

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "options.hpp"

namespace programs {

// The calling thread goes on on this core. Its earlier stores are visible to all by then.
inline void move_to(int core) {
    croft::port::full_fence();
    if (!croft::port::pin_this_thread(core))
        throw usage_error("this machine has no core " + std::to_string(core) + " that the program may use");
}

// Lets everything that is under way come to its end: write-backs, which nobody waits for, and late acknowledgements.
// Not for the same time each time, or what is timed would come again and again upon a refresh of the DRAM, or never.
inline void settle() {
    constexpr std::uint64_t longest = 2000;  // cycles: more than any transaction takes
    static std::uint32_t noise = 1;
    const std::uint64_t wait = longest + ((noise = noise * 1664525 + 1013904223) >> 20);
    const std::uint64_t begin = croft::port::cycles();
    while (croft::port::cycles() - begin < wait) {
    }
}

// Whole pages that begin at a multiple of 64 KiB, whose home can be chosen.
class homed_pages {
public:
    explicit homed_pages(std::size_t bytes) : bytes_(bytes), mapped_(bytes + alignment) {
        start_ = ::mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start_ == MAP_FAILED) throw std::bad_alloc();
        data_ = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(start_) + alignment - 1) & ~(alignment - 1));
    }
    ~homed_pages() { ::munmap(start_, mapped_); }
    homed_pages(const homed_pages&) = delete;
    homed_pages& operator=(const homed_pages&) = delete;

    char* data() const { return data_; }
    // Setting the home of a page drops all copies of its lines, in every cache. Dirty lines are in memory then, so this
    // is also how lines get to be in memory and nowhere else. `home`: a tile, or port::home_none.
    void set_home(int home) {
        if (!croft::port::set_home(data_, bytes_, home))
            throw std::runtime_error("this machine does not let a program choose the home of a page");
    }

private:
    static constexpr std::uintptr_t alignment = 64 << 10;
    std::size_t bytes_, mapped_;
    void* start_;
    char* data_;
};

// The lines that are measured. They lie in four stripes of memory (8 KiB on the TILEPro64, one for each of its
// controllers). No two of them are in the same set of a cache, so that none evicts another.
class prepared_lines {
public:
    explicit prepared_lines(std::size_t count) : pages_(stripes * stripe), ballast_(ways * way) {
        for (std::size_t i = 0; i < count; ++i) offsets_.push_back(i % stripes * stripe + i * croft::port::cache_line);
    }

    std::size_t count() const { return offsets_.size(); }
    std::uint32_t* operator[](std::size_t i) const {
        return reinterpret_cast<std::uint32_t*>(pages_.data() + offsets_[i]);
    }

    // In memory only, homed there.
    void in_memory(int home) { pages_.set_home(home); }
    // The thread's core loads all lines: into its own L1 and L2, and into their home's L2. The home's directory lists
    // the core as a sharer (unless it is the home).
    void load_at(int core) const {
        move_to(core);
        for (std::size_t i = 0; i < count(); ++i) load(i);
    }
    // The home holds the lines in its L2, and nobody else does. An earlier state must be in_memory.
    void at_home(int home) const {
        load_at(home);
        croft::port::drop_cache();  // its L1, so that the L2 is what answers
    }
    // The sets of the core's L2 that take the lines hold lines that can be dropped at no cost, and are dropped first.
    // These are clean lines of incoherent pages, of which no directory knows. Otherwise one of the program's own dirty
    // lines, its output's for example, would once in a while be written back while a line is timed.
    void behind_clean_lines(int core) {
        if (!ballast_is_clean_) ballast_.set_home(croft::port::home_none);
        ballast_is_clean_ = true;
        move_to(core);
        for_each_ballast([](volatile std::uint32_t& word) { return static_cast<std::uint32_t>(word); });
    }
    // They are full of dirty lines homed there, so each of the lines will have one written back. To be called when the
    // lines are in memory.
    void behind_dirty_lines(int core) {
        ballast_.set_home(core);
        ballast_is_clean_ = false;
        move_to(core);
        for_each_ballast([](volatile std::uint32_t& word) { word = 1; });
        croft::port::full_fence();
    }

private:
    void load(std::size_t i) const { static_cast<void>(*const_cast<const volatile std::uint32_t*>((*this)[i])); }

    template <class Action>
    void for_each_ballast(Action action) const {
        for (const std::size_t offset : offsets_)
            for (std::size_t i = 0; i < ways; ++i)
                action(*reinterpret_cast<volatile std::uint32_t*>(ballast_.data() + i * way + offset % way));
    }

    static constexpr std::size_t stripes = 4, stripe = 8 << 10;
    // Lines 16 KiB apart share a set in every L2 whose ways hold 16 KiB or a half, a quarter, ... of it. Eight of them
    // fill one of up to eight ways.
    static constexpr std::size_t ways = 8, way = 16 << 10;

    homed_pages pages_, ballast_;
    bool ballast_is_clean_ = false;
    std::vector<std::size_t> offsets_;
};

}  // namespace programs

#endif
