#pragma once
// The past work of an out-of-order core's window, remembered (after Schnarr and Larus, "Fast Out-of-Order Processor
// Simulation Using Memoization", ASPLOS 1998).
//
// Every so often a window is *quiet*: nothing is in flight but stores that wait for the L1, and no line is on its way.
// Three things decide how it goes on from there. The first is its *state*. It says when each register can be read,
// which issue slots are taken, and when the entries of the buffers were freed. All these times are relative to the next
// dispatch. The second is the program. The third are few outcomes: the branch predictor's, the targets of control
// transfers, hits of loads and stores in the L1, overlaps between them.
//
// A *segment* is the work between two such points, in the order of dispatch, with those outcomes. If a window comes
// into the same state again, and finds the same outcomes, it takes over all else. That is the time it took, the counts
// and bookings, and the state at the end.
//
// So a segment is played again by computing its instructions' values one after the other, wrong paths included, while
// the outcomes are compared. Segments from one state are a tree that parts where an outcome differs. If none in it
// fits, everything is taken back, the window does its work, and a new segment is noted.

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/branch_predictor.hpp"
#include "core/cycle_account.hpp"
#include "core/decoded_code.hpp"

namespace croftsim {

// One step of a segment.
struct ScheduleStep {
    enum class Kind : std::uint8_t {
        computes,  // these are instructions that are dispatched
        load,
        store,
        transfer,
        touch,     // of the line `target` of the program
        redirect,  // `which` was mispredicted; all instructions from number `from` on are undone
        learn,     // `which`, a control transfer, retires
    };
    // A store before a load, in its state when the load looked for its value.
    struct Older {
        std::uint16_t store;  // which instruction
        bool has_address, has_data;
    };
    struct Looked {
        std::uint32_t time = 0;          // relative to the segment's beginning
        std::vector<Older> older;        // the youngest first
        std::unique_ptr<Looked> before;  // the look before, after which it had to come again
    };
    static constexpr std::uint16_t from_l1 = 0xffff;

    Decoded instruction;
    std::uint64_t pc = 0;
    std::uint64_t predicted = 0;     // of a control transfer: where fetching went on
    std::uint64_t target = 0;        // where it went
    std::unique_ptr<Looked> looked;  // of a load that has looked for its value: the last time
    std::uint16_t which = 0, from = 0;
    std::uint16_t source = from_l1;  // of a load: the store that it got its value from
    Kind kind = Kind::computes;
    bool early = false;     // a control transfer's target was known when it was fetched
    bool executed = false;  // a load, a store's address, a control transfer; else it was undone before
    bool taken = false;

    // Behind the same steps, whatever follows from the outcomes is the same, too.
    bool same_outcome(const ScheduleStep& other) const;
};

struct Segment {
    static constexpr std::size_t counters = 9;
    struct Wait {
        Stall why;
        std::uint32_t from, until;  // relative
    };
    std::vector<Wait> waits;
    std::vector<std::uint16_t> waiting;  // stores that the L1 has not taken at its end, the oldest first; the numbers
                                         // begin with those that it had not taken at the beginning
    std::uint32_t latest = 0;            // nothing happened later, relative to its beginning
    std::uint32_t duration = 0;          // until the next state
    std::array<std::uint64_t, counters> counted{};  // by each of OutOfOrder::counters()
    struct ScheduleState* end = nullptr;
};

// Segments from one state, as a tree: those that begin with the same steps share them, and part where an outcome
// differs.
struct ScheduleNode {
    ScheduleStep first;
    std::vector<ScheduleStep> steps;  // behind it, in a row
    std::vector<std::unique_ptr<ScheduleNode>> next;
    std::unique_ptr<Segment> segment;  // that ends here; then nothing is next
    std::uint32_t least_latest = 0;    // of all segments from here on
};

struct ScheduleState {
    const std::vector<std::uint32_t>* key = nullptr;  // all of it, in the order of OutOfOrder::write_state
    ScheduleNode root;
};

class ScheduleMemory {
public:
    ScheduleState& state(const std::vector<std::uint32_t>& key);
    // Remembers what follows from the state.
    void add(ScheduleState& state, std::vector<ScheduleStep>&& steps, std::unique_ptr<Segment> segment);
    void clear() {
        states_.clear();
        steps_ = 0;
    }
    // Whether it has grown so large that it should begin anew.
    bool full() const { return steps_ > most_steps || states_.size() > most_states; }

    static constexpr std::size_t longest = 500;  // steps of a segment

private:
    static constexpr std::size_t most_steps = 100'000, most_states = 10'000;
    struct Hash {
        std::size_t operator()(const std::vector<std::uint32_t>& key) const;
    };
    std::unordered_map<std::vector<std::uint32_t>, ScheduleState, Hash> states_;
    std::size_t steps_ = 0;
};

}  // namespace croftsim
