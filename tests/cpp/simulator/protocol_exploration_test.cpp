// Every order in which messages may arrive, for two and three L1s and one line. The L1s are of each protocol and of
// mixtures, and have levels of caches before the home or not. Messages wait in one queue for each pair of nodes until
// the search delivers them. The search keeps the machine's promise that messages between two nodes do not overtake each
// other. It keeps nothing else: times mean nothing here.
//
// The search replays from the start with another choice at the end, depth first, until no choice is left. It goes no
// further where it has been in the same state before.

#include <doctest/doctest.h>

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "coherence/level_system.hpp"
#include "l1_protocols.hpp"

namespace croftsim {
namespace {

constexpr std::uint64_t line = 0x100000;

enum class Do : std::uint8_t { load, store, around, add, add_acquire, lr, sc, acquire, release, evict, forward };

struct Step {
    Do op;
    std::uint32_t word = 0;   // of the line
    std::uint32_t value = 0;  // stored or added
};

// The caches that a core has before the bank.
struct Caches {
    Protocol l1;
    bool l2 = false;  // a private one
};
std::string name_of(const Caches& caches) {
    return std::string(croftsim::name_of(caches.l1)) + (caches.l2 ? " and a private L2" : "");
}
std::vector<Caches> all_caches() {
    std::vector<Caches> all;
    for (const Protocol l1 : l1_protocols())
        for (const bool l2 : {false, true}) all.push_back({l1, l2});
    return all;
}

// So many L1s in a row share a cache before the home, if not 0, which asks it by that protocol.
struct Levels {
    std::uint32_t shared_by = 0;
    Protocol protocol = Protocol::mesi;
    bool is_filter = false;  // the home
    bool owners_answer = false;
    bool told = false;  // of clean lines that their owners give up
};

// At which cache the line's page has its home, for which it is forwarded.
constexpr std::uint32_t home_of_page = 1;

class World final : public Standstill {
public:
    World(const std::vector<Caches>& caches, const Levels& levels, const std::vector<std::vector<Step>>& programs)
        : programs_(programs), positions_(programs.size(), 0), results_(programs.size()) {
        machine_.name = "explored";
        machine_.shared = SharedCacheDescription{{1, 0, 0, 1, 1, 1, 0}, 128, 1, {{0, 0}}};
        machine_.memory.controllers = {{0, 0}};
        machine_.network = {static_cast<std::uint32_t>(caches.size()), 1, 1, 1, 1, 16, 1};
        for (const auto& [l1, l2] : caches) {
            CoreKind kind{"core", 1, l1, {}, {128, 64, 1, 1}, 0};
            kind.core.outstanding_stores = 4;
            if (l2) kind.l2 = SecondCacheDescription{{128, 64, 1, 2}, 1};
            machine_.kinds.push_back(kind);
        }
        if (levels.is_filter) machine_.shared->inclusion = LevelDescription::Inclusion::filter;
        if (levels.shared_by > 0) {
            LevelDescription& level = machine_.levels.emplace_back();
            level.name = "cluster";
            level.shared_by = levels.shared_by;
            level.protocol = levels.protocol;
            level.size = 128;
            level.ways = 1;
        }
        machine_.shared->told = levels.told;
        for (LevelDescription& level : machine_.levels) level.told = levels.told;
        machine_.forwarding = ForwardingDescription{2, 50};
        if (levels.owners_answer) {
            machine_.shared->answers = LevelDescription::Answers::owner;
            for (LevelDescription& level : machine_.levels) level.answers = LevelDescription::Answers::owner;
        }
        system_ = std::make_unique<LevelSystem>(machine_, *this);
        memory_.map(line, AddressSpace::page_bytes, Permission::read | Permission::write);
        memory_.set_home(line, AddressSpace::page_bytes, home_of_page);
        block_.ops.resize(1);
        block_.pc_offsets = {0};
        block_.slacks = {1};
        for (std::uint32_t id = 0; id < caches.size(); ++id) {
            cores_.push_back(std::make_unique<Core>(id, blocks_));
            cores_[id]->block = &block_;
            cores_[id]->op = block_.ops.data();
            cores_[id]->state = CoreState::runs;
            tiles_.push_back(system_->make_tile(*cores_[id]));
        }
    }

    // ---- what may happen next ----

    std::vector<std::function<void()>> choices() {
        std::vector<std::function<void()>> found;
        for (std::uint32_t id = 0; id < cores_.size(); ++id)
            if (cores_[id]->state == CoreState::runs && positions_[id] < programs_[id].size())
                found.push_back([this, id] { perform(id); });
        for (auto& [pair, queue] : queues_)
            if (!queue.empty()) found.push_back([this, key = pair] { deliver(key); });
        return found;
    }
    void tick() { now_ += 1000; }  // longer than any hold of a reservation

    bool finished() {
        for (std::size_t id = 0; id < cores_.size(); ++id)
            if (positions_[id] < programs_[id].size() || cores_[id]->state != CoreState::runs) return false;
        return system_->violated_invariant().empty();
    }
    // The line's latest words, wherever they are, when all is quiet.
    std::uint32_t latest(std::uint32_t word) {
        std::uint32_t value;
        system_->read(line, 4 * word, {reinterpret_cast<std::uint8_t*>(&value), 4}, 0);
        return value;
    }
    // Nobody owns what another of the same level owns, and the home knows the owner. Where owners answer, it is told of
    // a new one while it keeps the line busy.
    bool one_owner() {
        for (std::uint32_t level = 0; level < 3; ++level) {
            std::uint64_t owned = 0;
            for (const std::uint32_t node : nodes_of(level)) {
                const std::uint64_t part = owned_by(node);
                CacheLevel& home = system_->cache(system_->home_of(line, node) - first_cache());
                const LevelLine* at_home = home.lines().find(line);
                if (part & owned) return false;
                owned |= part;
                if (home.has_owners_answer() && home.busy_with(line)) continue;
                if (part && (!at_home || part & ~home.owners().owned_by(*at_home, node))) return false;
            }
        }
        return true;
    }
    // A digest of the whole state, and of what has been read on the way.
    std::uint64_t digest() {
        Digest all;
        for (std::uint32_t id = 0; id < cores_.size(); ++id) {
            all.add(positions_[id]);
            for (const std::uint32_t result : results_[id]) all.add(result);
            l1(id).digest(all);
        }
        for (std::uint32_t index = 0; index < system_->nodes(); ++index) system_->cache(index).digest(all);
        std::array<std::uint8_t, line_bytes> bytes{};
        memory_.read_dram(line, bytes.data(), line_bytes);
        all.add_bytes(bytes);
        for (const auto& [pair, queue] : queues_) {
            if (queue.empty()) continue;
            all.add(pair.first << 16 | pair.second);
            for (const Message* message : queue) croftsim::digest(all, *message);
        }
        return all.value();
    }
    const std::vector<std::uint32_t>& results(std::uint32_t core) const { return results_[core]; }

    // ---- Standstill ----
    void send(std::uint32_t source, Message* message, std::uint64_t) override {
        message->source = source;
        queues_[{source, message->destination}].push_back(message);
    }
    void send_self(std::uint32_t node, Message* message, std::uint64_t time) override {
        message->destination = node;
        send(node, message, time);
    }
    void expect_send(std::uint32_t, std::uint64_t) override {}
    MessagePool& pool() override { return pool_; }
    AddressSpace& memory() override { return memory_; }
    std::uint32_t home_of(std::uint64_t at, std::uint32_t node) const override { return system_->home_of(at, node); }
    std::uint32_t controller_of(std::uint64_t) const override { return controller(); }
    std::uint64_t stands_at() const override { return now_; }
    void for_each_unrouted(const std::function<void(Message&)>&) override {}
    void for_each_arriving(std::uint32_t, const std::function<void(Message&)>&) override {}
    void refresh(std::uint32_t) override {}
    void settle() override {}

private:
    using Pair = std::pair<std::uint32_t, std::uint32_t>;
    std::uint32_t controller() const { return static_cast<std::uint32_t>(machine_.kinds.size()); }
    std::uint32_t first_cache() const { return controller() + 1; }
    L1Requester& l1(std::uint32_t id) { return static_cast<L1Requester&>(tiles_[id]->requester()); }

    // Those whose parents are so many levels before the bank, or behind.
    std::vector<std::uint32_t> nodes_of(std::uint32_t level) {
        std::vector<std::uint32_t> nodes;
        for (std::uint32_t node = 0; node < first_cache() + system_->nodes(); ++node) {
            if (node == controller() || node == first_cache()) continue;
            std::uint32_t way = 0;
            for (std::uint32_t up = system_->home_of(line, node); up != first_cache(); up = system_->home_of(line, up))
                ++way;
            if (way == level) nodes.push_back(node);
        }
        return nodes;
    }
    std::uint64_t owned_by(std::uint32_t node) {
        if (node < controller()) {
            const L1Line* copy = l1(node).l1.find(line);
            return copy ? copy->owned : 0;
        }
        const LevelLine* copy = system_->cache(node - first_cache()).lines().find(line);
        return copy && copy->exclusive ? whole_line : 0;
    }

    void deliver(Pair pair) {
        Message* message = queues_[pair].front();
        queues_[pair].pop_front();
        message->time = now_;
        const std::uint32_t to = pair.second;
        if (to >= first_cache()) return system_->receive(to - first_cache(), message);
        if (to == controller()) {
            if (message->kind == MessageKind::memory_write) return pool_.release(message);
            message->kind = MessageKind::memory_data;
            message->destination = pair.first;
            return send(to, message, now_);
        }
        const bool waited = cores_[to]->state == CoreState::waits_memory;
        tiles_[to]->receive(message);
        if (waited && cores_[to]->state == CoreState::runs) complete(to);
    }

    // Its next operation, or the one that it has to try again.
    void perform(std::uint32_t id) {
        Core& core = *cores_[id];
        core.cycle = now_;
        const Step& step = programs_[id][positions_[id]];
        const std::uint64_t at = line + 4 * step.word;
        constexpr std::uint8_t rd = 5;
        Access access = Access::done;
        switch (step.op) {
            case Do::load:
                access = l1(id).load(LoadType::u32, rd, at, Reserve::no);
                break;
            case Do::lr:
                access = l1(id).load(LoadType::u32, rd, at, Reserve::start);
                break;
            case Do::store:
                access = l1(id).store(at, 4, step.value, true);
                break;
            case Do::around:
                access = l1(id).store(at, 4, step.value, false);
                break;
            case Do::forward:
                access = l1(id).operate(LineOperation::forward, line, Forward::into_l1);
                break;
            case Do::add_acquire:  // the core tells of the acquire first (core/interpreter.cpp)
                l1(id).acquire();
                [[fallthrough]];
            case Do::add:
                access = l1(id).atomic(AtomicOperation::add, LoadType::i32, false, rd, at, step.value);
                break;
            case Do::sc:
                access = l1(id).store_conditional(LoadType::i32, rd, at, step.value);
                break;
            case Do::acquire:
                l1(id).acquire();
                break;
            case Do::release:
                access = l1(id).fence();
                break;
            case Do::evict:  // the L1 has one set of two places... one place: another line takes it
                access = l1(id).operate(LineOperation::flush, line, 0);
                break;
        }
        if (access == Access::done) complete(id);
    }
    void complete(std::uint32_t id) {
        const Do op = programs_[id][positions_[id]++].op;
        if (op == Do::load || op == Do::lr || op == Do::add || op == Do::add_acquire || op == Do::sc)
            results_[id].push_back(static_cast<std::uint32_t>(cores_[id]->hart.x[5]));
    }

    MachineDescription machine_;
    AddressSpace memory_;
    CoreDescription core_shape_;
    CacheDescription l1_shape_{128, 64, 1, 1};
    BlockCache blocks_{core_shape_, l1_shape_, memory_};
    Block block_;
    MessagePool pool_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::unique_ptr<LevelSystem> system_;
    std::vector<std::unique_ptr<TileMemory>> tiles_;
    std::map<Pair, std::deque<Message*>> queues_;
    std::vector<std::vector<Step>> programs_;
    std::vector<std::size_t> positions_;
    std::vector<std::vector<std::uint32_t>> results_;
    std::uint64_t now_ = 0;
};

struct Explored {
    std::size_t states = 0, orders = 0, stuck = 0, split_ownership = 0;
};

// Calls `look` on the world at the end of every order.
Explored explore(const std::vector<Caches>& caches, const std::vector<std::vector<Step>>& programs,
                 const std::function<void(World&)>& look, const Levels& levels = {}) {
    Explored found;
    std::vector<std::pair<std::size_t, std::size_t>> path;  // taken, of how many
    std::unordered_set<std::uint64_t> known;
    for (;;) {
        World world(caches, levels, programs);
        bool at_end = false;
        for (std::size_t depth = 0;; ++depth) {
            if (depth == path.size()) {  // new ground
                if (!known.insert(world.digest()).second) break;
                if (!world.one_owner()) ++found.split_ownership;
            }
            const auto choices = world.choices();
            at_end = choices.empty();
            if (at_end) break;
            if (depth == path.size()) path.push_back({0, choices.size()});
            world.tick();
            choices[path[depth].first]();
        }
        ++found.orders;
        if (at_end) {
            if (!world.finished()) ++found.stuck;
            look(world);
        }
        found.states = known.size();
        while (!path.empty() && path.back().first + 1 == path.back().second) path.pop_back();
        if (path.empty()) return found;
        ++path.back().first;
    }
}

}  // namespace

TEST_CASE("two caches add to one word: no order of messages loses an addition") {
    for (const Caches& a : all_caches())
        for (const Caches& b : all_caches()) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool lost = false;
            const Explored found = explore({a, b}, {{{Do::add, 0, 1}, {Do::add, 0, 1}}, {{Do::add, 0, 1}, {Do::evict}}},
                                           [&](World& world) { lost |= world.latest(0) != 3; });
            CHECK(!lost);
            CHECK(found.stuck == 0);
            CHECK(found.split_ownership == 0);
            CHECK(found.states > 20);
        }
}

TEST_CASE("two caches write different words of one line: both stay, also when one gives its line up") {
    for (const Caches& a : all_caches())
        for (const Caches& b : all_caches()) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool lost = false;
            const Explored found =
                explore({a, b}, {{{Do::store, 0, 7}, {Do::evict}, {Do::release}}, {{Do::store, 1, 9}, {Do::release}}},
                        [&](World& world) { lost |= world.latest(0) != 7 || world.latest(1) != 9; });
            CHECK(!lost);
            CHECK(found.stuck == 0);
            CHECK(found.split_ownership == 0);
        }
}

TEST_CASE("message passing: who reads the flag that an atomic set reads the word written before, behind an acquire") {
    for (const Caches& a : all_caches())
        for (const Caches& b : all_caches()) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool stale = false, seen = false;
            // The reader has an old copy of the word. An addition of 0 reads the flag where it is.
            const Explored found = explore({a, b},
                                           {{{Do::store, 1, 5}, {Do::release}, {Do::add, 0, 1}},
                                            {{Do::load, 1}, {Do::add, 0, 0}, {Do::acquire}, {Do::load, 1}}},
                                           [&](World& world) {
                                               const auto& got = world.results(1);
                                               if (got.size() != 3) return;
                                               seen |= got[1] == 1;
                                               stale |= got[1] == 1 && got[2] != 5;
                                           });
            CHECK(!stale);
            CHECK(seen);
            CHECK(found.stuck == 0);
        }
}

TEST_CASE("message passing: what the reader owned at its acquire is not older than the flag, either") {
    for (const Caches& a : all_caches())
        for (const Caches& b : {Caches{Protocol::denovo}, {Protocol::denovo, true}, {Protocol::denovo_line}}) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool stale = false, seen = false;
            // The reader owned the word at its acquire. The writer takes it while the reader waits for the flag.
            const Explored found = explore({a, b},
                                           {{{Do::load, 1}, {Do::store, 1, 5}, {Do::release}, {Do::add, 0, 1}},
                                            {{Do::store, 1, 4}, {Do::release}, {Do::add_acquire, 0, 0}, {Do::load, 1}}},
                                           [&](World& world) {
                                               const auto& got = world.results(1);
                                               seen |= got[0] == 1;
                                               stale |= got[0] == 1 && world.latest(1) == 5 && got[1] != 5;
                                           });
            CHECK(!stale);
            CHECK(seen);
            CHECK(found.stuck == 0);
        }
}

TEST_CASE("a line that has come for one word brings no other word that another core owns") {
    for (const Protocol a : l1_protocols())
        for (const Protocol b : l1_protocols()) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool stale = false, seen = false;
            explore({{a}, {b}},
                    {{{Do::store, 1, 5}, {Do::release}, {Do::add, 0, 1}},
                     {{Do::add, 0, 0}, {Do::acquire}, {Do::load, 2}, {Do::load, 1}}},
                    [&](World& world) {
                        const auto& got = world.results(1);
                        seen |= got[0] == 1;
                        stale |= got[0] == 1 && got[2] != 5;
                    });
            CHECK(!stale);
            CHECK(seen);
        }
}

TEST_CASE("an owner whose dirty line others read loses its reservation when one of them writes before it") {
    for (const Protocol a : {Protocol::mesi, Protocol::moesi})
        for (const Protocol b : l1_protocols()) {
            CAPTURE(name_of(b));
            bool wrong = false, failed = false;
            explore({{a}, {b}, {Protocol::mesi}},
                    {{{Do::store, 0, 1}, {Do::lr}, {Do::sc, 0, 2}}, {{Do::add, 0, 1}}, {{Do::load}}},
                    [&](World& world) {
                        const bool stored = world.results(0)[1] == 0;
                        const std::uint32_t reserved = world.results(0)[0], added_to = world.results(1)[0];
                        failed |= !stored;
                        // Between the two there was no addition: it was before the store, before the lr, or is behind.
                        if (stored) wrong |= added_to == 1 && reserved != 2;
                        if (stored) wrong |= world.latest(0) != (added_to == 2 ? 3u : 2u);
                    });
            CHECK(!wrong);
            CHECK(failed);
        }
}

TEST_CASE("of two load-reserved and store-conditional pairs that succeed none loses the other's write") {
    for (const Caches& a : all_caches())
        for (const Caches& b : all_caches()) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            bool wrong = false, both = false;
            explore({a, b}, {{{Do::lr}, {Do::sc, 0, 1}}, {{Do::lr}, {Do::sc, 0, 2}}}, [&](World& world) {
                const bool first = world.results(0)[1] == 0, second = world.results(1)[1] == 0;
                // If both succeeded, the later one has read what the earlier one wrote.
                if (first && second) {
                    both = true;
                    wrong |= world.results(0)[0] != 2 && world.results(1)[0] != 1;
                }
                const std::uint32_t expected = first && second ? (world.results(1)[0] == 1 ? 2 : 1)
                                               : first         ? 1
                                               : second        ? 2
                                                               : 0;
                wrong |= world.latest(0) != expected;
            });
            CHECK(!wrong);
            CHECK(both);
        }
}

TEST_CASE("two L1s of a cluster and one outside: nothing is lost, nobody is stuck, and no word has two owners") {
    for (const Protocol a : l1_protocols())
        for (const Protocol b : l1_protocols())
            for (const Protocol c : {Protocol::mesi, Protocol::denovo, Protocol::gpu_wb}) {
                CAPTURE(name_of(a));
                CAPTURE(name_of(b));
                CAPTURE(name_of(c));
                bool lost = false;
                const Explored found =
                    explore({{a}, {b}, {c}}, {{{Do::add, 0, 1}}, {{Do::store, 1, 4}, {Do::release}}, {{Do::add, 0, 1}}},
                            [&](World& world) { lost |= world.latest(0) != 2 || world.latest(1) != 4; }, {2});
                CHECK(!lost);
                CHECK(found.stuck == 0);
                CHECK(found.split_ownership == 0);
            }
}

TEST_CASE("a home that is a filter: nothing is lost before it, whether owners of dirty lines share them or not") {
    constexpr Protocol owning[] = {Protocol::mesi, Protocol::moesi};
    bool lost = false;
    const auto look = [&](World& world) { lost |= world.latest(0) != 2 || world.latest(1) != 4; };
    const std::vector<std::vector<Step>> two{{{Do::add, 0, 1}, {Do::load, 1}, {Do::evict}},
                                             {{Do::store, 1, 4}, {Do::release}, {Do::add, 0, 1}}};
    const std::vector<std::vector<Step>> three{
        {{Do::add, 0, 1}, {Do::load, 1}}, {{Do::add, 0, 1}}, {{Do::store, 1, 4}}};
    const auto check = [&](const Explored& found) {
        CHECK(!lost);
        CHECK(found.stuck == 0);
        CHECK(found.split_ownership == 0);
    };
    for (const Protocol a : owning)
        for (const Protocol b : owning) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            check(explore({{a}, {b}}, two, look, {0, Protocol::mesi, true}));
            for (const Protocol level : {Protocol::mesi, Protocol::moesi, Protocol::mesif})
                for (const bool told : {false, true}) {
                    check(explore({{a}, {b}}, two, look, {1, level, true, false, told}));
                    check(explore({{a}, {b}, {a}}, three, look, {2, level, true, false, told}));
                }
        }
}

TEST_CASE("owners that answer requests themselves: nothing is lost, nobody is stuck, and no word has two owners") {
    const auto check = [](const std::vector<Caches>& caches, const std::vector<std::vector<Step>>& programs,
                          std::uint32_t first, std::uint32_t second, const Levels& levels) {
        bool lost = false;
        const Explored found = explore(
            caches, programs, [&](World& world) { lost |= world.latest(0) != first || world.latest(1) != second; },
            levels);
        CHECK(!lost);
        CHECK(found.stuck == 0);
        CHECK(found.split_ownership == 0);
    };
    constexpr Protocol owning[] = {Protocol::mesi, Protocol::moesi, Protocol::denovo_line};
    for (const Protocol a : owning)
        for (const Protocol b : {Protocol::mesi, Protocol::moesi, Protocol::denovo_line, Protocol::gpu_wb}) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            for (const bool l2 : {false, true})
                check({{a, l2}, {b, false}},
                      {{{Do::add, 0, 1}, {Do::load, 1}, {Do::evict}},
                       {{Do::store, 1, 4}, {Do::release}, {Do::add, 0, 1}}},
                      2, 4, {0, Protocol::mesi, false, true});
            bool lost = false;
            const Explored found = explore(
                {{a}, {b}}, {{{Do::lr}, {Do::sc, 0, 2}, {Do::add, 0, 1}}, {{Do::store, 1, 4}, {Do::evict}, {Do::load}}},
                [&](World& world) {
                    const std::uint32_t sum = world.results(0)[1] == 0 ? 3 : 1;
                    lost |= world.latest(0) != sum || world.latest(1) != 4;
                },
                {0, Protocol::mesi, false, true});
            CHECK(!lost);
            CHECK(found.stuck == 0);
            // A dirty line comes for a store-conditional that then stores nothing: it is dirty all the same.
            for (const bool l2 : {false, true})
                check({{a, l2}, {b}}, {{{Do::lr}, {Do::sc, 0, 0}, {Do::evict}}, {{Do::store, 1, 4}, {Do::release}}}, 0,
                      4, {0, Protocol::mesi, false, true});
        }
    const std::vector<std::vector<Step>> three{
        {{Do::add, 0, 1}, {Do::load, 1}}, {{Do::add, 0, 1}}, {{Do::store, 1, 4}}};
    for (const Protocol a : {Protocol::mesi, Protocol::moesi})
        for (const Protocol b : {Protocol::mesi, Protocol::moesi}) {
            CAPTURE(name_of(a));
            CAPTURE(name_of(b));
            for (const bool is_filter : {false, true}) {
                check({{a}, {b}, {a}}, three, 2, 4, {0, Protocol::mesi, is_filter, true});
                check({{a}, {a}, {a}}, three, 2, 4, {2, b, is_filter, true});
            }
        }
}

// The first cache forwards the line to the second one, which uses it, too, and so may a third. The line comes as a
// whole that the first one owned, or as what it has written around its caches.
void check_unasked(std::size_t caches, const std::vector<Protocol>& protocols) {
    const std::vector<std::vector<Step>> written{{{Do::add, 0, 1}, {Do::store, 1, 4}, {Do::forward}, {Do::load, 1}},
                                                 {{Do::around, 1, 4}, {Do::forward}, {Do::load, 1}, {Do::add, 0, 1}}};
    const std::vector<std::vector<Step>> others[] = {{{{Do::add, 0, 1}, {Do::evict}}},
                                                     {{{Do::load, 1}}, {{Do::add, 0, 1}}}};
    std::vector<Levels> all{{0, Protocol::mesi, false}, {0, Protocol::mesi, true}, {0, Protocol::mesi, false, true}};
    for (const bool told : {false, true})
        for (const bool owners_answer : {false, true}) {
            all.push_back({1, Protocol::mesi, false, owners_answer, told});
            all.push_back({1, Protocol::mesif, true, owners_answer, told});
        }
    for (const Protocol protocol : protocols)
        for (const std::vector<Step>& first : written)
            for (const Levels& levels : all)
                for (const bool l2 : {false, true}) {
                    if (l2 && levels.shared_by > 0) continue;
                    CAPTURE(name_of(Caches{protocol, l2}));
                    CAPTURE(levels.shared_by);
                    CAPTURE(levels.is_filter);
                    CAPTURE(levels.owners_answer);
                    CAPTURE(levels.told);
                    std::vector<std::vector<Step>> programs = others[caches - 2];
                    programs.insert(programs.begin(), first);
                    bool lost = false;
                    const auto look = [&](World& world) {
                        lost |= world.latest(0) != 2 || world.latest(1) != 4 || world.results(0).back() > 4;
                        lost |= &first == &written[1] && world.results(0).front() != 4;  // its own store
                    };
                    const Explored found = explore(std::vector<Caches>(caches, {protocol, l2}), programs, look, levels);
                    CHECK(!lost);
                    CHECK(found.stuck == 0);
                    CHECK(found.split_ownership == 0);
                }
}

TEST_CASE("a line that comes unasked: nothing is lost, nobody is stuck, and no word has two owners") {
    check_unasked(2, {Protocol::mesi, Protocol::moesi});
}

TEST_CASE("a line that comes unasked, and a third cache that uses it" * doctest::test_suite("slow")) {
    check_unasked(3, {Protocol::mesi});
}

TEST_CASE("three caches, one operation each: nothing is lost, nobody is stuck, and no word has two owners" *
          doctest::test_suite("slow")) {
    const std::vector<Caches> all = all_caches();
    for (std::size_t first = 0; first < all.size(); ++first)
        for (std::size_t second = first; second < all.size(); ++second)  // which do the same
            for (const Caches& c : all) {
                const Caches &a = all[first], &b = all[second];
                CAPTURE(name_of(a));
                CAPTURE(name_of(b));
                CAPTURE(name_of(c));
                bool lost = false;
                const Explored found =
                    explore({a, b, c}, {{{Do::add, 0, 1}}, {{Do::add, 0, 1}}, {{Do::store, 1, 4}, {Do::release}}},
                            [&](World& world) { lost |= world.latest(0) != 2 || world.latest(1) != 4; });
                CHECK(!lost);
                CHECK(found.stuck == 0);
                CHECK(found.split_ownership == 0);
            }
}

}  // namespace croftsim
