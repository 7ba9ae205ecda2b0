#include "record/lines.hpp"

#include <algorithm>
#include <functional>

namespace croftsim {
namespace {

using Kind = ExecutionLog::Kind;
static_assert(Lines::causes == static_cast<std::size_t>(Stall::count));

// The bits of the bytes that it concerns of the line that it begins in.
std::uint64_t mask_of(std::uint64_t address, unsigned bytes) {
    const std::uint64_t all = bytes >= line_bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << bytes) - 1;
    return all << (address % line_bytes);
}

// Whether what is in memory has anything to do with such a wait.
bool is_for_memory(Stall why) { return why != Stall::network && why != Stall::interrupt && why != Stall::fetch; }
// Whether it waits for what another core has to do, and not only for what a line takes to come.
bool is_for_another(Stall why) { return why == Stall::line || why == Stall::kernel; }

bool is_used(const Lines::Use& use) {
    return use.loads || use.stores || use.atomics || use.read_bytes || use.write_bytes ||
           std::ranges::any_of(use.waits, std::identity{});
}

void add(Lines::Use& to, const Lines::Use& from) {
    to.loads += from.loads;
    to.stores += from.stores;
    to.atomics += from.atomics;
    to.next += from.next;
    to.true_sharing += from.true_sharing;
    to.false_sharing += from.false_sharing;
    to.read_bytes |= from.read_bytes;
    to.write_bytes |= from.write_bytes;
    if (from.read_pc) to.read_pc = from.read_pc;
    if (from.write_pc) to.write_pc = from.write_pc;
    for (std::size_t i = 0; i < to.waits.size(); ++i) {
        to.waits[i] += from.waits[i];
        to.times[i] += from.times[i];
    }
}

template <class To, class From>
void add_messages(To& to, const From& from) {
    to.invalidations += from.invalidations;
    to.messages += from.messages;
    to.hops += from.hops;
}

}  // namespace

void LineRecorder::accessed(std::uint32_t core, const ExecutionLog::Accessed& access) {
    constexpr std::uint64_t of_frame = 4096;  // bytes above the stack pointer
    const auto [line, use] = table_.find(core, access.address);
    if (!use) {
        ++left_out_;
        return;
    }
    line->of_stack |= access.address - access.sp < of_frame;
    const bool reads = access.kind == Kind::load || access.kind == Kind::atomic || access.kind == Kind::reserve;
    const bool writes = access.kind == Kind::store || access.kind == Kind::atomic || access.kind == Kind::zero;
    use->loads += access.kind == Kind::load;
    use->stores += access.kind == Kind::store;
    use->atomics += access.kind == Kind::atomic;
    const std::uint64_t mask = mask_of(access.address, access.bytes);
    if (reads) {
        use->read_bytes |= mask;
        use->read_pc = access.pc;
    }
    if (writes) {
        use->write_bytes |= mask;
        use->write_pc = access.pc;
    }
    touches_.push_back({access.time, line, use, 0, static_cast<std::uint8_t>(access.address % line_bytes), access.bytes,
                        reads, writes});
}

void LineRecorder::waited(std::uint32_t core, const ExecutionLog::Waited& wait, std::int64_t cycles) {
    if (wait.address == 0 || !is_for_memory(wait.why)) return;
    const auto [line, use] = table_.find(core, wait.address);
    if (!use) return;
    use->waits[static_cast<std::size_t>(wait.why)] += static_cast<std::uint64_t>(cycles);
    use->times[static_cast<std::size_t>(wait.why)] += cycles > 0;
    for (std::int64_t left = is_for_another(wait.why) ? cycles : 0; left > 0;) {
        const auto part = static_cast<std::uint32_t>(std::min<std::int64_t>(left, ~std::uint32_t{0}));
        touches_.push_back({wait.until, line, use, part, 0, 0, false, false});
        left -= part;
    }
}

void LineRecorder::sent(const Message& message, std::uint32_t hops) {
    if (message.kind >= MessageKind::user_message) return;
    LineTable::Line* const line = table_.find(message.line);
    if (!line) return;
    ++line->messages;
    line->hops += hops;
    line->invalidations += message.kind == MessageKind::invalidate;
}

// ---- the order of all cores ----

void LineRecorder::order_until(std::uint64_t time) {
    // Entries of lines that one core has used are in its order already.
    const auto shared = std::stable_partition(touches_.begin(), touches_.end(), [&](const Touch& touch) {
        return touch.time < time && !touch.line->is_shared();
    });
    std::for_each(touches_.begin(), shared, [&](const Touch& touch) { apply(touch); });
    std::stable_sort(shared, touches_.end(), [](const Touch& one, const Touch& other) {
        return std::pair(one.time, one.use->core) < std::pair(other.time, other.use->core);
    });
    std::erase_if(replaced_, [time](const Replaced& one) { return one.until < time; });
    auto touch = shared;
    for (; touch != touches_.end() && touch->time < time; ++touch) apply(*touch);
    touches_.erase(touches_.begin(), touch);
    many_ = std::max(least_many, 2 * touches_.size());
}

void LineRecorder::apply(const Touch& touch) {
    LineTable::Line& line = *touch.line;
    LineTable::Use& use = *touch.use;
    const bool by_another = line.last_writer != LineTable::nobody && line.last_writer != use.core;
    if (touch.cycles) {
        if (by_another) waits_[std::size_t{use.core} * cores_ + line.last_writer] += touch.cycles;
        return;
    }
    const std::uint64_t mask = mask_of(touch.first, touch.bytes);
    if (!use.has_come) {
        use.has_come = true;
        use.dirty = line.written;
    }
    if (use.dirty) {
        const bool is_true = use.dirty & mask;
        ++(is_true ? use.true_sharing : use.false_sharing);
        use.unused_dirty = is_true ? 0 : use.dirty;
        use.dirty = 0;
    } else if (use.unused_dirty & mask) {
        use.unused_dirty = 0;
        --use.false_sharing;
        ++use.true_sharing;
    }
    if (touch.reads && by_another && !line.read_since) {
        ++use.next;
        line.read_since = true;
    }
    if (!touch.writes) return;
    for (LineTable::Use* other = line.first_use.get(); other; other = other->next_use.get())
        if (other != &use && other->has_come) other->dirty |= mask;
    line.written |= mask;
    line.last_writer = use.core;
    line.read_since = false;
}

// ---- allocations ----

std::uint32_t LineRecorder::site(std::uint64_t return_address, std::uint32_t node) {
    const auto number = static_cast<std::uint32_t>(allocations_.size());
    const auto [found, is_new] = sites_.try_emplace({return_address, node}, number);
    if (is_new) allocations_.push_back({return_address, 0, 0, node, 0});
    return found->second;
}

void LineRecorder::allocated(std::uint64_t return_address, std::uint32_t node, std::uint64_t address,
                             std::uint64_t bytes, std::uint64_t time) {
    if (address == 0 || bytes == 0) return;
    const std::uint32_t number = site(return_address, node);
    Lines::Allocation& allocation = allocations_[number];
    allocation.address = address;
    allocation.bytes = bytes;
    ++allocation.count;
    auto placed = placed_.lower_bound(address);
    if (placed != placed_.begin() && std::prev(placed)->second.end > address) --placed;
    while (placed != placed_.end() && placed->first < address + bytes) {
        replaced_.push_back({placed->second, placed->first, time});
        placed = placed_.erase(placed);
    }
    placed_[address] = {address + bytes, number, time};
    // Lines that nobody has used yet have no page, and are found at the end.
    for (std::uint64_t at = address / line_bytes * line_bytes; at < address + bytes; at += line_bytes) {
        LineTable::Line* const line = table_.look_up(at);
        if (!line) {
            at += LineTable::page_bytes - at % LineTable::page_bytes - line_bytes;
            continue;
        }
        begin_anew(*line, number);
    }
}

void LineRecorder::begin_anew(LineTable::Line& line, std::uint32_t allocation) {
    if (line.allocation == allocation) return;
    if (line.allocation != Lines::nothing) {
        LineTable::Line& gone = gone_[line.allocation];
        add_messages(gone, line);
        line.invalidations = line.messages = line.hops = 0;
        for (LineTable::Use* use = line.first_use.get(); use; use = use->next_use.get()) {
            LineTable::Use* to = LineTable::find_use(gone, use->core);
            if (!to) {
                auto made = std::make_unique<LineTable::Use>();
                made->core = use->core;
                made->next_use = std::move(gone.first_use);
                gone.first_use = std::move(made);
                to = gone.first_use.get();
            }
            add(*to, *use);
            const std::uint32_t core = use->core;
            static_cast<Lines::Use&>(*use) = {};
            use->core = core;
        }
    }
    line.allocation = allocation;
}

// The allocation of a line that had no page when it was allocated.
std::uint32_t LineRecorder::allocation_at(std::uint64_t line) const {
    const auto behind = placed_.lower_bound(line + line_bytes);
    if (behind == placed_.begin()) return Lines::nothing;
    const Placed& placed = std::prev(behind)->second;
    return placed.end > line ? placed.allocation : Lines::nothing;
}

Handovers::Tenant LineRecorder::tenant_at(std::uint64_t address, std::uint64_t time) const {
    const auto behind = placed_.upper_bound(address);
    if (behind != placed_.begin()) {
        const Placed& there = std::prev(behind)->second;
        if (address < there.end && there.since <= time) return {there.allocation, there.since};
    }
    const auto was = std::ranges::find_if(replaced_, [&](const Replaced& one) {
        return one.begin <= address && address < one.end && one.since <= time && time < one.until;
    });
    return was == replaced_.end() ? Handovers::Tenant{} : Handovers::Tenant{was->allocation, was->since};
}

// ---- the end ----

namespace {

void put_uses(Lines& result, Lines::Line& line, const LineTable::Line& from) {
    line.first_use = static_cast<std::uint32_t>(result.uses.size());
    for (const LineTable::Use* use = from.first_use.get(); use; use = use->next_use.get())
        if (is_used(*use)) result.uses.push_back(*use);
    line.uses = static_cast<std::uint32_t>(result.uses.size()) - line.first_use;
    std::ranges::sort(result.uses.begin() + line.first_use, result.uses.end(), {}, &Lines::Use::core);
}

// Lines side by side that one core, or none, has used for the same thing are one.
bool is_continued(const Lines& result, const Lines::Line& before, const Lines::Line& line) {
    return before.uses == line.uses && line.uses <= 1 && before.allocation == line.allocation &&
           (line.uses == 0 || result.uses[before.first_use].core == result.uses[line.first_use].core) &&
           before.is_spread == line.is_spread && (line.is_spread || before.home == line.home) &&
           before.of_stack == line.of_stack &&
           before.address + std::uint64_t{before.lines} * line_bytes == line.address;
}

}  // namespace

void LineRecorder::add_line(Lines& result, std::uint64_t address, const LineTable::Line& from, const HomeOf& home_of,
                            std::size_t first_of_page) const {
    Lines::Line line;
    line.address = address;
    add_messages(line, from);
    line.allocation = from.allocation == Lines::nothing ? allocation_at(address) : from.allocation;
    const auto [home, is_spread] = home_of(address);
    line.home = home;
    line.is_spread = is_spread;
    line.of_stack = from.of_stack;
    put_uses(result, line, from);
    if (result.lines.size() == first_of_page || !is_continued(result, result.lines.back(), line)) {
        result.lines.push_back(line);
        return;
    }
    Lines::Line& before = result.lines.back();
    add_messages(before, line);
    ++before.lines;
    if (line.is_spread) before.home = Lines::nothing;
    if (line.uses) {
        add(result.uses[before.first_use], result.uses.back());
        result.uses.pop_back();
    }
}

Lines LineRecorder::take(const HomeOf& home_of) {
    order_until(~std::uint64_t{0});
    Lines result;
    std::vector<std::uint64_t> numbers;
    for (const auto& [number, page] : table_.pages()) numbers.push_back(number);
    std::ranges::sort(numbers);
    for (const std::uint64_t number : numbers) {
        const LineTable::Page& page = *table_.pages().at(number);
        const std::size_t first_of_page = result.lines.size();
        for (std::size_t i = 0; i < page.size(); ++i)
            if (page[i].messages || page[i].first_use)
                add_line(result, number * LineTable::page_bytes + i * line_bytes, page[i], home_of, first_of_page);
    }
    for (const auto& [allocation, from] : gone_) {
        Lines::Line line;
        line.lines = 0;
        line.allocation = allocation;
        add_messages(line, from);
        put_uses(result, line, from);
        result.lines.push_back(line);
    }
    for (std::uint32_t core = 0; core < cores_; ++core)
        for (std::uint32_t writer = 0; writer < cores_; ++writer)
            if (const std::uint64_t cycles = waits_[std::size_t{core} * cores_ + writer])
                result.waits.push_back({core, writer, cycles});
    result.allocations = allocations_;
    for (const auto& [address, placed] : placed_) result.placed.push_back({address, placed.end, placed.allocation, 0});
    result.left_out = left_out_;
    return result;
}

}  // namespace croftsim
