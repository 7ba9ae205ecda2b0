// A TILEPro64's translations and its fetching of instructions: what comes before an access, and before a block.

#include "coherence/ddc.hpp"

namespace croftsim {

bool Ddc::translates(std::uint64_t address, unsigned size) {
    if (!data_pages_) return true;
    if (!data_pages_->holds(address)) return handle_miss(address), false;
    const std::uint64_t last = address + size - 1;
    if (last / data_pages_->page_bytes == address / data_pages_->page_bytes || data_pages_->holds(last)) return true;
    return handle_miss(last), false;
}

// The handler runs in the core's own time, and what arrives meanwhile comes before the access. It is not done again, so
// whoever runs ahead starts anew behind it.
void Ddc::handle_miss(std::uint64_t address) {
    const std::uint64_t time = core_.time();
    if (const auto left = data_pages_->insert(address)) caches_.ask_again(*left, data_pages_->page_bytes);
    core_.stall(Stall::translation, time, time + data_pages_->miss);
    if (core_.runs_ahead) core_.checkpoint.take(core_, core_.block, core_.op, core_.cycle, false);
}

// The program's lines are lines like others: the own L2 keeps copies of them, and homes know that it does. An L1 cache
// of instructions drops its own when the program says so (fence.i), and no sooner.
void Ddc::ask_for_program(std::uint64_t line, std::uint64_t time) {
    Message* const message = post_.pool().make(MessageKind::read, tile_, line);
    message->of_program = true;
    if (program_pages_ && !program_pages_->holds(line)) {
        if (const auto left = program_pages_->insert(line))
            core_.instructions.drop_if([&](std::uint64_t one) { return one - *left < program_pages_->page_bytes; });
        message->kind = MessageKind::data;
        message->no_payload = message->only_page = true;
        return post_.send_self(tile_, message, time + program_pages_->miss);
    }
    send_due(time);
    Line* const found = caches_.l2.find(line);
    if (!found || found->busy) {
        ++caches_.statistics.l2_misses;
        if (buffer_.stores && buffer_.line == line) send_stores(time);
        return ask(message, time);
    }
    ++caches_.statistics.l2_hits;
    caches_.l2.touch(*found);
    message->kind = MessageKind::data;
    message->no_payload = true;
    post_.send_self(tile_, message, caches_.port.use(time, 1) + kind_.l2->hit);
}

void Ddc::program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable) {
    core_.instructions.insert(line);
    core_.model->program_arrived(line, time, usable);
}

}  // namespace croftsim
