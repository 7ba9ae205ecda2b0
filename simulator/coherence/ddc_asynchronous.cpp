// A TILEPro64's loads for a core that goes on behind them (core/out_of_order.hpp). Bytes in the L1 are there at once. A
// line of the own L2 comes as a message to oneself when the L2 has been read, any other line from its home.

#include <cstring>

#include "coherence/ddc.hpp"
#include "record/coherence_check.hpp"

namespace croftsim {

AsynchronousLoads::Found Ddc::look(std::uint64_t address, unsigned size, std::uint8_t* to) {
    if (!caches_.l1.touch(address)) return Found::elsewhere;
    std::memcpy(to, reinterpret_cast<const std::uint8_t*>(address + caches_.l1.set_of(address).addend), size);
    return Found::here;
}

void Ddc::ask(std::uint64_t line, std::uint64_t time) {
    send_due(time);
    ++caches_.statistics.l1_misses;
    Line* const found = caches_.l2.find(line);
    if (!found || found->busy) return ask_home(line, time);
    ++caches_.statistics.l2_hits;
    caches_.l2.touch(*found);
    Message* message = post_.pool().make(MessageKind::data, tile_, line);
    message->no_payload = true;
    post_.send_self(tile_, message, caches_.port.use(time, 1) + kind_.l2->hit);
}

// The L2 has been read, unless the line has been taken away meanwhile.
void Ddc::from_own_l2(Message* message) {
    const std::uint64_t time = message->time, line = message->line;
    const bool of_program = message->of_program, only_page = message->only_page;
    post_.pool().release(message);
    Line* const found = caches_.l2.find(line);
    if (of_program) return found && !only_page ? program_arrived(line, time, time) : ask_for_program(line, time);
    if (!found || found->busy) return ask_home(line, time);
    if (!caches_.l1.touch(line)) caches_.l1.insert(line, found->addend());
    core_.model->line_arrived(line, found->bytes.data(), time, time, false);
}

}  // namespace croftsim
