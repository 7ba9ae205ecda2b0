// The machine's state, for a checkpoint. It stands still: nobody has done anything at or behind now_, and all that is
// injected before has been routed. Cores that ran ahead have a checkpoint of their own there, as before a system call.

#include "machine/machine.hpp"

namespace croftsim {

void Machine::serialise(Archive& archive) {
    if (fast_forward_)
        throw CheckpointError("the program has not come to its first region, to which it is fast-forwarded");
    archive.pool = &pool_;
    for (const std::uint64_t number : {tiles_.size(), other_events_.size(), blocks_.size()}) archive.agree(number);
    archive(pool_, memory_);
    for (const auto& blocks : blocks_) archive(*blocks);
    for (const auto& code : code_)
        if (code) archive(*code);
    for (const auto& tile : tiles_) archive(*tile);
    archive(*system_);
    archive.each(controllers_);
    archive.each(other_events_);
    archive.each(sequence_);
    archive(coherence_network_, memory_network_, user_network_, perturbation_, outbox_, agenda_, now_, skipped_,
            caller_, horizon_, trusted_, reached_, routed_, trapped_, traffic_, requests_, regions_, fast_forwarded_,
            kernel_events_);
    for (const KernelEvent& event : kernel_events_)
        if (event.core >= tiles_.size()) Archive::damaged();
    if (caller_ >= tiles_.size()) Archive::damaged();
    if (check_) archive(*check_);
    if (kernel_) archive(*kernel_);
}

}  // namespace croftsim
