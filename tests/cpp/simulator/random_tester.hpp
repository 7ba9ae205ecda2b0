#pragma once
// A data-race-free random tester of L1s and banks (after Ta, Zhang, Gutierrez, Beckmann, "Autonomous Data-Race-Free GPU
// Testing", IISWC 2019). Every core runs episodes: acquire; loads, stores, line operations and atomics in random order;
// release. An episode claims the variables that it will touch, for itself alone where it writes. So no two episodes
// that overlap in time race. Then it is known what a load has to return, and a table says who wrote it. Variables have
// 1, 2, 4 and 8 bytes, and some of them lie across two lines. They lie at random in the same few lines, and so do
// counters for atomics. So all share every line, falsely and truly. The caches are so small that lines leave them all
// the time.
//
// amoadd, amocas, and lr with sc, count atomic counters up. Every old value may be returned once, a core never sees one
// go back, and in the end nothing is missing.
//
// Pages may change at any moment, as the kernel has it. Lines are dropped and keep their contents, whoever has stores
// to them under way. They get another home. Or their contents go, if no episode has a claim there.
// The kernel also writes variables that no episode has claimed.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "last_writers.hpp"
#include "loose_machine.hpp"

namespace croftsim {

class RandomTester {
public:
    struct Options {
        LooseMachine::Shape machine;
        std::uint64_t operations = 100'000;
        std::uint32_t lines = 48;
        std::uint64_t seed = 1;
        // For tests of the tester: the program leaves one out, and so races.
        bool acquires = true, releases = true;
        bool until_wrong = false;  // it ends with the first that is wrong
        // One turn in so many finds that pages change; 0: they never do.
        std::uint32_t changes = 0;
    };
    struct Counts {
        std::uint64_t operations = 0, episodes = 0;
        std::uint64_t loads = 0, stores = 0, atomics = 0, conditionals = 0, stored = 0;  // stored: sc that did
        std::uint64_t changes = 0, discarded = 0;  // of pages; lines whose contents went
        std::uint64_t wrong = 0;
        std::uint64_t cycles = 0;
        std::uint64_t evictions = 0, recalls = 0, invalidations = 0;  // L1 lines; messages of the banks
        std::uint64_t prefetches = 0, pushed = 0;
    };

    explicit RandomTester(const Options& options)
        : machine(with_seed(options)),
          options_(options),
          random_(options.seed),
          cores_(options.machine.protocols.size()),
          known_(random_, options.lines, cores_.size()) {
        if (options.machine.forwards) give_home();
    }

    LooseMachine machine;

    // Until so many operations are done and every episode has ended.
    const Counts& run() {
        const auto act = [this](std::uint32_t core) { take_turn(core); };
        const auto ended = [this](std::uint32_t core) { complete(core); };
        constexpr std::uint64_t patience = 2'000'000;  // events without an operation
        for (std::uint64_t events = 0, before = 0; running() > 0; ++events) {
            if (options_.until_wrong && counts_.wrong > 0) break;
            if (counts_.operations != before) events = 0, before = counts_.operations;
            if (!machine.step(act, ended)) {
                note("stuck: no message is under way, and " + std::to_string(running()) + " cores wait");
                break;
            }
            if (events == patience) {
                note("no operation ends any more");
                break;
            }
        }
        while (counts_.wrong == 0 && machine.step([](std::uint32_t) {}, [](std::uint32_t) {})) {
        }
        if (counts_.wrong == 0) check_rest();
        sum_up();
        return counts_;
    }
    // The first that were found wrong, in words.
    const std::vector<std::string>& reports() const { return reports_; }

private:
    enum class Do : std::uint8_t { acquire, drop_all, load, store, line, add, look, cas, lr, sc, release, clean_all };
    struct Action {
        Do what;
        std::uint32_t which = 0;  // variable, counter, or line
        std::uint64_t value = 0;
        unsigned offset = 0, size = 0;  // bytes of the variable, of a store
    };
    struct Claim {
        std::uint32_t variable;
        bool writes;
    };
    struct TestCore {
        std::vector<Action> plan;
        std::size_t next = 0;
        std::vector<Claim> claims;
        std::uint64_t episode = 0;
        std::uint32_t tries = 0;  // of the sc
        bool runs = true;
    };
    static constexpr std::uint8_t rd = 5;

    static LooseMachine::Shape with_seed(const Options& options) {
        LooseMachine::Shape shape = options.machine;
        shape.seed = options.seed ^ 0x5eed;
        return shape;
    }

    std::uint32_t running() const {
        std::uint32_t count = 0;
        for (const TestCore& core : cores_) count += core.runs;
        return count;
    }

    // ---- episodes ----

    void begin_episode(TestCore& core) {
        core.plan.clear();
        core.next = 0;
        core.episode = ++counts_.episodes;
        // croft.drop and croft.clean, or fences; tiles know fences alone.
        const bool by_croft = random_.one_in(2) && machine.protocol(0) != Protocol::ddc;
        if (options_.acquires) core.plan.push_back({by_croft ? Do::drop_all : Do::acquire});
        for (std::uint32_t i = 1 + random_.below(10); i > 0; --i) claim(core);
        if (!core.claims.empty())
            for (std::uint32_t i = random_.below(30); i > 0; --i) plan_access(core);
        if (options_.releases) core.plan.push_back({by_croft ? Do::clean_all : Do::release});
        if (core.plan.empty())
            core.plan.push_back({Do::look, random_.below(static_cast<std::uint32_t>(known_.counters.size()))});
    }
    void claim(TestCore& core) {
        const std::uint32_t which = random_.below(static_cast<std::uint32_t>(known_.variables.size()));
        const bool writes = random_.one_in(2);
        if (known_.claim(which, writes)) core.claims.push_back({which, writes});
    }
    void plan_access(TestCore& core) {
        if (random_.one_in(10)) return plan_atomic(core);
        if (random_.one_in(options_.machine.forwards ? 5 : 24)) {
            core.plan.push_back({Do::line, random_.below(options_.lines), random_.below(3)});
            return;
        }
        const Claim& claim = core.claims[random_.below(static_cast<std::uint32_t>(core.claims.size()))];
        const bool writes = claim.writes && random_.one_in(2);
        if (!writes) return core.plan.push_back({Do::load, claim.variable});
        // A store to 8 bytes may write a half, so that a core owns a part of what its next store is to.
        const unsigned size = known_.variables[claim.variable].size;
        const bool halves = size == 8 && random_.one_in(3);
        const unsigned offset = halves && !random_.one_in(2) ? 4 : 0;
        core.plan.push_back({Do::store, claim.variable, random_(), offset, halves ? 4 : size});
    }
    void plan_atomic(TestCore& core) {
        const std::uint32_t which = random_.below(static_cast<std::uint32_t>(known_.counters.size()));
        switch (random_.below(4)) {
            case 0:
                core.plan.push_back({Do::look, which});
                if (which % 2 == 0) core.plan.push_back({Do::cas, which});
                break;
            case 1:
                core.plan.push_back({Do::lr, which});
                core.plan.push_back({Do::sc, which});
                break;
            default:
                core.plan.push_back({Do::add, which});
        }
    }
    void end_episode(TestCore& core) {
        for (const Claim& claim : core.claims) known_.give_back(claim.variable, claim.writes);
        core.claims.clear();
    }

    // ---- operations ----

    void take_turn(std::uint32_t id) {
        TestCore& core = cores_[id];
        if (!core.runs) return;
        if (options_.changes && random_.one_in(options_.changes)) change_pages();
        if (core.next == core.plan.size()) {
            end_episode(core);
            if (counts_.operations >= options_.operations || counts_.wrong >= most_wrong) {
                core.runs = false;
                return;
            }
            begin_episode(core);
        }
        const Access access = perform(id, core.plan[core.next]);
        if (access == Access::done) complete(id);
        // A store is the program's latest from here on, also while it is on its way. A core that has to try again acts
        // when it is woken.
        if (machine.core(id).state == CoreState::runs) machine.wake_up(id, machine.core(id).time() + 1 + think());
    }
    std::uint64_t think() { return random_.one_in(8) ? random_.below(200) : random_.below(4); }

    Access perform(std::uint32_t id, const Action& action) {
        Requester& l1 = machine.l1(id);
        switch (action.what) {
            case Do::acquire:
                if (machine.core(id).acquires) l1.acquire();
                return Access::done;
            case Do::release:
                return l1.fence();
            case Do::drop_all:
                return l1.operate(LineOperation::drop_all, 0, 0);
            case Do::clean_all:
                return l1.operate(LineOperation::clean_all, 0, 0);
            case Do::line: {
                constexpr LineOperation operations[] = {LineOperation::clean, LineOperation::flush,
                                                        LineOperation::drop};
                const std::uint64_t line = LooseMachine::first_line + action.which * line_bytes;
                if (options_.machine.forwards && !random_.one_in(4))
                    return l1.operate(LineOperation::forward, line, static_cast<std::uint8_t>(random_.below(8)));
                return l1.operate(operations[action.value], line, 0);
            }
            case Do::load: {
                const LastWriters::Variable& variable = known_.variables[action.which];
                return l1.load(unsigned_type(variable.size), rd, variable.address, Reserve::no);
            }
            case Do::store: {
                const LastWriters::Variable& variable = known_.variables[action.which];
                const bool allocates = !options_.machine.forwards || random_.one_in(2);
                return l1.store(variable.address + action.offset, action.size, action.value, allocates);
            }
            case Do::add:
            case Do::look: {
                const LastWriters::Counter& counter = known_.counters[action.which];
                const auto operation = action.what == Do::add ? AtomicOperation::add : AtomicOperation::disjunction;
                return l1.atomic(operation, signed_type(counter.size), false, rd, counter.address,
                                 action.what == Do::add ? 1 : 0);
            }
            case Do::cas: {
                const LastWriters::Counter& counter = known_.counters[action.which];
                return l1.atomic(AtomicOperation::compare_and_swap, signed_type(counter.size), false, rd,
                                 counter.address, {{action.value + 1}, {action.value}});
            }
            case Do::lr: {
                const LastWriters::Counter& counter = known_.counters[action.which];
                return l1.load(signed_type(counter.size), rd, counter.address, Reserve::start);
            }
            case Do::sc: {
                const LastWriters::Counter& counter = known_.counters[action.which];
                return l1.store_conditional(signed_type(counter.size), rd, counter.address, action.value + 1);
            }
        }
        return Access::done;
    }

    void change_pages() {
        ++counts_.changes;
        if (random_.one_in(3)) return kernel_writes();
        const std::uint32_t first = random_.below(options_.lines), lines = 1 + random_.below(options_.lines - first);
        if (random_.one_in(3) && known_.clear(first)) {
            ++counts_.discarded;
            drop(first, 1, true);
            constexpr std::array<std::uint8_t, line_bytes> zeros{};
            machine.pages_of_program().write_dram(LooseMachine::first_line + first * line_bytes, zeros.data(),
                                                  line_bytes);
        } else if ((machine.protocol(0) == Protocol::ddc || options_.machine.forwards) && random_.one_in(2)) {
            drop(0, options_.lines, false);
            give_home();
        } else {
            drop(first, lines, false);
        }
    }
    void give_home() {
        machine.pages_of_program().set_home(
            LooseMachine::first_line, options_.lines * line_bytes,
            static_cast<std::uint16_t>(random_.below(static_cast<std::uint32_t>(cores_.size()))));
    }
    void kernel_writes() {
        const std::uint32_t which = random_.below(static_cast<std::uint32_t>(known_.variables.size()));
        if (!known_.claim(which, true)) return;
        const LastWriters::Variable& variable = known_.variables[which];
        std::uint64_t value = 0;
        for (std::uint32_t i = 0; i < variable.size; ++i) value |= std::uint64_t{random_.below(256)} << (8 * i);
        machine.any_system().write(variable.address, {reinterpret_cast<const std::uint8_t*>(&value), variable.size}, 0);
        known_.stored(which, value, {static_cast<std::uint32_t>(cores_.size()), 0, machine.stands_at()});
        known_.give_back(which, true);
    }
    void drop(std::uint32_t first, std::uint32_t lines, bool discard) {
        machine.drop(LooseMachine::first_line + first * line_bytes, lines * line_bytes, discard,
                     [this](std::uint32_t core) { complete(core); });
    }

    // Its operation has ended.
    void complete(std::uint32_t id) {
        TestCore& core = cores_[id];
        const Action action = core.plan[core.next++];
        const std::uint64_t got = machine.core(id).hart.x[rd];
        const Moment now{id, core.episode, machine.stands_at()};
        ++counts_.operations;
        switch (action.what) {
            case Do::load:
                ++counts_.loads;
                return note(known_.loaded(action.which, got, now));
            case Do::store:
                ++counts_.stores;
                return known_.stored(action.which, merged(action), now);
            case Do::add:
                ++counts_.atomics;
                return note(known_.counted(action.which, got, counts_.operations, now));
            case Do::look:
                ++counts_.atomics;
                if (core.next < core.plan.size() && core.plan[core.next].what == Do::cas)
                    core.plan[core.next].value = got;
                return note(known_.seen(action.which, got, now));
            case Do::cas:
                ++counts_.atomics;
                if (got != action.value) return note(known_.seen(action.which, got, now));
                return note(known_.counted(action.which, got, counts_.operations, now));
            case Do::lr:
                core.plan[core.next].value = got;
                return note(known_.seen(action.which, got, now));
            case Do::sc:
                ++counts_.conditionals;
                if (got != 0 && ++core.tries < 4) {
                    core.next -= 2;
                    return;
                }
                core.tries = 0;
                if (got != 0) return;
                ++counts_.stored;
                return note(known_.counted(action.which, action.value, counts_.operations, now));
            default:
                return;
        }
    }

    // The value of its variable after the store.
    std::uint64_t merged(const Action& store) const {
        const unsigned shift = 8 * store.offset;
        const std::uint64_t mask = ~std::uint64_t{0} >> (64 - 8 * store.size) << shift;
        return (known_.variables[store.which].value & ~mask) | (store.value << shift & mask);
    }

    // ---- in the end ----

    // All is quiet: memory is what the table says, and the caches keep their invariants.
    void check_rest() {
        note(machine.any_system().violated_invariant());
        known_.compare([this](std::uint64_t address, unsigned size) { return latest(address, size); },
                       [this](const std::string& what) { note(what); });
    }
    std::uint64_t latest(std::uint64_t address, unsigned size) {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < size; ++i) {
            const std::uint64_t at = address + i;
            std::uint8_t byte = 0;
            machine.any_system().read(line_of(at), at % line_bytes, {&byte, 1}, 0);
            value |= std::uint64_t{byte} << (8 * i);
        }
        return value;
    }
    void sum_up() {
        counts_.cycles = machine.stands_at();
        const auto add = [&](const char*, std::size_t, const std::string& name, const char*, std::uint64_t value) {
            if (name == "evictions") counts_.evictions += value;
            if (name == "recalls") counts_.recalls += value;
            if (name == "invalidations") counts_.invalidations += value;
            if (name == "prefetches") counts_.prefetches += value;
            if (name == "pushed") counts_.pushed += value;
        };
        for (std::uint32_t id = 0; id < cores_.size(); ++id) machine.any_system().statistics(id, true, add);
        const std::uint64_t of_l1s = counts_.evictions;
        machine.any_system().statistics(add);
        counts_.evictions = of_l1s;
    }

    // Nothing, or what is wrong.
    void note(const std::string& what) {
        if (!what.empty() && ++counts_.wrong <= most_wrong) reports_.push_back(what);
    }
    static LoadType unsigned_type(unsigned size) {
        return size == 1 ? LoadType::u8 : size == 2 ? LoadType::u16 : size == 4 ? LoadType::u32 : LoadType::i64;
    }
    static LoadType signed_type(unsigned size) { return size == 4 ? LoadType::i32 : LoadType::i64; }

    static constexpr std::uint64_t most_wrong = 10;
    const Options options_;
    Random random_;
    std::vector<TestCore> cores_;
    LastWriters known_;
    Counts counts_;
    std::vector<std::string> reports_;
};

}  // namespace croftsim
