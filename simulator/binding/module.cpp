// The simulator as a Python module, croft._simulator. Machines and options come as the plain dictionaries that the lab
// has checked (python/croft/machine_file.py, runner.py).

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "contract/simulation.hpp"
#include "contract/unexpected.hpp"
#include "host/live_host.hpp"
#include "host/scripted_host.hpp"
#include "isa/disassemble.hpp"
#include "machine/contention_probe.hpp"
#include "machine/description_keys.hpp"
#include "machine/probe.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace croftsim;

namespace {

// Goes down a nested dictionary by dotted keys.
class DictionaryReader {
public:
    explicit DictionaryReader(const nb::dict& from) : from_(from) {}

    template <class T>
    void read(const std::string& key, T& value) const {
        nb::object at = from_;
        for (std::size_t first = 0; first <= key.size();) {
            const std::size_t end = std::min(key.find('.', first), key.size());
            const std::string name = key.substr(first, end - first);
            if (nb::isinstance<nb::list>(at))
                at = nb::cast<nb::list>(at)[std::stoul(name)];
            else if (!nb::isinstance<nb::dict>(at) || !nb::cast<nb::dict>(at).contains(name.c_str()))
                throw std::invalid_argument("machine: the key " + key + " is missing");
            else
                at = nb::cast<nb::dict>(at)[name.c_str()];
            first = end + 1;
        }
        value = nb::cast<T>(at);
    }
    bool has(const std::string& section) const {
        nb::object at = from_;
        for (std::size_t first = 0; first <= section.size();) {
            const std::size_t end = std::min(section.find('.', first), section.size());
            const nb::str name(section.substr(first, end - first).c_str());
            if (!nb::isinstance<nb::dict>(at) || !nb::cast<nb::dict>(at).contains(name)) return false;
            at = at[name];
            first = end + 1;
        }
        return !at.is_none();
    }
    std::size_t count(const char* list) const {
        nb::object at = from_;
        for (std::string rest = list; !rest.empty();) {
            const std::size_t end = std::min(rest.find('.'), rest.size());
            at = nb::cast<nb::dict>(at)[rest.substr(0, end).c_str()];
            rest.erase(0, end + 1);
        }
        return nb::len(nb::list(at));
    }

private:
    const nb::dict& from_;
};

MachineDescription machine_from(const nb::dict& from) { return read_description(DictionaryReader(from)); }

RunOptions options_from(const nb::dict& from, HostSide* host, const nb::object& output, const nb::object& progress) {
    RunOptions options;
    options.host = host;
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
    optional(options.fast_forward, "fast_forward");
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
                              const nb::object& progress, HostSide* host) {
    const MachineDescription description = machine_from(machine);
    const RunOptions run = options_from(options, host, output, progress);
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

nb::bytes as_bytes(const std::vector<std::uint8_t>& bytes) {
    return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
std::vector<std::uint8_t> as_vector(const nb::bytes& bytes) {
    const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.c_str());
    return {first, first + bytes.size()};
}

// Who is at the other end of a host link. Waiting releases the interpreter, for at most the milliseconds given.
void bind_hosts(nb::module_& module) {
    nb::exception<HostEnded>(module, "HostEnded", PyExc_RuntimeError);
    nb::class_<HostSide>(module, "HostSide");
    nb::class_<ScriptedHost, HostSide>(module, "ScriptedHost")
        .def(
            "__init__",
            [](ScriptedHost* at, const nb::list& messages, std::uint64_t count, std::uint64_t every,
               std::uint32_t input_slots, std::uint32_t output_slots) {
                ScriptedHost::Script script{{}, count, every, {input_slots, output_slots}};
                for (nb::handle message : messages) script.messages.push_back(as_vector(nb::cast<nb::bytes>(message)));
                new (at) ScriptedHost(std::move(script));
            },
            "messages"_a, "count"_a, "every"_a, "input_slots"_a, "output_slots"_a)
        .def_prop_ro("closed", &ScriptedHost::was_closed)
        .def_prop_ro("results", [](const ScriptedHost& host) {
            nb::list results;
            for (const ScriptedHost::Result& result : host.results())
                results.append(nb::make_tuple(result.cycle, as_bytes(result.bytes)));
            return results;
        });
    nb::class_<LiveHost, HostSide>(module, "LiveHost")
        .def(
            "__init__",
            [](LiveHost* at, std::uint32_t input_slots, std::uint32_t output_slots) {
                new (at) LiveHost({input_slots, output_slots});
            },
            "input_slots"_a, "output_slots"_a)
        .def("offload",
             [](LiveHost& host, const nb::bytes& message, int milliseconds) {
                 std::vector<std::uint8_t> bytes = as_vector(message);
                 const nb::gil_scoped_release released;
                 return host.offload(bytes, std::chrono::milliseconds(milliseconds));
             })
        .def("get",
             [](LiveHost& host, int milliseconds) -> std::optional<nb::bytes> {
                 std::optional<std::vector<std::uint8_t>> found;
                 {
                     const nb::gil_scoped_release released;
                     found = host.get(std::chrono::milliseconds(milliseconds));
                 }
                 return found ? std::optional(as_bytes(*found)) : std::nullopt;
             })
        .def_prop_ro("exhausted", &LiveHost::exhausted)
        .def_prop_ro("stopping", &LiveHost::stopping)
        .def("close", &LiveHost::close)
        .def("stop", &LiveHost::stop)
        .def("finish", &LiveHost::finished);
}

}  // namespace

NB_MODULE(_simulator, module) {
    module.doc() = "The croft simulator: runs static RISC-V Linux programs on described many-core machines.";
    nb::exception<BadProgram>(module, "BadProgram", PyExc_ValueError);
    nb::exception<SimulatorFault>(module, "SimulatorFault", PyExc_RuntimeError);
    module.def("simulate", &simulate_from_python, "elf"_a, "machine"_a, "options"_a, "output"_a = nb::none(),
               "progress"_a = nb::none(), "host"_a.none() = nb::none(),
               "Runs one program on one machine; returns its outcome as a dictionary.");
    module.def("demangle", &demangle, "name"_a, "The C++ name of a mangled symbol; any other name as it is.");
    module.def("instruction_names", &instruction_names, "The mnemonics of all instructions the simulator executes.");
    module.def(
        "disassemble", [](std::uint32_t bits, std::uint64_t pc) { return disassemble(bits, pc); }, "bits"_a, "pc"_a = 0,
        "The instruction as text.");

    bind_hosts(module);
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
