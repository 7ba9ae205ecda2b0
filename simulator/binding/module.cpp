// The simulator as a Python module, croft._simulator. Machines and options come as the plain dictionaries that the lab
// has checked (python/croft/machine.py, run.py).

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cxxabi.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "isa/disassemble.hpp"
#include "machine/contention_probe.hpp"
#include "machine/probe.hpp"
#include "machine/simulation.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace croftsim;

namespace {

constexpr const char* cost_names[] = {"alu",         "multiply",     "divide",        "branch",        "jump",
                                      "load",        "store",        "atomic",        "fence",         "csr",
                                      "system",      "float_move",   "float_compare", "float_add",     "float_multiply",
                                      "float_fused", "float_divide", "float_sqrt",    "float_convert", "send",
                                      "push",        "receive"};
static_assert(std::size(cost_names) == static_cast<std::size_t>(Cost::count));

template <class T>
void take(T& to, const nb::dict& from, const char* key) {
    if (!from.contains(key)) throw std::invalid_argument(std::string("machine: the key ") + key + " is missing");
    to = nb::cast<T>(from[key]);
}

CacheDescription cache_from(const nb::dict& from) {
    CacheDescription cache;
    take(cache.size, from, "size");
    take(cache.line, from, "line");
    take(cache.ways, from, "ways");
    take(cache.hit, from, "hit");
    return cache;
}

MachineDescription machine_from(const nb::dict& from) {
    MachineDescription machine;
    take(machine.name, from, "name");
    take(machine.clock_mhz, from, "clock_mhz");
    take(machine.cores, from, "cores");
    const nb::dict core = from["core"], cost = core["cost"], network = from["network"], home = from["home"],
                   memory = from["memory"], kernel = from["kernel"];
    for (std::size_t i = 0; i < machine.core.cost.size(); ++i) take(machine.core.cost[i], cost, cost_names[i]);
    take(machine.core.issue_width, core, "issue_width");
    take(machine.core.taken_branch, core, "taken_branch");
    take(machine.core.store_buffer_drain, core, "store_buffer_drain");
    take(machine.core.fence_least, core, "fence_least");
    take(machine.core.outstanding_stores, core, "outstanding_stores");
    machine.l1d = cache_from(from["l1d"]);
    machine.l2 = cache_from(from["l2"]);
    take(machine.l2.store, from["l2"], "store");
    take(machine.network.columns, network, "columns");
    take(machine.network.rows, network, "rows");
    take(machine.network.hop, network, "hop");
    take(machine.network.inject, network, "inject");
    take(machine.network.eject, network, "eject");
    take(machine.network.flit, network, "flit");
    take(machine.network.header_flits, network, "header_flits");
    std::string policy;
    take(policy, home, "policy");
    machine.home.policy = policy == "fixed"         ? HomeDescription::Policy::fixed
                          : policy == "round_robin" ? HomeDescription::Policy::round_robin
                                                    : HomeDescription::Policy::hashed;
    take(machine.home.fixed_tile, home, "fixed_tile");
    take(machine.home.service, home, "service");
    take(machine.home.directory, home, "directory");
    take(machine.home.invalidate, home, "invalidate");
    take(machine.home.drop, home, "drop");
    take(machine.home.allocate, home, "allocate");
    take(machine.home.occupancy, home, "occupancy");
    take(machine.home.occupancy_word, home, "occupancy_word");
    take(machine.home.fill, home, "fill");
    for (nb::handle controller : nb::list(memory["controllers"])) {
        const nb::dict at = nb::cast<nb::dict>(controller);
        MemoryDescription::Controller position;
        take(position.column, at, "column");
        take(position.row, at, "row");
        machine.memory.controllers.push_back(position);
    }
    take(machine.memory.stripe, memory, "stripe");
    take(machine.memory.latency, memory, "latency");
    take(machine.memory.write_latency, memory, "write_latency");
    take(machine.memory.occupancy, memory, "occupancy");
    if (from.contains("user_network") && !from["user_network"].is_none()) {
        const nb::dict user = from["user_network"];
        machine.user_network.emplace();
        take(machine.user_network->inject, user, "inject");
        take(machine.user_network->eject, user, "eject");
        take(machine.user_network->words, user, "words");
        take(machine.user_network->buffer, user, "buffer");
        take(machine.user_network->interrupt, user, "interrupt");
    }
    take(machine.kernel.entry, kernel, "entry");
    take(machine.kernel.exit, kernel, "exit");
    take(machine.kernel.thread_start, kernel, "thread_start");
    return machine;
}

RunOptions options_from(const nb::dict& from, const nb::object& output, const nb::object& progress) {
    RunOptions options;
    const auto optional = [&](auto& to, const char* key) {
        if (from.contains(key) && !from[key].is_none()) to = nb::cast<std::decay_t<decltype(to)>>(from[key]);
    };
    optional(options.arguments, "arguments");
    optional(options.environment, "environment");
    if (from.contains("directories"))
        for (nb::handle pair : nb::list(from["directories"]))
            options.directories.push_back({nb::cast<std::string>(pair[0]), nb::cast<std::string>(pair[1])});
    optional(options.working_directory, "working_directory");
    optional(options.seed, "seed");
    optional(options.max_cycles, "max_cycles");
    optional(options.cores, "cores");
    optional(options.window, "window");
    optional(options.run_ahead, "run_ahead");
    optional(options.perturb, "perturb");
    optional(options.check_coherence, "check_coherence");
    optional(options.standard_input, "standard_input");
    if (!output.is_none())
        options.output = [output](int stream, std::string_view text) {
            const nb::gil_scoped_acquire held;
            output(stream, nb::bytes(text.data(), text.size()));
        };
    if (!progress.is_none())
        options.progress = [progress](const Progress& at) {
            const nb::gil_scoped_acquire held;
            return nb::cast<bool>(progress(at.cycles, at.instructions));
        };
    return options;
}

const char* name_of(Ending ending) {
    constexpr const char* names[] = {"exited", "deadlock", "cycle_limit", "interrupted", "fault"};
    return names[static_cast<std::size_t>(ending)];
}

nb::dict simulate_from_python(nb::bytes elf, const nb::dict& machine, const nb::dict& options, const nb::object& output,
                              const nb::object& progress) {
    const MachineDescription description = machine_from(machine);
    const RunOptions run = options_from(options, output, progress);
    const std::span image(reinterpret_cast<const std::uint8_t*>(elf.c_str()), elf.size());
    Outcome outcome;
    {
        const nb::gil_scoped_release released;
        outcome = simulate(description, image, run);
    }
    nb::list threads, statistics;
    for (const ThreadReport& thread : outcome.threads) {
        nb::dict row;
        row["thread"] = thread.thread;
        row["core"] = thread.core;
        row["pc"] = thread.pc;
        row["return_address"] = thread.return_address;
        row["state"] = thread.state;
        row["address"] = thread.address;
        row["registers"] = std::vector<std::uint64_t>(thread.registers.begin(), thread.registers.end());
        row["stack"] = nb::bytes(reinterpret_cast<const char*>(thread.stack.data()), thread.stack.size());
        threads.append(row);
    }
    for (const Statistic& row : outcome.statistics)
        statistics.append(nb::make_tuple(row.part, row.index, row.name, row.unit, row.value));
    nb::dict result;
    result["ending"] = name_of(outcome.ending);
    result["exit_code"] = outcome.exit_code;
    result["message"] = outcome.message;
    result["cycles"] = outcome.cycles;
    result["instructions"] = outcome.instructions;
    result["window"] = outcome.window;
    nb::list coherence;
    for (const CoherenceReport& report : outcome.coherence)
        coherence.append(nb::make_tuple(report.kind == CoherenceReport::Kind::stale_load ? "stale load" : "lost write",
                                        report.core, report.pc, report.time, report.address, report.got, report.latest,
                                        report.writer, report.writer_pc, report.writer_time));
    result["coherence"] = coherence;
    result["coherence_count"] = outcome.coherence_count;
    result["threads"] = threads;
    result["statistics"] = statistics;
    return result;
}

std::vector<std::string> instruction_names() {
    std::vector<std::string> names;
    for (std::uint16_t i = 1; i < static_cast<std::uint16_t>(Opcode::count); ++i)
        names.emplace_back(croftsim::name_of(static_cast<Opcode>(i)));
    return names;
}

// The C++ name of a mangled symbol; any other name as it is.
std::string demangle(const std::string& name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                           &std::free);
    return text ? text.get() : name;
}

std::size_t checked(std::uint32_t number) {
    if (number > 31) throw std::invalid_argument("there are registers 0 to 31");
    return number;
}

}  // namespace

NB_MODULE(_simulator, module) {
    module.doc() = "The croft simulator: runs static RISC-V Linux programs on described many-core machines.";
    nb::exception<BadProgram>(module, "BadProgram", PyExc_ValueError);
    module.def("simulate", &simulate_from_python, "elf"_a, "machine"_a, "options"_a, "output"_a = nb::none(),
               "progress"_a = nb::none(), "Runs one program on one machine; returns its outcome as a dictionary.");
    module.def("demangle", &demangle, "name"_a, "The C++ name of a mangled symbol; any other name as it is.");
    module.def("instruction_names", &instruction_names, "The mnemonics of all instructions the simulator executes.");
    module.def(
        "disassemble", [](std::uint32_t bits, std::uint64_t pc) { return disassemble(bits, pc); }, "bits"_a, "pc"_a = 0,
        "The instruction as text.");

    module.def(
        "contention",
        [](std::uint32_t clients, std::uint32_t service, std::uint32_t base_latency, std::uint32_t think,
           std::uint64_t requests, std::uint64_t seed) {
            const nb::gil_scoped_release released;
            return contention(clients, service, base_latency, think, requests, seed).response;
        },
        "clients"_a, "service"_a, "base_latency"_a, "think"_a, "requests"_a, "seed"_a = 1,
        "The mean response time, in cycles, of blocking clients of one server (machine/contention_probe.hpp).");

    nb::class_<HartProbe>(module, "HartProbe", "One bare core, for tests that compare instructions.")
        .def(nb::init<>())
        .def("map", &HartProbe::map, "address"_a, "bytes"_a)
        .def("write",
             [](HartProbe& probe, std::uint64_t address, nb::bytes bytes) {
                 probe.write(address, {reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()});
             })
        .def("read",
             [](HartProbe& probe, std::uint64_t address, std::size_t bytes) {
                 std::vector<std::uint8_t> buffer(bytes);
                 probe.read(address, buffer);
                 return nb::bytes(reinterpret_cast<const char*>(buffer.data()), buffer.size());
             })
        .def("x", [](HartProbe& probe, std::uint32_t i) { return probe.hart().x[checked(i)]; })
        .def("set_x",
             [](HartProbe& probe, std::uint32_t i, std::uint64_t value) {
                 if (checked(i) != 0) probe.hart().x[i] = value;
             })
        .def("f", [](HartProbe& probe, std::uint32_t i) { return probe.hart().f[checked(i)]; })
        .def("set_f", [](HartProbe& probe, std::uint32_t i, std::uint64_t bits) { probe.hart().f[checked(i)] = bits; })
        .def_prop_rw(
            "pc", [](HartProbe& probe) { return probe.hart().pc; },
            [](HartProbe& probe, std::uint64_t pc) { probe.hart().pc = pc; })
        .def_prop_rw(
            "fflags", [](HartProbe& probe) { return probe.hart().fflags; },
            [](HartProbe& probe, std::uint8_t flags) { probe.hart().fflags = flags & 31; })
        .def_prop_rw(
            "frm", [](HartProbe& probe) { return probe.hart().frm; },
            [](HartProbe& probe, std::uint8_t mode) { probe.hart().frm = mode & 7; })
        .def(
            "run",
            [](HartProbe& probe, std::uint64_t start, std::uint64_t max_cycles) {
                probe.hart().pc = start;
                return probe.run(max_cycles);
            },
            "start"_a, "max_cycles"_a = 1'000'000);
}
