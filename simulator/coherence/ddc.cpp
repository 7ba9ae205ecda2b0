#include "coherence/ddc.hpp"

#include "coherence/coherence_check.hpp"
#include "contract/unexpected.hpp"

#include <algorithm>
#include <cstring>

namespace croftsim {

Ddc::Ddc(std::uint32_t tile, const MachineDescription& machine, PrivateCaches& caches, Home& home, Core& core,
         Post& post)
    : tile_(tile),
      machine_(machine),
      kind_(machine.kind_of(tile)),
      caches_(caches),
      home_(home),
      core_(core),
      post_(post),
      check_(post.watcher()) {}

const Page& Ddc::page(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what) {
    const AddressSpace& memory = post_.memory();
    const Page* first = memory.find(address);
    const bool crosses = (address ^ (address + size - 1)) / AddressSpace::page_bytes != 0;
    const bool allowed = first && (first->permission & permission) == permission &&
                         (!crosses || memory.allows(address + size - 1, 1, permission));
    if (!allowed) core_.wild_access(what, size, address);
    return *first;
}

Access Ddc::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    const std::uint64_t time = core_.time();
    const unsigned size = size_of(type);
    send_due(time);
    page(address, size, Permission::read, "a load");
    if (how != Reserve::no && address % size) core_.fault("a load-reserved at a misaligned address", 135);
    if (check_ && how == Reserve::start) check_->reads_anew(tile_, address);
    const std::uint64_t line = line_of(address);
    if (address - line + size <= line_bytes) {
        std::uint64_t raw = 0;
        if (caches_.l1.touch(address)) {
            // Two L1 lines of one L2 line: the second is read a cycle later, and is taken to be as near.
            if (caches_.l1.line_of(address) != caches_.l1.line_of(address + size - 1))
                core_.stall(Stall::l2, time, time + 1);
            const auto host = address + caches_.l1.set_of(address).addend;
            raw = get_bytes(reinterpret_cast<const std::uint8_t*>(host), size);
            reserve(how, line);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            return Access::done;
        }
        if (Line* found = caches_.l2.find(line); found && !found->busy) {
            ++caches_.statistics.l1_misses;
            ++caches_.statistics.l2_hits;
            const std::uint64_t usable = caches_.port.use(time, 1) + kind_.l2->hit;
            caches_.l2.touch(*found);
            caches_.l1.insert(address, found->addend());
            raw = get_bytes(found->bytes.data() + (address - line), size);
            reserve(how, line);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            book(time, usable, core_.block->slack_of(core_.op), Stall::l2);
            return Access::done;
        }
    }
    ++caches_.statistics.l1_misses;
    pending_ = {type, rd, how, address, time, core_.block->slack_of(core_.op), 0, 0, false, core_.pc()};
    return advance(time);
}

Access Ddc::advance(std::uint64_t time) {
    const unsigned size = size_of(pending_.type);
    while (pending_.done < size) {
        const std::uint64_t at = pending_.address + pending_.done;
        const std::uint64_t line = line_of(at);
        Line* found = caches_.l2.find(line);
        if (!found || found->busy) {
            ask_home(line, time);
            if (core_.state == CoreState::runs) core_.sleep(CoreState::waits_memory, pending_.issued);
            return Access::blocked;
        }
        ++caches_.statistics.l2_hits;
        time = caches_.port.use(time, 1) + kind_.l2->hit;
        caches_.l2.touch(*found);
        if (!caches_.l1.touch(at)) caches_.l1.insert(at, found->addend());
        take_part(found->bytes.data(), line);
    }
    return finish_load(time);
}

// For a line that is not in the own L2; behind the own stores to it.
void Ddc::ask_home(std::uint64_t line, std::uint64_t time) {
    if (buffer_.stores && buffer_.line == line) send_stores(time);
    ++caches_.statistics.l2_misses;
    ask(post_.pool().make(MessageKind::read, 0, line), time);
}

Access Ddc::finish_load(std::uint64_t usable) {
    core_.set_result(pending_.type, pending_.rd, pending_.raw);
    const bool slept = core_.state == CoreState::waits_memory;
    if (check_)
        check_->loaded(tile_, pending_.address, size_of(pending_.type), pending_.raw, {pending_.pc, pending_.issued});
    const Stall why = !slept ? Stall::l2 : pending_.from_memory ? Stall::memory : Stall::home;
    if (slept) core_.data_came = usable;
    core_.state = CoreState::runs;
    book(pending_.issued, usable, pending_.slack, why);
    return Access::done;
}

// Nothing needs the load to be over for `slack` cycles behind its issue.
void Ddc::book(std::uint64_t issued, std::uint64_t usable, std::uint32_t slack, Stall why) {
    const std::uint64_t needed = issued + slack;
    core_.stall(why, needed, usable);
}

// A request to the line's home, which may be this tile. Elsewhere it goes out when the own L2 has been searched.
void Ddc::ask(Message* message, std::uint64_t time) {
    message->requester = tile_;
    const std::uint32_t home = post_.home_of(message->line, tile_);
    if (home == tile_) {
        message->time = time;
        return home_.receive(message);
    }
    message->destination = home;
    post_.send(tile_, message, time + kind_.l2->hit);
}

void Ddc::take_part(const std::uint8_t* bytes, std::uint64_t line) {
    const std::uint64_t at = pending_.address + pending_.done;
    const std::uint32_t count = std::min<std::uint32_t>(size_of(pending_.type) - pending_.done,
                                                        static_cast<std::uint32_t>(line + line_bytes - at));
    std::memcpy(reinterpret_cast<std::uint8_t*>(&pending_.raw) + pending_.done, bytes + (at - line), count);
    pending_.done += count;
    reserve(pending_.reserve, line);
}

void Ddc::reserve(Reserve how, std::uint64_t line) {
    if (how == Reserve::start) core_.reservation.start(line);
    if (how == Reserve::add) core_.reservation.add(line);
}

void Ddc::data(Message* message) {
    if (message->no_payload) return from_own_l2(message);
    const std::uint64_t usable = message->time + machine_.home->fill;
    const std::uint64_t line = message->line;
    const bool of_load =
        core_.state == CoreState::waits_memory && line_of(pending_.address + pending_.done) == line;  // it waits
    const std::uint64_t at = of_load ? pending_.address + pending_.done : line;
    const bool homed_here = post_.home_of(line, tile_) == tile_;
    Line* place = caches_.l2.find(line);
    if (!place && !homed_here && !message->do_not_keep) {
        place = home_.make_room(line, message->time, true);
        if (place) {
            caches_.l2.assign(*place, line);
            place->bytes = message->bytes;
        }
    }
    if (place && !caches_.l1.touch(at)) caches_.l1.insert(at, place->addend());
    const std::uint8_t* const bytes = place ? place->bytes.data() : message->bytes.data();
    if (of_load) {
        pending_.from_memory |= message->from_memory;
        // The home of its own line sends itself no invalidation behind the data, so a write served in between must be
        // seen now: else the reservation would begin with an old value and never be lost.
        take_part(bytes, line);
        // Without a copy no invalidation would come either, and a core that waits for one would sleep for ever.
        if (!place) core_.reservation.lose();
    }
    core_.model->line_arrived(line, bytes, message->time, usable, message->from_memory);
    if (!place) core_.model->line_lost(line, message->time);
    post_.pool().release(message);
    if (of_load) advance(usable);
}

void Ddc::receive(Message* message) {
    const std::uint64_t time = message->time;
    switch (message->kind) {
        case MessageKind::data:
            return data(message);
        case MessageKind::write_data:
            return write_data(message);
        case MessageKind::write_ack:
            expect(unacknowledged_ > 0, *message);
            post_.pool().release(message);
            return acknowledged(time);
        case MessageKind::memory_ack:
            post_.pool().release(message);
            --caches_.write_backs;
            return wake_fence(time);
        case MessageKind::atomic_result: {
            if (check_) check_->synchronised(tile_, message->line + message->offset);
            core_.set_result(pending_.type, pending_.rd, message->operand);
            core_.state = CoreState::runs;
            core_.stall(Stall::atomic, pending_.issued, time + machine_.home->fill);
            post_.pool().release(message);
            return;
        }
        case MessageKind::invalidate: {
            if (Line* own = caches_.l2.find(message->line); own && !own->homed) {
                caches_.drop(*own);
                ++caches_.statistics.invalidated;
            }
            lose_reservation(core_, message->line, time);
            message->kind = MessageKind::invalidate_ack;
            message->destination = message->source;
            return post_.send(tile_, message, time + machine_.home->drop);
        }
        default:
            unexpected(*message);
    }
}

}  // namespace croftsim
