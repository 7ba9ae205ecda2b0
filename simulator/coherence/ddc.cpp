#include "coherence/ddc.hpp"

#include "base/archive.hpp"
#include "contract/unexpected.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

Ddc::Ddc(const MachineDescription& machine, PrivateCaches& caches, Home& home, Core& core, Post& post)
    : RequesterEngine(machine, machine.kind_of(core.id), core, post), caches_(caches), home_(home) {
    if (kind_.dtlb) data_pages_.emplace(*kind_.dtlb);
    if (kind_.itlb) program_pages_.emplace(*kind_.itlb);
}

Access Ddc::load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve how) {
    const std::uint64_t time = core_.time();
    const unsigned size = size_of(type);
    send_due(time);
    check_load(address, size, how);
    if (!translates(address, size)) return Access::retry;
    caches_.statistics.looks += further_looks(address, size, how);
    const std::uint64_t line = line_of(address);
    if (address - line + size <= line_bytes) {
        std::uint64_t raw = 0;
        if (caches_.l1.touch(address)) {
            // Two L1 lines of one L2 line: the second is read a cycle later, and is taken to be as near.
            if (caches_.l1.line_of(address) != caches_.l1.line_of(address + size - 1))
                core_.stall(Stall::l2, time, time + 1);
            const auto host = address + caches_.l1.set_of(address).addend;
            raw = get_bytes(reinterpret_cast<const std::uint8_t*>(host), size);
            reserve(how, line, time);
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
            reserve(how, line, time);
            core_.set_result(type, rd, raw);
            if (check_) check_->loaded(tile_, address, size, raw, {core_.pc(), time});
            core_.stall(Stall::l2, time + core_.block->slack_of(core_.op), usable);
            return Access::done;
        }
    }
    begin_load(type, rd, address, how);
    return advance(time);
}

// A load that lies in two lines reads both from the L2.
const std::uint8_t* Ddc::here(std::uint64_t address, unsigned, std::uint64_t& time) {
    ++caches_.statistics.l1_misses;
    Line* const found = caches_.l2.find(line_of(address));
    if (!found || found->busy) return nullptr;
    ++caches_.statistics.l2_hits;
    time = caches_.port.use(time, 1) + kind_.l2->hit;
    caches_.l2.touch(*found);
    if (!caches_.l1.touch(address)) caches_.l1.insert(address, found->addend());
    return found->bytes.data();
}

Stall Ddc::waited_for(bool slept) const {
    return !slept ? Stall::l2 : pending_.from_memory ? Stall::memory : Stall::home;
}

// For a line that is not in the own L2; behind the own stores to it.
void Ddc::ask_home(std::uint64_t line, std::uint64_t time) {
    if (buffer_.stores && buffer_.line == line) send_stores(time);
    ++caches_.statistics.l2_misses;
    ask(post_.pool().make(MessageKind::read, 0, line), time);
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

void Ddc::data(Message* message) {
    if (message->no_payload) return from_own_l2(message);
    const std::uint64_t usable = message->time + machine_.home->fill;
    const std::uint64_t line = message->line;
    const bool of_program = message->of_program;
    const bool of_load = !of_program && load_waits_for(line);
    const std::uint64_t at = of_load ? pending_.address + pending_.done : line;
    const bool homed_here = post_.home_of(line, tile_) == tile_;
    Line* place = caches_.l2.find(line);
    if (!place && !homed_here) {
        place = home_.make_room(line, message->time, false);
        if (place) {
            caches_.l2.assign(*place, line);
            place->bytes = message->bytes;
        }
    }
    if (of_program) {
        const std::uint64_t time = message->time;
        post_.pool().release(message);
        return program_arrived(line, time, usable);
    }
    if (place && !caches_.l1.touch(at)) caches_.l1.insert(at, place->addend());
    const std::uint8_t* const bytes = place ? place->bytes.data() : message->bytes.data();
    if (of_load) {
        pending_.from_memory |= message->from_memory;
        // The home of its own line sends itself no invalidation behind the data, so a write served in between must be
        // seen now. Else the reservation would begin with an old value and never be lost.
        take_part(bytes, line, usable);
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
        case MessageKind::atomic_result:
            return finish_atomic(message, machine_.home->fill);
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

void Ddc::serialise(Archive& archive) {
    RequesterEngine::serialise(archive);
    if (data_pages_) archive(*data_pages_);
    if (program_pages_) archive(*program_pages_);
    archive(buffer_.line, buffer_.mask, buffer_.deadline, buffer_.last_deadline, buffer_.stores, buffer_.allocates,
            buffer_.bytes);
    caches_.l2.serialise_place(archive, buffer_.own);
    archive(unacknowledged_, stores_awaited_, fence_of_, stores_done_, last_sent_, allocations_, fences_);
    archive.each(hints_);
}

}  // namespace croftsim
