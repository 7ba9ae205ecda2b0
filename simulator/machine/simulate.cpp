#include <algorithm>
#include <memory>
#include <tuple>

#include "contract/simulation.hpp"
#include "host/host_side.hpp"
#include "machine/machine.hpp"

namespace croftsim {
namespace {

// An unwinder needs this beside the program's tables.
void keep_stack(ThreadReport& thread, Machine& machine, const AddressSpace& memory) {
    if (thread.has_core)
        std::copy_n(machine.hart(thread.core).x.begin(), thread.registers.size(), thread.registers.begin());
    const std::uint64_t sp = thread.registers[2], end = memory.region(sp).second;
    if (sp >= end) return;
    std::uint64_t bytes = std::min<std::uint64_t>(end - sp, ThreadReport::stack_bytes);
    // Behind a stack there may be a guard page: what can be read before it is what there is.
    constexpr std::uint64_t page = AddressSpace::page_bytes;
    for (std::uint64_t at = sp; at < sp + bytes; at = (at / page + 1) * page)
        if (!memory.allows(at, 1, Permission::read)) bytes = at - sp;
    if (bytes == 0) return;
    thread.stack.resize(bytes);
    machine.read(sp, thread.stack);
}

void finish(Outcome& outcome, const RunOptions& options, Machine& machine, const Kernel& kernel,
            const AddressSpace& memory, Pauses& pauses, const RaceDetector* races, Recorder* recorder) {
    outcome.cycles = machine.now();
    outcome.instructions = machine.instructions();
    outcome.window = machine.window();
    outcome.threads = kernel.threads();
    outcome.unsimulated = kernel.unsimulated();
    for (ThreadReport& thread : outcome.threads) {
        machine.describe(thread);
        keep_stack(thread, machine, memory);
    }
    outcome.statistics = machine.statistics();
    outcome.fast_forwarded = machine.fast_forwarded();
    if (options.interval || options.each_region) outcome.counts = machine.counts();
    pauses.finish(machine.now(), outcome.counts);
    outcome.intervals = pauses.intervals();
    if (options.each_region) outcome.regions = machine.each_region();
    if (CoherenceCheck* check = machine.coherence()) {
        check->finish();
        outcome.coherence = check->reports();
        outcome.coherence_count = check->count();
        outcome.racing_count = check->racing();
        outcome.longest_racing = check->longest_racing();
    }
    if (recorder) {
        machine.finish_recording();
        outcome.profile = recorder->profile();
        outcome.trace = recorder->trace();
        outcome.lines = recorder->lines([&](std::uint64_t line) { return machine.homing_of(line); });
    }
    if (races) {
        outcome.races = races->reports();
        outcome.race_count = races->count();
    }
}

// How the run ended, with which exit code, and the sentence that says so.
std::tuple<Ending, int, std::string> ending_of(Machine::Stop stop, const Kernel& kernel, const RunOptions& options) {
    switch (stop) {
        case Machine::Stop::finished:
            return {Ending::exited, kernel.exit_code().value_or(0), {}};
        case Machine::Stop::deadlock:
            return {Ending::deadlock, 0, "deadlock: every thread waits, and nothing is left that could wake one"};
        case Machine::Stop::cycle_limit:
            return {Ending::cycle_limit, 0,
                    "the limit of " + std::to_string(options.max_cycles) + " cycles was reached"};
        case Machine::Stop::trapped:
            return {Ending::fault, 133, "the program stopped at a breakpoint (ebreak)"};
        default:
            return {Ending::interrupted, 0, "interrupted"};
    }
}

Outcome run(MachineDescription description, std::span<const std::uint8_t> elf, const RunOptions& options) {
    if (!options.core_order.empty()) description.order = CoreOrder(options.core_order, description.tiles());
    AddressSpace memory;
    std::unique_ptr<RaceDetector> races;
    if (options.check_races) races = std::make_unique<RaceDetector>(description.tiles(), options.race_sites);
    std::unique_ptr<Recorder> recorder;
    if (Recorder::is_wanted(options)) recorder = std::make_unique<Recorder>(description.tiles(), options, memory);
    Machine machine(description, memory, options.cores, options.window, options.run_ahead, options.perturb,
                    options.check_coherence, races.get(), recorder.get(), options.homes);
    Kernel kernel(memory, machine, options);
    machine.attach(kernel);
    memory.limit_resident(options.max_memory);

    Pauses pauses(options);
    if (options.each_region) machine.keep_each_region();
    if (options.each_link || options.samples) machine.watch_links(options.each_link);
    if (options.fast_forward && options.restore.empty()) machine.fast_forward();

    std::function<bool(const Progress&)> progress = options.progress;
    if (progress && options.samples)
        progress = [&](const Progress& at) {
            const Sample sample = machine.sample();
            return options.progress({at.cycles, at.instructions, &sample});
        };
    Outcome outcome;
    const auto end = [&] {
        if (options.samples && progress) progress({machine.now(), machine.instructions()});
        finish(outcome, options, machine, kernel, memory, pauses, races.get(), recorder.get());
    };
    try {
        if (options.restore.empty()) {
            kernel.load(elf);
        } else {
            Archive archive(options.restore);
            machine.serialise(archive);
            pauses.serialise(archive, machine.now());
            archive.end();
        }
        const Machine::Stop stop = machine.run(options.max_cycles, progress, &pauses);
        std::tie(outcome.ending, outcome.exit_code, outcome.message) = ending_of(stop, kernel, options);
        end();
    } catch (const GuestFault& fault) {
        outcome.ending = Ending::fault;
        outcome.exit_code = fault.exit_code;
        outcome.message = kernel.sentence_for(fault);
        end();
        for (ThreadReport& thread : outcome.threads)
            if (thread.core == fault.core) thread.state = "fault";
    }
    return outcome;
}

// The sentence for a host that still waits.
std::string why_over(const Outcome& outcome) {
    if (!outcome.message.empty()) return "the program on the co-processor was ended: " + outcome.message;
    if (outcome.exit_code == 0) return {};
    return "the program on the co-processor ended with status " + std::to_string(outcome.exit_code);
}

}  // namespace

Outcome simulate(const MachineDescription& description, std::span<const std::uint8_t> elf, const RunOptions& options) {
    try {
        Outcome outcome = run(description, elf, options);
        if (options.host) options.host->finished(why_over(outcome));
        return outcome;
    } catch (const std::exception& error) {
        if (options.host) options.host->finished(error.what());
        throw;
    } catch (...) {  // an exception of another language, out of a callback
        if (options.host) options.host->finished("the simulation was ended");
        throw;
    }
}

}  // namespace croftsim
