// From functional execution to exact time: see fast_forward.hpp.

#include <utility>

#include "machine/machine.hpp"

namespace croftsim {
namespace {

// An access has to be some operation of a block: one that nothing behind it waits for.
Block warming_block() {
    Block block;
    block.ops.resize(2);
    block.pc_offsets.resize(2);
    block.slacks.resize(2);
    return block;
}
constexpr std::uint8_t nowhere = 32;  // a register that no instruction reads (Hart::x)

}  // namespace

void Machine::fast_forward() {
    fast_forward_ = std::make_unique<FastForward>(description_, memory_, tiles_);
    window_ += FastForward::slack;
}

void Machine::end_fast_forward() {
    fast_forwarded_.has_come = true;
    const std::unique_ptr<FastForward> before = std::move(fast_forward_);
    window_ -= FastForward::slack;
    before->give_back();
    fast_forwarded_.instructions = instructions();  // blocks half done are counted now
    for (std::uint32_t id = 0; id < tiles_.size(); ++id) refresh(id);
    const std::uint64_t began = now_;
    let_messages_arrive();  // those of the user network
    for (const FastForward::Warming& access : before->warming()) {
        warm(access);
        ++fast_forwarded_.lines;
    }
    // System calls that were under way are so still, for as long as they were.
    const std::uint64_t skipped = now_ - began;
    skipped_ += skipped;
    const std::set<KernelEvent> events = std::exchange(kernel_events_, {});
    for (const KernelEvent& event : events) kernel_events_.insert({event.time + skipped, event.core});
    before->resume(now_);
    for (std::uint32_t id = 0; id < tiles_.size(); ++id) {
        Core& core = tiles_[id]->core;
        core.skipped = skipped_;
        refresh(id);
    }
    // The system call that begins the region ends in it.
    Core& caller = tiles_[caller_]->core;
    caller.sleep(CoreState::in_kernel, now_);
    caller.wake(now_ + description_.kernel.exit, Stall::kernel);
    refresh(caller_);
    fast_forwarded_.begins = now();
    cut_accounts();
    regions_.begin(counts(), now_, before->place());
}

void Machine::warm(const FastForward::Warming& how) {
    Core& core = tiles_[how.core]->core;
    if (how.executes) {  // so it is in a shared cache, too
        core.state = CoreState::waits_fetch;
        core.requester->ask_for_program(how.line, now_);
        core.state = CoreState::idle;
        refresh(core.id);
        let_messages_arrive();
    }
    if (how.reads) access(core, how.line, false);
    if (!how.writes) return;
    // The whole line: under some protocols each word has an owner.
    for (std::uint64_t at = how.line; at < how.line + line_bytes; at += 8) access(core, at, true);
}

// As the core's own, alone in the machine, until it is done.
Access Machine::access(Core& core, std::uint64_t address, bool writes) {
    static const Block block = warming_block();
    for (;;) {
        core.state = CoreState::runs;
        core.block = const_cast<Block*>(&block);  // NOLINT: it is only read
        core.op = block.ops.data();
        core.cycle = now_;
        core.safe = core.stop = never;
        std::uint64_t value = 0;
        if (writes) memory_.read_dram(address, &value, sizeof value);
        const Access done = writes ? core.requester->store(address, sizeof value, value, true)
                                   : core.requester->load(LoadType::u8, nowhere, address, Reserve::no);
        if (core.state == CoreState::runs) core.state = CoreState::idle;
        refresh(core.id);
        let_messages_arrive();
        if (done == Access::retry) continue;
        if (!writes) core.model->has_looked();
        return done;
    }
}

}  // namespace croftsim
