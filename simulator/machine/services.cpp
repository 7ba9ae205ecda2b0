// The machine's services for the kernel (contract/machine_services.hpp). The machine stands still meanwhile.

#include <cstring>

#include "machine/machine.hpp"

namespace croftsim {

void Machine::read(std::uint64_t address, std::span<std::uint8_t> to) {
    for_each_line(address, to.size(), [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
        system_->read(line, offset, to.subspan(done, count), caller_);
    });
}

void Machine::write(std::uint64_t address, std::span<const std::uint8_t> from) {
    if (check_)
        for_each_line(
            address, from.size(), [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
                std::array<std::uint8_t, line_bytes> bytes;
                read(line, bytes);
                std::memcpy(bytes.data() + offset, from.data() + done, count);
                const std::uint64_t ones = count == line_bytes ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1;
                check_->served(caller_, check_->epoch(caller_), line, ones << offset, bytes.data(), false, {0, now_});
            });
    system_->write(address, from, caller_);
    if (races_) races_->kernel_stored(caller_, address, static_cast<unsigned>(from.size()));
}

bool Machine::is_incoherent(std::uint64_t address) const {
    const Page* page = memory_.find(address);
    return page && page->home == Page::incoherent;
}

void Machine::check_mapped(std::uint64_t address, std::uint64_t bytes) const {
    if (!memory_.allows(address, bytes, Permission::none))
        throw GuestFault(caller_, "a message of the host link meets a slot that the program has unmapped", 139);
}

void Machine::device_read(std::uint64_t address, std::span<std::uint8_t> to) {
    check_mapped(address, to.size());
    // Sent, the slot is the device's: whoever gets it next comes behind whoever has filled it.
    if (races_) races_->forget(address, to.size());
    for_each_line(address, to.size(), [&](std::uint64_t line, std::size_t offset, std::size_t count, std::size_t done) {
        if (is_incoherent(line))
            memory_.read_dram(line + offset, to.data() + done, count);
        else
            system_->read(line, offset, to.subspan(done, count), 0);
    });
}
void Machine::device_write(std::uint64_t address, std::span<const std::uint8_t> from) {
    if (from.empty()) return;
    const std::uint64_t first = line_of(address), bytes = line_of(address + from.size() - 1) + line_bytes - first;
    check_mapped(first, bytes);
    if (check_) check_->forget(address, from.size());
    if (races_) races_->forget(address, from.size());
    if (!is_incoherent(address)) address_space_changes(first, bytes, true);
    memory_.write_dram(address, from.data(), from.size());
}

void Machine::acquire(Tile& tile) {
    const bool wanted = races_ ? race_requesters_[tile.core.id]->caches_acquire() : tile.core.acquires;
    if (wanted) tile.requester.acquire();
}

void Machine::start(std::uint32_t core, const Hart& hart) { go_on(core, hart, description_.kernel.thread_start); }

void Machine::go_on(std::uint32_t core, const Hart& hart, std::uint32_t after) {
    Core& started = tiles_[core]->core;
    started.hart = hart;
    started.floating_changed = true;
    started.handler_since = never;
    if (check_ && core != caller_) check_->learned(core, caller_, check_->epoch(caller_));
    if (races_ && acts_for_core_ && core != caller_) races_->ordered(core, caller_);
    started.go(now_ + after);
    acquire(*tiles_[core]);  // of whoever ran here before
    started.started = now_ + after;
    if (started.log) started.log->tell(ExecutionLog::ThreadStarted{started.started});
    refresh(core);
}

// As on Linux, a system call is a release and an acquire: nothing that the program reads behind it is older than it.
void Machine::resume(std::uint32_t core) {
    acquire(*tiles_[core]);
    if (races_ && acts_for_core_ && core != caller_) races_->ordered(core, caller_);
    tiles_[core]->core.wake(now_ + description_.kernel.exit, Stall::kernel);
    refresh(core);
}

void Machine::call(std::uint32_t core) {
    Core& called = tiles_[core]->core;
    if (called.state == CoreState::idle) return;
    called.called = true;
    // These two waits may last for ever. The first has nothing more to do, and the second is tried again.
    if (called.state == CoreState::waits_line) called.wake(now_ + 1, Stall::line);
    if (called.state == CoreState::waits_message) called.wake(now_ + 1, Stall::network);
    refresh(core);
}

void Machine::futex_releases(std::uint64_t address) {
    if (races_) races_->futex_releases(caller_, address);
}

void Machine::futex_acquires(std::uint32_t core, std::uint64_t address) {
    if (races_) races_->futex_acquires(core, address);
}

void Machine::vacate(std::uint32_t core) {
    Core& left = tiles_[core]->core;
    left.book(Stall::kernel, left.asleep_since, now_, left.waiting_pc());
    if (left.log) left.log->tell(ExecutionLog::ThreadEnded{now_, left.waiting_pc()});
    left.statistics.active += now_ - left.started;
    if (left.handler_since != never) left.statistics.handlers += now_ - left.handler_since;
    left.state = CoreState::idle;
    left.called = false;
    left.reservation.lose();
    refresh(core);
}

void Machine::moved(std::uint32_t from, std::uint32_t to) {
    if (check_) check_->learned(to, from, check_->epoch(from));
    if (races_) races_->ordered(to, from);
}

void Machine::address_space_changes(std::uint64_t address, std::uint64_t bytes, bool discard) {
    system_->drop(address, bytes, discard);
    if (check_ && discard) check_->forget(address, bytes);
    if (races_ && discard) races_->forget(address, bytes);
    if (fast_forward_) fast_forward_->pages_changed();
}

bool Machine::is_used(std::uint64_t address, std::uint64_t bytes) {
    for (std::uint64_t at = address; at < address + bytes; at += AddressSpace::page_bytes)
        if (const Page* page = memory_.find(at); page && page->dram) return true;
    return system_->holds(address, bytes);
}

bool Machine::begin_region() {
    if (fast_forward_) {
        fast_forward_->ask_for_region(hart(caller_).x[1]);
        return true;
    }
    cut_accounts();
    return regions_.begin(counts(), now_, hart(caller_).x[1]);
}
bool Machine::end_region() {
    cut_accounts();
    return regions_.end(counts(), now_);
}

void Machine::synchronise_instructions() {
    system_->update_memory();
    for (const auto& tile : tiles_) tile->core.instructions.clear();
    const std::vector<const Block*> in_use = blocks_in_use(tiles_);
    for (const auto& blocks : blocks_) blocks->forget(in_use);
    for (const auto& code : code_)
        if (code) code->forget();
    if (fast_forward_) fast_forward_->program_changed(in_use);
}

}  // namespace croftsim
