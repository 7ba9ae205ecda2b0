#include "core/in_order.hpp"

#include "core/interpreter.hpp"

namespace croftsim {

void InOrder::run(std::uint64_t safe, std::uint64_t stop) {
    core_.safe = safe;
    core_.stop = stop;
    core_.runs_ahead = safe < stop;
    if (core_.log) core_.log->settle();
    if (core_.runs_ahead) core_.take_checkpoint();
    try {
        interpret(core_);
    } catch (const GuestFault&) {
        if (!core_.runs_ahead) throw;
        core_.checkpoint.restore(core_);  // perhaps it never comes to that
        run(safe, safe);
    }
}

// To the checkpoint, and from there to just that time: everything it does on the way it did before, so nobody notices.
void InOrder::go_back(std::uint64_t time) {
    core_.checkpoint.restore(core_);
    core_.safe = core_.stop = time;
    // The core may have stopped at `time` or behind it, by register arithmetic. Then it stands there when the message
    // comes, and an interrupt cuts in. From there the interpreter would go on to the end of the next block.
    if (core_.time() < time || core_.checkpoint.in_passing()) interpret(core_);
    core_.take_checkpoint();  // what came before the message must not be done again behind it
}

}  // namespace croftsim
