#include "binding/debug_information.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <unordered_map>

#include "debug_info/debug_information.hpp"

namespace croftsim {
namespace {

namespace nb = nanobind;
using namespace nb::literals;
using namespace debug_info;

Bytes bytes_in(const nb::bytes& object) {
    return {reinterpret_cast<const std::uint8_t*>(object.c_str()), object.size()};
}

nb::bytes bytes_from(Bytes bytes) { return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size()); }

// Texts of a program's tables as Python's: each place in memory once. Bytes that are no UTF-8 become replacement
// characters.
class Texts {
public:
    nb::object operator()(std::string_view text) {
        nb::object& made = made_[text.data()];
        if (!made.is_valid()) {
            made = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
            if (!made.is_valid()) throw nb::python_error();
        }
        return made;
    }

private:
    std::unordered_map<const char*, nb::object> made_;
};

// A program's file, and what is read of it.
class Program {
public:
    Program(nb::bytes elf, const nb::object& inflate)
        : elf_(std::move(elf)), information_(bytes_in(elf_), [&](Bytes compressed, std::uint64_t size) {
              const auto held = nb::cast<nb::bytes>(inflate(bytes_from(compressed), size));
              const Bytes made = bytes_in(held);
              return std::vector<std::uint8_t>(made.begin(), made.end());
          }) {}

    nb::bytes section(const std::string& name) const { return bytes_from(information_.section(name)); }
    bool covers(std::uint64_t address) { return information_.covers(address); }

    nb::list symbols(SymbolKind kind) {
        Texts texts;
        nb::list made;
        for (const Symbol& symbol : information_.symbols(kind))
            made.append(nb::make_tuple(symbol.begin, symbol.bytes, texts(symbol.name)));
        return made;
    }

    nb::list places(const std::vector<std::uint64_t>& addresses) {
        Texts texts;
        nb::list made;
        for (const UnitPlaces::Places& chain : information_.places(addresses)) {
            nb::list places;
            for (const Place& place : chain)
                places.append(nb::make_tuple(texts(place.function), texts(place.file), place.line));
            made.append(nb::tuple(places));
        }
        return made;
    }

    nb::list lines() {
        Texts texts;
        nb::list made;
        for (const SourceLine& line : information_.lines())
            made.append(nb::make_tuple(line.begin, line.end, texts(*line.file), line.line));
        return made;
    }

    nb::tuple find_named(const std::vector<std::string>& labels, const std::vector<std::string>& functions) {
        const NamedCode found = information_.find_named(labels, functions);
        nb::list labelled, pieces;
        for (const auto& [address, name] : found.labels) labelled.append(nb::make_tuple(address, name));
        for (const auto& [range, name] : found.functions) pieces.append(nb::make_tuple(range.begin, range.end, name));
        return nb::make_tuple(labelled, pieces);
    }

    std::vector<std::uint64_t> callers(std::uint64_t pc, const std::vector<std::uint64_t>& registers,
                                       const nb::bytes& stack, std::uint64_t moved) {
        Stopped at{pc, {}, bytes_in(stack)};
        std::copy_n(registers.begin(), std::min(registers.size(), at.registers.size()), at.registers.begin());
        return information_.callers(at, moved);
    }

private:
    nb::bytes elf_;  // to which the rest refers
    DebugInformation information_;
};

}  // namespace

void bind_debug_information(nb::module_& module) {
    nb::class_<Program>(module, "DebugInformation",
                        "What a program's file says of itself. Addresses are those of its tables; damaged tables say "
                        "nothing, or less.")
        .def(nb::init<nb::bytes, const nb::object&>(), "elf"_a, "inflate"_a,
             "`inflate(compressed, size)` undoes zlib's compression, or returns nothing for what is damaged.")
        .def("section", &Program::section, "name"_a, "The bytes of a section; none if there is no such section.")
        .def("covers", &Program::covers, "address"_a, "Whether debug information covers an address.")
        .def(
            "functions", [](Program& program) { return program.symbols(SymbolKind::function); },
            "Each in ascending order as (begin, bytes, name for the linker).")
        .def(
            "variables", [](Program& program) { return program.symbols(SymbolKind::object); },
            "Those with static storage, as functions().")
        .def("places", &Program::places, "addresses"_a,
             "For each address a tuple of (name for the linker, file, line), the innermost inlined function first. "
             "The last has no name: it is the function at the address. Empty where no debug information covers one.")
        .def("lines", &Program::lines, "All ranges of instructions as (begin, end, file, line).")
        .def(
            "find_named", &Program::find_named, "labels"_a, "functions"_a,
            "Labels of these names as (address, number of its name), and the code of functions of these names, inlined "
            "or not, as (begin, end, number of its name).")
        .def("callers", &Program::callers, "pc"_a, "registers"_a, "stack"_a, "moved"_a,
             "The addresses of the calls under way, innermost first, of a program that runs `moved` bytes from where "
             "its tables say it is.");
}

}  // namespace croftsim
