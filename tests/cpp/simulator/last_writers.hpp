#pragma once
// The random tester's knowledge: who wrote what last to each variable, and how far and from where each counter has been
// counted up. Says what is wrong in a sentence, or nothing.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "loose_machine.hpp"

namespace croftsim {

// Where in the run something happens.
struct Moment {
    std::uint32_t core;
    std::uint64_t episode, time;
};

class LastWriters {
public:
    struct Variable {
        std::uint64_t address;
        unsigned size;
        std::uint64_t value = 0;
        Moment written{0, 0, 0};    // last; in episode 0: never
        std::uint32_t readers = 0;  // episodes that have claimed it
        bool taken = false;         // one has claimed it for itself
    };
    struct Counter {
        std::uint64_t address;
        unsigned size;
        std::uint64_t total = 0;             // additions that have ended
        std::vector<bool> left{};            // the values from which it has been counted up
        std::vector<std::uint64_t> known{};  // to each core: the highest value that it has seen
    };

    // Cuts the lines up at random.
    LastWriters(Random& random, std::uint32_t lines, std::size_t cores) {
        const std::uint64_t end = LooseMachine::first_line + lines * line_bytes;
        for (std::uint64_t at = LooseMachine::first_line; at < end;) {
            unsigned size = 1u << random.below(4);
            while (at % size) size /= 2;
            if (at % line_bytes == 60 && at + 8 <= end && random.one_in(4)) {
                variables.push_back({at, 8});  // across two lines
                at += 8;
                continue;
            }
            if (size >= 4 && random.one_in(8))
                counters.push_back({at, size, 0, {}, std::vector<std::uint64_t>(cores, 0)});
            else
                variables.push_back({at, size});
            at += size;
        }
    }

    std::vector<Variable> variables;
    std::vector<Counter> counters;

    // ---- episodes ----

    bool claim(std::uint32_t which, bool writes) {
        Variable& variable = variables[which];
        if (variable.taken || (writes && variable.readers > 0)) return false;
        if (writes)
            variable.taken = true;
        else
            ++variable.readers;
        return true;
    }
    void give_back(std::uint32_t which, bool writes) {
        if (writes)
            variables[which].taken = false;
        else
            --variables[which].readers;
    }

    // Everything in the line becomes zero, if no episode may use any of it.
    bool clear(std::uint32_t line) {
        const std::uint64_t begin = LooseMachine::first_line + line * line_bytes;
        const auto touches = [&](const auto& one) {
            return one.address < begin + line_bytes && begin < one.address + one.size;
        };
        if (std::ranges::any_of(counters, touches)) return false;
        for (const Variable& variable : variables)
            if (touches(variable) && (variable.taken || variable.readers || variable.address < begin ||
                                      variable.address + variable.size > begin + line_bytes))
                return false;
        for (Variable& variable : variables)
            if (touches(variable)) variable.value = 0, variable.written = {};
        return true;
    }

    // ---- operations that have ended ----

    void stored(std::uint32_t which, std::uint64_t value, Moment now) {
        Variable& variable = variables[which];
        variable.value = variable.size == 8 ? value : value & ((std::uint64_t{1} << (8 * variable.size)) - 1);
        variable.written = now;
    }
    std::string loaded(std::uint32_t which, std::uint64_t got, Moment now) const {
        const Variable& variable = variables[which];
        if (got == variable.value) return "";
        return words(now) + " loads " + std::to_string(got) + " from the " + std::to_string(variable.size) +
               " bytes at " + place(variable.address) + ", but " + std::to_string(variable.value) + " was written by " +
               words(variable.written);
    }
    // A counter has been read.
    std::string seen(std::uint32_t which, std::uint64_t value, Moment now) {
        std::uint64_t& known = counters[which].known[now.core];
        if (value < known)
            return words(now) + " sees the counter at " + place(counters[which].address) + " go back from " +
                   std::to_string(known) + " to " + std::to_string(value);
        known = value;
        return "";
    }
    // It has been counted up from `old`. `most`: no counter can have got so far.
    std::string counted(std::uint32_t which, std::uint64_t old, std::uint64_t most, Moment now) {
        Counter& counter = counters[which];
        ++counter.total;
        if (old > most || (old < counter.left.size() && counter.left[old]))
            return words(now) + " counts up from " + std::to_string(old) + " at " + place(counter.address) +
                   ", from which nobody can any more";
        if (old >= counter.left.size()) counter.left.resize(2 * old + 64, false);
        counter.left[old] = true;
        const std::string wrong = seen(which, old, now);
        counter.known[now.core] = old + 1;
        return wrong;
    }

    // ---- in the end ----

    // read(address, size): the latest there is. report(sentence) for each difference.
    template <class Read, class Report>
    void compare(Read read, Report report) const {
        for (const Variable& variable : variables)
            if (const std::uint64_t now = read(variable.address, variable.size); now != variable.value)
                report("in the end " + place(variable.address) + " holds " + std::to_string(now) + ", but " +
                       std::to_string(variable.value) + " was written by " + words(variable.written));
        for (const Counter& counter : counters)
            if (const std::uint64_t now = read(counter.address, counter.size); now != counter.total)
                report("the counter at " + place(counter.address) + " holds " + std::to_string(now) + " after " +
                       std::to_string(counter.total) + " additions");
    }

private:
    static std::string words(Moment when) {
        return "core " + std::to_string(when.core) + " in episode " + std::to_string(when.episode) + " at cycle " +
               std::to_string(when.time);
    }
    static std::string place(std::uint64_t address) {
        return "line " + std::to_string((address - LooseMachine::first_line) / line_bytes) + " byte " +
               std::to_string(address % line_bytes);
    }
};

}  // namespace croftsim
