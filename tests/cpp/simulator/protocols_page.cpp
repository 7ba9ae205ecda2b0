#include <initializer_list>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tile_walk.hpp"
#include "transition_event.hpp"
#include "transition_walk.hpp"

namespace croftsim {
namespace {

std::vector<std::string> names(std::initializer_list<TransitionEvent> events) {
    std::vector<std::string> found;
    for (const TransitionEvent event : events) found.emplace_back(name_of(event));
    return found;
}
using enum TransitionEvent;
const std::vector<std::string> events_of_an_l1 =
    names({load, store, atomic, lr, sc, acquire, release, flush, replacement, data, data_exclusive, atomic_result,
           invalidate, recall_copy, recall_share, recall_downgrade, recall_revoke});
const std::vector<std::string> events_of_a_bank =
    names({read, read_tracked, read_or_line, own, write_through, atomic_request, store_conditional, write_back,
           replacement, memory_data, invalidate_ack, recall_answer, recall_answer_empty});

struct Part {
    const char* text;
    Protocol protocol;
    std::vector<std::string> states;
};
const std::vector<Part> l1s{
    {"## MESI\n\nThe unit is the line. I: not here; S: a copy; E: its own, clean; M: its own, written.\n\n",
     Protocol::mesi,
     {"I", "S", "E", "M"}},
    {"## MOESI\n\nAs MESI; O: written here, and others have copies.\n\n", Protocol::moesi, {"I", "S", "E", "M", "O"}},
    {"## DeNovo\n\nThe unit is the word. I: invalid; V: a copy of unknown age; R: registered, its own and written.\n\n",
     Protocol::denovo,
     {"I", "V", "R"}},
    {"## DeNovo that owns lines\n\nThe unit is the line. I: invalid; V: a copy of unknown age; R: its own and "
     "written.\n\n",
     Protocol::denovo_line,
     {"I", "V", "R"}},
    {"## GPU-WT\n\n"
     "The unit is the byte; here a word. I: invalid; V: a copy of unknown age. Every store is on its way at once.\n\n",
     Protocol::gpu_wt,
     {"I", "V"}},
    {"## GPU-WB\n\n"
     "The unit is the byte; here a word. I: invalid; V: a copy of unknown age; D: written here, and the home does "
     "not know.\n\n",
     Protocol::gpu_wb,
     {"I", "V", "D"}},
    {"## GPU-WB whose store misses fetch\n\n"
     "As GPU-WB; a store to a line that is not here as a whole waits for it.\n\n",
     Protocol::gpu_wb_fetch,
     {"I", "V", "D"}}};

const std::vector<std::string> quiet_bank{"I", "V", "S", "O", "OS", "W", "WS"};

// These, and those in which something is under way.
std::vector<std::string> with_transient(std::vector<std::string> stable, const TransitionTable& table) {
    for (const std::string& state : table.states())
        if (state.find(' ') != std::string::npos) stable.push_back(state);
    return stable;
}
void require(const std::string& unlisted, const char* of) {
    if (!unlisted.empty())
        throw std::logic_error(std::string(of) + " does what the page has no place for: " + unlisted);
}

std::vector<std::string> all_of(const std::set<std::string>& states) { return {states.begin(), states.end()}; }

// A cache with a parent, under MOESI, between L1s of all protocols and the bank.
std::string level(std::uint64_t seed, std::uint64_t operations) {
    const std::vector<std::string> events =
        names({read, read_tracked, read_or_line, own, write_through, atomic_request, store_conditional, write_back,
               replacement, data, data_exclusive, invalidate_ack, recall_answer, recall_answer_empty, invalidate,
               recall_copy, recall_share, recall_downgrade, recall_revoke});
    TransitionWalk walk(seed, TransitionWalk::Of::level);
    walk.run(operations);
    const TransitionTable table = walk.home();
    std::vector<std::string> quiet;
    for (const char right : {'I', 'S', 'E', 'M', 'O'})
        for (const std::string& state : table.states())
            if (state[0] == right && state.find(' ') == std::string::npos) quiet.push_back(state);
    require(table.unlisted(with_transient(quiet, table), events), "a level before the bank");
    return "\n"
           "## A level before the home\n\n"
           "This is a cache between L1s of all protocols and the bank, which it asks under MOESI. The first letter is "
           "its right, as of MOESI's L1s. Under MESI there is no O. The others say what those before it have:\n\n"
           "- o: one of them owns the whole line.\n"
           "- w: they own words of it.\n"
           "- s: a write concerns sharers.\n\n" +
           table.markdown(quiet, events) +
           "\nHere, and at the bank, the home answers every request. Where a machine file says `answers = \"owner\"`, "
           "the owner of a whole line answers its next owner itself, and a reader that could own it. The requester "
           "tells the home so "
           "(`simulator/coherence/owners_answer.hpp`).\n"
           "\nWhile it waits for the bank (filling), or for those before it (recalling, invalidating, evicting, or "
           "obeying the bank):\n\n" +
           table.markdown(with_transient({}, table), events);
}

// Tilera's, whose homes are tiles themselves.
std::string tiles(std::uint64_t seed, std::uint64_t operations) {
    std::vector<std::string> of_a_core;
    for (const TransitionEvent event : TileWalk::operations) of_a_core.emplace_back(name_of(event));
    of_a_core.emplace_back(name_of(replacement));
    std::vector<std::string> of_a_copy = of_a_core;
    for (const std::string& event : names({merged, data, write_ack, write_data, atomic_result, invalidate}))
        of_a_copy.push_back(event);
    const std::vector<std::string> of_a_home =
        names({read, write_through, write_through_allocating, leave, atomic_request, store_conditional, replacement,
               memory_data, invalidate_ack});
    TileWalk walk(seed);
    walk.run(operations);
    const TransitionTable copy = walk.requester(), core = walk.own_core(), home = walk.home();
    const std::vector<std::string> states = all_of(copy.states());
    require(copy.unlisted(states, of_a_copy), "a tile that is not the home");
    require(home.unlisted(all_of(home.states()), of_a_home), "a tile that is the home");
    require(core.unlisted(all_of(core.states()), of_a_core), "the home's own core");
    return "\n"
           "## DDC: a tile that is not the line's home\n\n"
           "This is Tilera's dynamic distributed cache, from a walk of eight tiles over three lines homed at one "
           "of them.\n\n"
           "- I: not in the own L2.\n"
           "- C: a copy.\n"
           "- b: stores to the line are in the store buffer, which leave together.\n"
           "- `+ read`, `+ atomic`: under way.\n"
           "- `+ line`: a store is under way whose answer brings the line.\n"
           "- `drop` is `croft.drop` of one line. `forward` and `allocate` are croft's instructions.\n"
           "- *buffered long enough*: the buffer sends the stores by itself or for another line's sake.\n\n"
           "The events of a release are those of the line last stored to.\n\n" +
           copy.markdown(states, of_a_copy) +
           "\n## DDC: the tile that is the line's home\n\n"
           "I: not here; V: here, and no other tile has a copy; S: some have.\n\n" +
           home.markdown({"I", "V", "S"}, of_a_home) +
           "\nWhile it waits for memory (filling) or for sharers (invalidating, evicting):\n\n" +
           home.markdown(with_transient({}, home), of_a_home) +
           "\nThe last table is for the home's own core. Its requests take no network, and its answers are messages to "
           "itself. *-*: it waits behind the line's work under way.\n\n" +
           core.markdown(with_transient({"I", "V", "S"}, core), of_a_core);
}

}  // namespace

std::string protocols_page(std::uint64_t seed, std::uint64_t operations) {
    TransitionWalk walk(seed);
    walk.run(operations);
    std::string page =
        "# What the protocols do\n\n"
        "`make docs` generates this page from a random walk of the simulator's own L1s and L2 bank "
        "(`tests/cpp/simulator/transition_walk.hpp`).\n"
        "The walk goes over three lines that compete for two places in the bank and one in each L1. The page "
        "shows every transition that\n"
        "the walk has seen, and nothing else. If a race is so rare that the walk has not met it, it is "
        "missing. A test compares the page with the code.\n"
        "A decision says why the protocols are as they are: [L1s of four protocols at one "
        "L2](decisions/shared-l2.md).\n\n"
        "A row is an event: an operation of the core, a message, or another line that takes the place. A "
        "column is a state. A cell lists the\n"
        "messages sent about the line, and the state that follows. If a cell has several lines, something "
        "decides that the table does not show:\n"
        "other words of the line, the requester, or reservations. An empty cell was never seen. Either it "
        "cannot happen to an in-order core, which\n"
        "waits for its loads and atomics, or nothing comes of it.\n\n"
        "- *hit*: the L1 does it alone.\n"
        "- *stall*: the core tries again later.\n"
        "- *queued*: the bank serves it when it has finished with the line.\n"
        "- *-*: nothing to be seen.\n"
        "- *later*: the recall of a line just reserved is put off once.\n"
        "- `X + read`: in state X, and a request of that kind is on its way or its answer is.\n"
        "- `acquire` is also what `croft.drop` does, and `release` what `croft.clean` does. `flush` is "
        "`cbo.flush`, of one line.\n\n";
    for (const Part& part : l1s) {
        const TransitionTable table = walk.table(part.protocol);
        const std::vector<std::string> states = with_transient(part.states, table);
        require(table.unlisted(states, events_of_an_l1), part.text);
        page += part.text + table.markdown(states, events_of_an_l1) + "\n";
    }
    const TransitionTable bank = walk.home();
    require(bank.unlisted(with_transient(quiet_bank, bank), events_of_a_bank), "the bank");
    page +=
        "## The home: a bank of the L2\n\n"
        "The states are:\n\n"
        "- I: not here.\n"
        "- V: here, and a write concerns nobody else.\n"
        "- S: a write concerns sharers.\n"
        "- O: one core owns the whole line.\n"
        "- OS: and others share it.\n"
        "- W: cores own words of it.\n"
        "- WS: and others share it.\n\n" +
        bank.markdown(quiet_bank, events_of_a_bank) +
        "\nWhile it waits for memory (filling), for owners (recalling), for sharers (invalidating) or for either to "
        "give the line up (evicting):\n\n" +
        bank.markdown(with_transient({}, bank), events_of_a_bank);
    return page + level(seed, operations) + tiles(seed, operations);
}

}  // namespace croftsim
