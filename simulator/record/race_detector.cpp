#include "record/race_detector.hpp"

#include <algorithm>

namespace croftsim {
namespace {

constexpr std::uint64_t granule_of(std::uint64_t address) { return address & ~std::uint64_t{7}; }

}  // namespace

RaceDetector::RaceDetector(std::uint32_t cores, const std::vector<RaceSite>& sites) : nothing_(cores), cores_(cores) {
    if (!sites.empty()) {
        // Damaged debug information may speak of addresses that no program has.
        constexpr std::uint64_t most_text = std::uint64_t{1} << 28;
        sites_begin_ = sites.front().begin;
        const auto index = [&](std::uint64_t address) {
            return static_cast<std::ptrdiff_t>((std::min(address - sites_begin_, most_text) + 1) / 2);
        };
        sites_.assign(static_cast<std::size_t>(index(sites.back().end)), RaceSite::Kind::plain);
        for (const RaceSite& site : sites)
            std::fill(sites_.begin() + index(site.begin), sites_.begin() + index(site.end), site.kind);
    }
    for (std::uint32_t id = 0; id < cores; ++id) {
        CoreState& core = cores_[id];
        core.knows = core.released = core.seen = Knowledge(cores);
        core.knows.advance(id);
    }
}

// ---- what cores do ----

void RaceDetector::load(std::uint32_t core, Place at, std::uint64_t address, unsigned size) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    self.releases = self.stores_release = false;
    self.latest = {true, false, false, false, false, at, address, size, 0};
}

void RaceDetector::store(std::uint32_t core, Place at, std::uint64_t address, unsigned size) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    const RaceSite::Kind site = site_of(at.pc);
    const bool known = location(address);
    const bool is_atomic = self.stores_release || site == RaceSite::Kind::atomic ||
                           (site == RaceSite::Kind::unsure && (known || self.releases));
    std::uint32_t version = 0;
    if (is_atomic || known || self.releases) version = publish(address, self.released);
    self.releases = self.stores_release = false;
    if (is_library(site)) return;
    access(core, at, address, size, is_atomic ? atomic_write : write, version);
}

void RaceDetector::atomic(std::uint32_t core, Place at, std::uint64_t address, unsigned size, Writes writes,
                          bool acquires) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    // Everything that the core has learned of others is ordered before its later accesses. Only its own accesses take a
    // release to be ordered. C++ does not promise it, so for the program itself it does not count.
    const bool is_of_library = writes != Writes::no && site_of(at.pc) == RaceSite::Kind::releasing;
    Knowledge of_library;
    if (is_of_library) {
        of_library = self.knows;
        of_library.withhold(core, self.released.of(core), self.releases ? 0 : at.pc);
        self.knows.advance(core);
    }
    self.releases = self.stores_release = false;
    const Knowledge& told = is_of_library ? of_library : self.released;
    const std::uint32_t version = publish(address, writes == Writes::yes ? told : nothing_);
    const bool is_undecided = writes == Writes::undecided;
    if (is_undecided) location(address)->undecided[core] = told;
    self.latest = {true, true, writes != Writes::no, acquires, is_undecided, at, address, size, version};
}

void RaceDetector::decided(std::uint32_t core, bool stored, bool loaded) {
    Latest& latest = cores_[core].latest;
    if (!latest.pending || !latest.undecided) return;
    latest.undecided = false;
    latest.pending = stored || loaded;  // a store-conditional that fails is no access, and acquires nothing
    latest.writes = stored;
    Location* const there = location(latest.address);
    if (!there) return;  // its page has gone meanwhile
    if (const auto told = there->undecided.extract(core); stored && told) there->clock.learn(told.mapped());
}

void RaceDetector::release(std::uint32_t core, bool of_store) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    self.released = self.knows;
    self.knows.advance(core);
    self.releases = true;
    self.stores_release = of_store;
}

void RaceDetector::acquire(std::uint32_t core, bool of_load) {
    CoreState& self = cores_[core];
    settle(self, core, of_load);
    if (!self.has_seen) return;
    self.knows.learn(self.seen);
    self.seen.forget();
    self.has_seen = false;
}

// The core's latest load is over.
void RaceDetector::settle(CoreState& self, std::uint32_t core, bool is_acquire) {
    decided(core, true, true);
    if (!self.latest.pending) return;
    self.latest.pending = false;
    const Latest& load = self.latest;
    const Location* const there = location(load.address);
    if (there && load.acquires) {
        there->tell(self.knows);
    } else if (there) {
        there->tell(self.seen);
        self.has_seen = true;
    }
    const RaceSite::Kind site = site_of(load.at.pc);
    const bool is_atomic =
        load.is_atomic || is_acquire || site == RaceSite::Kind::atomic || (site == RaceSite::Kind::unsure && there);
    if (there && (is_atomic || is_library(site))) self.looked_at[word_of(load.address)] = there->version;
    if (is_library(site) && !load.is_atomic) return;
    unsigned kind = load.writes ? atomic_write : is_atomic ? atomic_read : read;
    // GCC's libatomic has those of a byte on double words.
    if (load.is_atomic && (load.size == 4 || is_library(site))) kind |= of_word;
    access(core, load.at, load.address, load.size, static_cast<Kind>(kind), load.version);
}

std::uint32_t RaceDetector::sent(std::uint32_t core) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    self.sent.push_back(self.knows);
    self.knows.advance(core);
    if (self.sent.size() > remembered_messages) self.sent.pop_front();
    return ++self.messages;
}

void RaceDetector::received(std::uint32_t core, std::uint32_t from, std::uint32_t number) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    const CoreState& sender = cores_[from];
    if (sender.sent.empty()) return;
    // For a message of long ago, the knowledge of the oldest that is remembered.
    const std::size_t back = std::min<std::size_t>(sender.messages - number, sender.sent.size() - 1);
    self.knows.learn(sender.sent[sender.sent.size() - 1 - back]);
}

void RaceDetector::ordered(std::uint32_t core, std::uint32_t from) {
    settle(cores_[from], from, false);
    settle(cores_[core], core, false);
    cores_[core].knows.learn(cores_[from].knows);
    cores_[from].knows.advance(from);
}

void RaceDetector::kernel_stored(std::uint32_t core, std::uint64_t address, unsigned size) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    if (size > 8) return;
    publish(address, self.knows);
    self.knows.advance(core);
}

void RaceDetector::futex_releases(std::uint32_t core, std::uint64_t address) {
    CoreState& self = cores_[core];
    settle(self, core, false);
    futexes_.try_emplace(address, nothing_).first->second.learn(self.knows);
    self.knows.advance(core);
}

void RaceDetector::futex_acquires(std::uint32_t core, std::uint64_t address) {
    settle(cores_[core], core, false);
    if (const auto futex = futexes_.find(address); futex != futexes_.end()) cores_[core].knows.learn(futex->second);
}

// ---- locations of synchronisation ----

void RaceDetector::Location::tell(Knowledge& to) const {
    to.learn(clock);
    for (const auto& [core, perhaps] : undecided) to.learn(perhaps);
}

std::uint32_t RaceDetector::publish(std::uint64_t address, const Knowledge& clock) {
    std::unique_ptr<Location>& there = place_of(address);
    if (there)
        there->clock.learn(clock);
    else
        there = std::make_unique<Location>(Location{clock, 0, {}});
    return ++there->version;
}

// ---- accesses ----

RaceDetector::Page& RaceDetector::page_numbered(std::uint64_t number) {
    auto& page = pages_[number];
    if (!page) page = std::make_unique<Page>();
    return *page;
}

void RaceDetector::access(std::uint32_t core, Place at, std::uint64_t address, unsigned size, Kind kind,
                          std::uint32_t version) {
    Entry entry{at, cores_[core].knows.of(core), version, static_cast<std::uint16_t>(core), 0, kind};
    for (unsigned done = 0; done < size;) {
        const std::uint64_t where = address + done, granule = granule_of(where);
        const auto offset = static_cast<unsigned>(where - granule);
        const unsigned count = std::min(size - done, 8 - offset);
        entry.bytes = static_cast<std::uint8_t>(((1u << count) - 1) << offset);
        access_granule(core, granule, entry);
        done += count;
    }
}

void RaceDetector::access_granule(std::uint32_t core, std::uint64_t address, const Entry& entry) {
    Granule& granule = page_of(address).granules[address % page_bytes / 8];
    const CoreState& self = cores_[core];
    std::uint32_t kept = 0;
    bool placed = false;
    for (std::uint32_t i = 0; i < granule.count; ++i) {
        Entry& before = granule.at(i);
        const bool is_ordered = orders(self, core, before, address);
        const bool conflict =
            meets(before, entry) && ((before.kind | entry.kind) & write) && !(before.kind & entry.kind & atomic_read);
        if (conflict && !is_ordered) report(before, entry, address, self.knows.claimed(before.core, before.clock));
        // Whatever races with `before` and comes later races with `entry`, too, if that is at least as strong.
        const bool is_covered = is_ordered && !(before.bytes & ~entry.bytes) &&
                                (entry.kind & write) >= (before.kind & write) &&
                                (entry.kind & atomic_read) <= (before.kind & atomic_read) &&
                                (entry.kind & of_word) <= (before.kind & of_word);
        if (is_covered) {
            if (placed) continue;
            granule.at(kept++) = entry;
            placed = true;
        } else {
            if (kept != i) granule.at(kept) = before;
            ++kept;
        }
    }
    if (!placed) {
        if (kept >= granule.first.size()) {
            if (!granule.more) granule.more = std::make_unique<std::vector<Entry>>();
            const std::size_t index = kept - granule.first.size();
            if (index >= granule.more->size()) granule.more->resize(index + 1);
        }
        granule.at(kept++) = entry;
    }
    granule.count = kept;
}

void RaceDetector::report(const Entry& first, const Entry& second, std::uint64_t address, std::uint64_t ordered_by) {
    const auto side = [](const Entry& entry) {
        return RaceReport::Side{entry.core,
                                entry.at.pc,
                                entry.at.time,
                                entry.at.return_address,
                                (entry.kind & write) != 0,
                                entry.kind >= atomic_read};
    };
    const auto made = [&] {
        const auto offset = static_cast<unsigned>(__builtin_ctz(first.bytes & second.bytes));
        const auto size = static_cast<unsigned>(__builtin_popcount(first.bytes & second.bytes));
        return RaceReport{address + offset, size, 0, side(first), side(second), ordered_by};
    };
    if (ordered_by) {
        auto of_library = claimed_.find(ordered_by);
        if (of_library == claimed_.end()) of_library = claimed_.emplace(ordered_by, made()).first;
        ++of_library->second.count;
        return;
    }
    ++count_;
    const std::array<std::uint64_t, 3> pair{first.at.pc, second.at.pc, std::uint64_t{first.kind} << 8 | second.kind};
    const auto [known, is_new] = known_.try_emplace(pair, std::min(own_.size(), most_reports));
    if (is_new && own_.size() < most_reports) own_.push_back(made());
    if (known->second < own_.size()) ++own_[known->second].count;
}

std::vector<RaceReport> RaceDetector::reports() const {
    std::vector<RaceReport> all = own_;
    for (const auto& [pc, report] : claimed_) all.push_back(report);
    return all;
}

void RaceDetector::forget(std::uint64_t address, std::uint64_t bytes) {
    const std::uint64_t first = address / page_bytes, end = (address + bytes + page_bytes - 1) / page_bytes;
    std::erase_if(pages_, [&](const auto& page) { return page.first >= first && page.first < end; });
    std::erase_if(futexes_, [&](const auto& futex) {
        return futex.first / page_bytes >= first && futex.first / page_bytes < end;
    });
    recent_.fill({});
}

}  // namespace croftsim
