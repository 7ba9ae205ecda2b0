// What the machine is doing right now: contract/sample.hpp.

#include "base/one_of.hpp"
#include "kernel/threads.hpp"
#include "machine/machine.hpp"

namespace croftsim {
namespace {

Activity of_stall(Stall why) {
    if (why == Stall::fetch) return Activity::fetch;
    if (is_one_of(why, {Stall::fence, Stall::store_buffer})) return Activity::store;
    if (why == Stall::line) return Activity::line;
    if (why == Stall::network) return Activity::network;
    return is_one_of(why, {Stall::kernel, Stall::interrupt}) ? Activity::kernel : Activity::load;
}

Activity of_wait(Wait wait) {
    if (wait == Wait::futex) return Activity::futex;
    if (wait == Wait::sleep) return Activity::sleep;
    return wait == Wait::host ? Activity::host : Activity::kernel;
}

}  // namespace

Activity Machine::activity(const Core& core) const {
    if (!is_given(core.id)) return Activity::absent;
    // exit_group ends all threads, wherever they are.
    const bool is_over = core.state == CoreState::idle || (kernel_ && kernel_->exit_code());
    if (is_over) return core.statistics.instructions ? Activity::finished : Activity::unused;
    switch (core.state) {
        case CoreState::runs: {
            const auto why = core.model->waits_for();
            return why ? of_stall(*why) : Activity::runs;
        }
        case CoreState::in_kernel:
            return of_wait(kernel_ ? kernel_->wait_on(core.id) : Wait::none);
        case CoreState::trapped:
            return Activity::stopped;
        default:
            return of_stall(core.waits_for());
    }
}

Sample Machine::sample() const {
    Sample sample;
    sample.cycles = now();
    sample.activities.reserve(tiles_.size());
    sample.instructions.reserve(tiles_.size());
    sample.spent.assign(1 + static_cast<std::size_t>(Stall::count), 0);
    for (const auto& tile : tiles_) {
        const Core& core = tile->core;
        sample.activities.push_back(activity(core));
        sample.instructions.push_back(core.statistics.instructions);
        const Spent spent = spent_by(core);
        sample.spent[0] += spent.issued;
        for (std::size_t i = 0; i < spent.stalls.size(); ++i) sample.spent[i + 1] += spent.stalls[i];
    }
    const Network* const networks[] = {&coherence_network_, &memory_network_, &user_network_};
    for (std::size_t i = 0; i < Sample::networks; ++i) sample.links[i] = networks[i]->carried();
    return sample;
}

}  // namespace croftsim
