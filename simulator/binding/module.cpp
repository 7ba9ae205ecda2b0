// The simulator as a Python module, croft._simulator. Machines and options come as plain dictionaries.

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/build_identity.hpp"
#include "binding/debug_information.hpp"
#include "contract/simulation.hpp"
#include "contract/unexpected.hpp"
#include "description/nearest.hpp"
#include "description/read.hpp"
#include "description/schema.hpp"
#include "host/live_host.hpp"
#include "host/scripted_host.hpp"
#include "isa/disassemble.hpp"
#include "kernel/elf.hpp"
#include "machine/contention_probe.hpp"
#include "machine/probe.hpp"
#include "network/network.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace croftsim;

namespace {

Value value_from(nb::handle from) {
    if (from.is_none()) return {};
    if (nb::isinstance<nb::bool_>(from)) return {nb::cast<bool>(from)};
    std::int64_t whole = 0;
    if (nb::isinstance<nb::int_>(from) && nb::try_cast(from, whole)) return {whole};
    if (nb::isinstance<nb::float_>(from)) return {nb::cast<double>(from)};
    if (nb::isinstance<nb::str>(from)) return {nb::cast<std::string>(from)};
    if (nb::isinstance<nb::dict>(from)) {
        Table table;
        for (const auto& [key, value] : nb::cast<nb::dict>(from))
            table.add(nb::cast<std::string>(nb::str(key)), value_from(value));
        return {std::move(table)};
    }
    if (nb::isinstance<nb::list>(from) || nb::isinstance<nb::tuple>(from)) {
        List list;
        for (nb::handle value : from) list.push_back(value_from(value));
        return {std::move(list)};
    }
    return {Value::Other{nb::cast<std::string>(nb::repr(from))}};
}

nb::object python_from(const Value& from) {
    struct Made {
        nb::object operator()(std::monostate) const { return nb::none(); }
        nb::object operator()(bool value) const { return nb::bool_(value); }
        nb::object operator()(std::int64_t value) const { return nb::int_(value); }
        nb::object operator()(double value) const { return nb::float_(value); }
        nb::object operator()(const std::string& value) const { return nb::str(value.c_str(), value.size()); }
        nb::object operator()(const Table& table) const {
            nb::dict made;
            for (const auto& [key, value] : table.entries) made[key.c_str()] = python_from(value);
            return made;
        }
        nb::object operator()(const List& list) const {
            nb::list made;
            for (const Value& value : list) made.append(python_from(value));
            return made;
        }
        nb::object operator()(const Value::Other& other) const { return nb::str(other.text.c_str()); }
    };
    return std::visit(Made{}, from.is);
}

Reading read_from(const nb::dict& from) { return read(std::get<Table>(value_from(from).is)); }

// A machine's values as its file would say them in full, and a sentence for each mistake.
nb::tuple read_machine_from_python(const nb::dict& from) {
    const Reading reading = read_from(from);
    std::vector<std::string> sentences;
    for (const Problem& problem : reading.problems.all()) sentences.push_back(problem.sentence);
    return nb::make_tuple(python_from({reading.values}), sentences);
}

// As the arrays of numbers that they are, which python/croft/ takes apart.
template <class T>
nb::bytes bytes_of(const std::vector<T>& rows) {
    static_assert(std::has_unique_object_representations_v<T>);
    return nb::bytes(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T));
}

// Where what is attached to a machine's routers is: lists of (column, row), with its chips beside each other.
nb::dict machine_places_from_python(const nb::dict& from) {
    Reading reading = read_from(from);
    reading.problems.raise("machine");
    nb::dict made;
    for_each_attached(reading.machine, [&](const char* key, const std::vector<Attachment>& places, Placement) {
        nb::list listed;
        for (const Attachment& at : places)
            listed.append(nb::make_tuple(at.chip * reading.machine.network.columns + at.column, at.row));
        made[key] = listed;
    });
    return made;
}

// The links between a machine's routers: (number, from, to).
nb::list machine_links_from_python(const nb::dict& from) {
    const Reading reading = read_from(from);
    reading.problems.raise("machine");
    nb::list made;
    Chips(reading.machine.network).for_each_link([&](std::uint32_t link, std::uint32_t begin, std::uint32_t end) {
        made.append(nb::make_tuple(link, begin, end));
    });
    return made;
}

// For each tile, the cycles from it to each tile on idle links, from router to router.
nb::bytes machine_ways_from_python(const nb::dict& from) {
    const Reading reading = read_from(from);
    reading.problems.raise("machine");
    const Network network(reading.machine);
    std::vector<std::uint64_t> ways;
    const std::uint32_t tiles = reading.machine.tiles();
    for (std::uint32_t one = 0; one < tiles; ++one)
        for (std::uint32_t other = 0; other < tiles; ++other)
            ways.push_back(one == other ? 0 : network.signal(one, other, 0).arrival);
    return bytes_of(ways);
}

nb::list python_from(const std::vector<Key>& keys) {
    nb::list made;
    for (const Key& key : keys) {
        nb::dict row;
        row["name"] = key.name;
        row["allowed"] = key.allowed;
        row["unit"] = key.unit;
        row["meaning"] = key.meaning;
        row["optional"] = key.optional;
        row["is_table"] = key.kind == Key::Kind::table;
        row["keys"] = python_from(key.keys);
        made.append(row);
    }
    return made;
}

std::span<const std::uint8_t> span_of(const nb::bytes& bytes) {
    return {reinterpret_cast<const std::uint8_t*>(bytes.c_str()), bytes.size()};
}

// The arguments of croft.watching.sample.Sample.
nb::tuple python_from(const Sample& sample) {
    nb::list links;
    for (const auto& mesh : sample.links) links.append(bytes_of(mesh));
    return nb::make_tuple(sample.cycles, bytes_of(sample.activities), bytes_of(sample.instructions), sample.spent,
                          links);
}

RunOptions options_from(const nb::dict& from, HostSide* host, const nb::object& output, const nb::object& progress) {
    RunOptions options;
    options.host = host;
    const auto optional = [&](auto& to, const char* key) {
        if (from.contains(key) && !from[key].is_none()) to = nb::cast<std::decay_t<decltype(to)>>(from[key]);
    };
    optional(options.arguments, "arguments");
    optional(options.environment, "environment");
    if (from.contains("directories"))
        for (nb::handle granted : nb::list(from["directories"]))
            options.directories.push_back(
                {nb::cast<std::string>(granted[0]), nb::cast<std::string>(granted[1]), nb::cast<bool>(granted[2])});
    optional(options.working_directory, "working_directory");
    optional(options.seed, "seed");
    optional(options.max_cycles, "max_cycles");
    optional(options.max_memory, "max_memory");
    optional(options.cores, "cores");
    optional(options.core_order, "core_order");
    optional(options.window, "window");
    optional(options.run_ahead, "run_ahead");
    optional(options.perturb, "perturb");
    optional(options.check_coherence, "check_coherence");
    optional(options.check_races, "check_races");
    if (from.contains("race_sites"))
        for (nb::handle site : nb::list(from["race_sites"]))
            options.race_sites.push_back({nb::cast<std::uint64_t>(site[0]), nb::cast<std::uint64_t>(site[1]),
                                          static_cast<RaceSite::Kind>(nb::cast<int>(site[2]))});
    if (from.contains("landmarks"))
        for (nb::handle one : nb::list(from["landmarks"]))
            options.landmarks.push_back(
                {nb::cast<std::uint64_t>(one[0]), nb::cast<std::uint32_t>(one[1]), nb::cast<bool>(one[2])});
    if (from.contains("handovers"))
        for (nb::handle code : nb::list(from["handovers"]))
            options.handovers.push_back({nb::cast<std::uint64_t>(code[0]), nb::cast<std::uint64_t>(code[1]),
                                         static_cast<Handover::Kind>(nb::cast<int>(code[2]))});
    optional(options.standard_input, "standard_input");
    optional(options.samples, "samples");
    optional(options.interval, "interval");
    optional(options.each_region, "each_region");
    optional(options.each_link, "each_link");
    optional(options.profile, "profile");
    optional(options.fast_forward, "fast_forward");
    optional(options.strict_system_calls, "strict_system_calls");
    optional(options.trace_limit, "trace_limit");
    optional(options.trace_from, "trace_from");
    optional(options.trace_to, "trace_to");
    optional(options.lines_limit, "lines_limit");
    if (from.contains("homes"))
        for (nb::handle range : nb::list(from["homes"]))
            options.homes.push_back({nb::cast<std::uint64_t>(range[0]), nb::cast<std::uint64_t>(range[1]),
                                     nb::cast<std::uint32_t>(range[2])});
    if (from.contains("followed"))
        for (nb::handle function : nb::list(from["followed"]))
            options.followed.push_back({nb::cast<std::uint64_t>(function[0]), nb::cast<std::uint8_t>(function[1])});
    // Handles, because the options are copied without holding the interpreter; the caller has the objects.
    if (!output.is_none())
        options.output = [output = nb::handle(output)](int stream, std::string_view text) {
            const nb::gil_scoped_acquire held;
            output(stream, nb::bytes(text.data(), text.size()));
        };
    if (!progress.is_none())
        options.progress = [progress = nb::handle(progress)](const Progress& at) {
            const nb::gil_scoped_acquire held;
            if (!at.sample) return nb::cast<bool>(progress(at.cycles, at.instructions));
            return nb::cast<bool>(progress(at.cycles, at.instructions, python_from(*at.sample)));
        };
    return options;
}

// Checkpoints, and the one to go on from. `keep`: an object with keep(cycles, state, problem), due() and every
// (cycles).
void add_checkpoints(RunOptions& options, const nb::object& keep, const std::optional<nb::bytes>& restore) {
    if (restore) options.restore = span_of(*restore);
    if (keep.is_none()) return;
    options.checkpoint_every = nb::cast<std::uint64_t>(keep.attr("every"));
    options.checkpoint = [keep = nb::handle(keep)](const Snapshot& snapshot) {
        const nb::gil_scoped_acquire held;
        keep.attr("keep")(snapshot.at.cycles, nb::bytes(snapshot.state.data(), snapshot.state.size()),
                          snapshot.problem);
    };
    options.checkpoint_due = [keep = nb::handle(keep)] {
        const nb::gil_scoped_acquire held;
        return nb::cast<bool>(keep.attr("due")());
    };
}

nb::list python_from(const std::vector<Interval>& intervals) {
    nb::list made;
    for (const Interval& one : intervals) made.append(nb::make_tuple(one.begin, one.end, one.place, one.grew));
    return made;
}

nb::list python_from(const std::vector<CallNode>& calls) {
    nb::list made;
    for (const CallNode& call : calls) made.append(nb::make_tuple(call.parent, call.return_address, call.is_interrupt));
    return made;
}

nb::dict python_from(const Profile& profile) {
    nb::dict made;
    made["calls"] = python_from(profile.calls);
    made["rows"] = bytes_of(profile.rows);
    return made;
}

nb::dict python_from(const Lines& lines) {
    nb::dict made;
    made["calls"] = python_from(lines.calls);
    made["lines"] = bytes_of(lines.lines);
    made["uses"] = bytes_of(lines.uses);
    made["allocations"] = bytes_of(lines.allocations);
    made["placed"] = bytes_of(lines.placed);
    made["waits"] = bytes_of(lines.waits);
    made["channels"] = bytes_of(lines.channels);
    made["unreceived"] = lines.unreceived;
    made["left_out"] = lines.left_out;
    return made;
}

const char* name_of(Ending ending) {
    constexpr const char* names[] = {"exited", "deadlock", "cycle_limit", "interrupted", "fault"};
    return names[static_cast<std::size_t>(ending)];
}

nb::dict simulate_from_python(nb::bytes elf, const nb::dict& machine, const nb::dict& options, const nb::object& output,
                              const nb::object& progress, HostSide* host, const nb::object& keep,
                              const std::optional<nb::bytes>& restore) {
    const Reading reading = read_from(machine);
    reading.problems.raise("machine");
    const MachineDescription& description = reading.machine;
    RunOptions run = options_from(options, host, output, progress);
    add_checkpoints(run, keep, restore);
    const std::span image = span_of(elf);
    Outcome outcome;
    {
        const nb::gil_scoped_release released;
        outcome = simulate(description, image, run);
    }
    nb::list threads;
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
    const auto rows_of = [](const std::vector<Statistic>& from) {
        nb::list rows;
        for (const Statistic& row : from)
            rows.append(nb::make_tuple(row.part, row.index, row.name, row.unit, row.value));
        return rows;
    };
    nb::dict result;
    result["ending"] = name_of(outcome.ending);
    result["exit_code"] = outcome.exit_code;
    result["message"] = outcome.message;
    result["cycles"] = outcome.cycles;
    result["instructions"] = outcome.instructions;
    result["window"] = outcome.window;
    nb::list coherence;
    const auto as_tuple = [](const CoherenceReport& report) {
        constexpr const char* kinds[] = {"stale load", "lost write", "racing load", "lost store"};
        return nb::make_tuple(kinds[static_cast<std::size_t>(report.kind)], report.core, report.pc, report.time,
                              report.address, report.got, report.latest, report.writer, report.writer_pc,
                              report.writer_time);
    };
    for (const CoherenceReport& report : outcome.coherence) coherence.append(as_tuple(report));
    result["coherence"] = coherence;
    result["racing_count"] = outcome.racing_count;
    if (outcome.racing_count) result["longest_racing"] = as_tuple(outcome.longest_racing);
    result["coherence_count"] = outcome.coherence_count;
    nb::list races;
    const auto side = [](const RaceReport::Side& one) {
        return nb::make_tuple(one.core, one.pc, one.time, one.return_address, one.writes, one.is_atomic);
    };
    for (const RaceReport& race : outcome.races)
        races.append(
            nb::make_tuple(race.address, race.size, race.count, side(race.first), side(race.second), race.ordered_by));
    result["races"] = races;
    result["race_count"] = outcome.race_count;
    nb::dict unsimulated;
    for (const auto& [name, count] : outcome.unsimulated) unsimulated[name.c_str()] = count;
    result["unsimulated"] = unsimulated;
    result["threads"] = threads;
    result["statistics"] = rows_of(outcome.statistics);
    result["counts"] = rows_of(outcome.counts);
    result["intervals"] = python_from(outcome.intervals);
    result["regions"] = python_from(outcome.regions);
    result["profile"] = python_from(outcome.profile);
    result["lines"] = python_from(outcome.lines);
    const Trace& trace = outcome.trace;
    nb::list names;
    for (const std::string& name : trace.names) names.append(nb::str(name.c_str(), name.size()));
    result["trace"] = nb::make_tuple(nb::bytes(trace.packets.data(), trace.packets.size()), trace.left_out,
                                     trace.left_out_from, names);
    const FastForwarded& before = outcome.fast_forwarded;
    result["fast_forwarded"] = nb::make_tuple(before.has_come, before.instructions, before.begins, before.lines);
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

// The other ends of a link to a host. Waiting releases the interpreter, for at most the milliseconds given.
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
    module.attr("PIE_BASE") = Elf::pie_base;
    nb::exception<BadProgram>(module, "BadProgram", PyExc_ValueError);
    nb::exception<SimulatorFault>(module, "SimulatorFault", PyExc_RuntimeError);
    nb::exception<CheckpointError>(module, "CheckpointError", PyExc_RuntimeError);
    module.def("build_identity", &build_identity,
               "Tells builds of the simulator apart: a checkpoint is of one of them.");
    module.def("simulate", &simulate_from_python, "elf"_a, "machine"_a, "options"_a, "output"_a = nb::none(),
               "progress"_a = nb::none(), "host"_a.none() = nb::none(), "keep"_a = nb::none(),
               "restore"_a.none() = nb::none(),
               "Runs one program on one machine; returns its outcome as a dictionary.");
    module.def("machine_places", &machine_places_from_python, "machine"_a,
               "Where its memory controllers and banks are: lists of (column, row) by their keys.");
    module.def("machine_links", &machine_links_from_python, "machine"_a,
               "The links between its routers: the number of each and those of the routers that it leads from and to.");
    module.def("machine_ways", &machine_ways_from_python, "machine"_a,
               "The cycles from each tile to each tile on idle links, from router to router, as an array of numbers.");
    module.def("read_machine", &read_machine_from_python, "values"_a,
               "Checks a machine; returns its values, all keys in their order, and a sentence for each mistake.");
    module.def(
        "machine_keys", [] { return python_from(schema()); },
        "All keys of a machine file: name, what is allowed, unit, meaning, and for a table its own keys.");
    module.def("nearest", &nearest, "word"_a, "known"_a, "The known word that was probably meant, or none.");
    module.def("demangle", &demangle, "name"_a, "The C++ name of a mangled symbol; any other name as it is.");
    module.def("instruction_names", &instruction_names, "The mnemonics of all instructions the simulator executes.");
    module.def(
        "disassemble", [](std::uint32_t bits, std::uint64_t pc) { return disassemble(bits, pc); }, "bits"_a, "pc"_a = 0,
        "The instruction as text.");

    nb::list causes;
    for (const char* cause : profile_causes()) causes.append(cause);
    module.attr("PROFILE_CAUSES") = nb::tuple(causes);

    nb::list activities;
    for (const char* activity : activity_names) activities.append(activity);
    module.attr("ACTIVITIES") = nb::tuple(activities);

    bind_hosts(module);
    bind_debug_information(module);
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
