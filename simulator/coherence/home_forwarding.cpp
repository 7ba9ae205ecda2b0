// Home-forwarding between levels of caches (paper 000, definition 5.1). A line goes to a core that has not asked for
// it. That is the core at which its page has its home.
//
//     L1 of the sender -- write_through, write_back (forward_to) --> level -- ... --> the first level behind both cores
//                                                                   that level -- data (pushed) --> ... --> L2, L1
//
// A core that owns the line gives it up (write_back). A core that has stored without allocating has never had it. It
// sends what it has written to the first level that it shares with the home (write_through). That level carries the
// write out as any other, and answers it.
//
// **A pushed line changes no rule.** The level passes the line on only if nobody else has any of it. Then it notes the
// child as the line's owner, as if the child had asked. The child gets the line clean: the level, or memory behind a
// filter, has the same bytes. An owner may drop a clean line without a word (E), so the child may also refuse it. It
// refuses if it waits for something about the line, or if another line would have to be asked for its place. Then the
// next request for the line finds an owner that has nothing, which every home can answer already.
//
// One thing more is to be known (LevelLine::pushed). A child that asks to own a line of which it has a copy needs no
// bytes. If its home takes it for the owner only because of a push, it may have lost that copy meanwhile.
//
// So nobody waits for a push, and none is ever repeated. Between two nodes messages do not overtake each other.
// Therefore whatever the level demands of the child later comes behind the line.

#include "coherence/home_forwarding.hpp"

#include "coherence/cache_level.hpp"
#include "coherence/owning_l1.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

// ---- a level ----

// Its children have given the line up, or one has written it through. `forward`: for whom, and how far. A line that
// goes up leaves at once. A demand that finds nothing here is answered at once, and must not overtake it.
void CacheLevel::push_on(LevelLine& line, const Message& forward, std::uint64_t time) {
    if (line.owned || !sharers(line).empty() || !line.exclusive || !line.here) return;
    const auto tile = static_cast<std::uint32_t>(forward.forward_to - 1);
    const std::uint32_t child = child_towards(post_, line.address, node_, tile);
    const bool goes_up = child == Post::no_home;
    if (goes_up && !asks_level_) return;
    if (child == tile && !(forward.into_l1 && traits_[tile].owns && traits_[tile].writers_invalidate)) return;
    Message* const message =
        post_.pool().make(goes_up ? MessageKind::write_back : MessageKind::data, child, line.address);
    message->mask = whole_line;
    message->bytes = line.bytes;
    message->forward_to = forward.forward_to;
    message->into_l1 = forward.into_l1;
    if (goes_up) {
        send_up(message, forward.time);
        return forget(line);
    }
    ++counts_.pushed;
    owns(line, whole_line, child);
    line.pushed = true;
    message->requester = child;
    message->owned = whole_line;
    message->exclusive = message->pushed = true;
    post_.send(node_, message, leaves(line, time));
}

// From the parent, unasked.
void CacheLevel::take_pushed(Message* message) {
    const std::uint64_t time = message->time + fill_;
    LevelLine* const place = find(message->line) || lines_.find(message->line) ? nullptr : lines_.victim(message->line);
    const bool has_room = place && (place->address == Line::nothing || (place->owned == 0 && sharers(*place).empty()));
    if (has_room) {
        if (place->address != Line::nothing) ++counts_.evictions, evict(*place, message->time);
        lines_.assign(*place, message->line);
        place->bytes = message->bytes;
        place->exclusive = place->here = true;
        place->gives = nobody;
        push_on(*place, *message, time);
    } else {
        ++counts_.pushes_refused;
    }
    post_.pool().release(message);
}

// The end of a write, or of an atomic.
void CacheLevel::acknowledge(Message* message, LevelLine& line, std::uint64_t time) {
    const bool forwards = message->kind == MessageKind::write_ack && message->forward_to;
    answer(message, leaves(line, time));
    if (forwards) push_on(line, *message, time);
    pass_through(line, time);
}

// ---- an L1 ----

// The tile at which the line's page has its home; no_home: at none.
std::uint32_t OwningL1::forwards_to(std::uint64_t line) const {
    const Page* const page = forwards() ? post_.memory().find(line) : nullptr;
    return page && page->home < machine_.tiles() ? page->home : Post::no_home;
}

// A store that does not allocate, if the line is not here and no other store waits for it.
std::optional<Access> OwningL1::store_around(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                                             std::uint64_t value) {
    if (!forwards() || find(line) || l1.find(line)) return std::nullopt;
    CollectedStore* entry = collected_.find(line);
    if (entry && entry->sent) return sleep(CoreState::waits_store);
    if (!entry && collected_.size() == machine_.forwarding->collects) {
        if (CollectedStore* const oldest = collected_.oldest()) send_entry(*oldest, core_.time());
        return sleep(CoreState::waits_store);
    }
    if (!entry) {
        const std::uint64_t due = core_.time() + machine_.forwarding->drain;
        entry = &collected_.open(line, due);
        post_.expect_send(tile_, due);
    }
    put_bytes(entry->bytes.data() + offset, value, size);
    entry->mask |= mask;
    if (check_) check_->buffered(tile_, line + offset, size, value, {core_.pc(), core_.time()});
    if (entry->mask == whole_line) send_entry(*entry, core_.time(), 0, true);
    return Access::done;
}

// To the first level that this core and the line's home share: those before it would only pass it on.
void OwningL1::send_entry(CollectedStore& entry, std::uint64_t time, std::uint8_t options, bool forwards) {
    const std::uint32_t tile = forwards_to(entry.line);
    const bool has_home = tile != Post::no_home && tile != tile_;
    Message* const message = post_.pool().make(
        MessageKind::write_through,
        has_home ? level_of_both(post_, entry.line, tile_, tile) : post_.home_of(entry.line, tile_), entry.line);
    message->requester = tile_;
    if (check_) message->epoch = check_->epoch(tile_);
    message->mask = entry.mask;
    message->bytes = entry.bytes;
    message->forward_to = forwards && has_home ? tile + 1 : 0;
    message->into_l1 = options & Forward::into_l1;
    entry.sent = true;
    if (check_) check_->sent(tile_, entry.line, entry.mask);
    post_.send(tile_, message, time);
}

void OwningL1::send_collected(std::uint64_t time) {
    while (CollectedStore* const entry = collected_.oldest()) send_entry(*entry, time);
}

void OwningL1::send_due(std::uint64_t time) {
    while (collected_.due() <= time) send_entry(*collected_.oldest(), collected_.due());
}

void OwningL1::acknowledged(std::uint64_t line, std::uint64_t time) {
    collected_.answered(line);
    wake_stores(time, stores_done());
}

// croft.forward. Nothing: the line's page has no home, or the line is a copy like others'. Then the line just leaves.
std::optional<Access> OwningL1::forward(std::uint64_t line, std::uint8_t options) {
    const std::uint32_t tile = forwards_to(line);
    if (tile == tile_) return Access::done;
    if (CollectedStore* const entry = collected_.find(line)) {
        if (!entry->sent) send_entry(*entry, core_.time(), options, true);
        return options & Forward::synchronous ? sleep(CoreState::waits_store) : Access::done;
    }
    if (tile == Post::no_home || find(line)) return std::nullopt;
    L1Line* const found = l1.find(line);
    if (!found || found->owned != whole_line) return std::nullopt;
    Message* const message = post_.pool().make(MessageKind::write_back, 0, line);
    message->mask = whole_line;
    message->bytes = found->bytes;
    message->forward_to = tile + 1;
    message->into_l1 = options & Forward::into_l1;
    send(message, core_.time());
    core_.reservation.lose();
    drop(*found);
    return Access::done;
}

}  // namespace croftsim
