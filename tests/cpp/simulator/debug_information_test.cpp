#include <doctest/doctest.h>

#include <cstdlib>

#include "debug_image.hpp"
#include "debug_info/debug_information.hpp"

using namespace croftsim;
using namespace croftsim::debug_info;

namespace {

constexpr std::uint64_t main_begins = 0x1000, main_bytes = 0x40;

// Attributes and forms of DWARF 5, with which the entries below are written.
TableBytes abbreviations() {
    TableBytes table;
    table.all({1, 0x11, 1, 0x10, 0x17, 0x11, 0x01, 0x12, 0x06, 0x1b, 0x08, 0, 0});        // unit
    table.all({2, 0x2e, 1, 0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0, 0});                    // function: name, code
    table.all({3, 0x2e, 0, 0x03, 0x08, 0x6e, 0x08, 0, 0});                                // as it was written
    table.all({4, 0x1d, 1, 0x31, 0x13, 0x55, 0x17, 0x58, 0x0b, 0x59, 0x21, 9, 0, 0});     // inlined, by ranges
    table.all({5, 0x0a, 0, 0x03, 0x08, 0x11, 0x01, 0, 0});                                // label
    table.all({6, 0x1d, 0, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x58, 0x0b, 0x59, 0x0b});  // inlined, by beginning
    table.all({0, 0, 7, 0x2e, 0, 0x31, 0x13, 0, 0, 0});                                   // written elsewhere
    return table;
}

// A program with one function, main(), that has twice() inlined, and in that once(). Or it has instances of functions
// inlined that are instances of each other.
struct Program {
    DebugImage image;

    explicit Program(bool circle = false) {
        auto& sections = image.sections;
        sections[".debug_abbrev"] = abbreviations();
        sections[".debug_str"].text("").text("main");
        TableBytes unit;
        unit.u16(5).u8(1).u8(8).u32(0);
        unit.u8(1).u32(0).u64(main_begins).u32(main_bytes).text("/home/me");
        const auto here = [&] { return unit.bytes.size() + 4; };  // behind the length
        std::uint64_t once = here();
        unit.u8(3).text("once").text("_Z4oncev");
        std::uint64_t twice = here();
        unit.u8(3).text("twice").text("_Z5twicev");
        const std::uint64_t first = here(), second = first + 5;
        unit.u8(7).u32(second).u8(7).u32(first);
        if (circle) once = first, twice = second;
        unit.u8(2).u32(1).u64(main_begins).u32(main_bytes);
        unit.u8(4).u32(twice).u32(0).u8(1);
        unit.u8(6).u32(once).u64(main_begins + 0x12).u32(4).u8(1).u8(5);
        unit.u8(0);
        unit.u8(5).text("croft_begins_task").u64(main_begins + 0x20);
        unit.u8(0).u8(0);
        sections[".debug_info"].unit(unit);
        // Two pieces: 0x10 to 0x18, and 0x30 to 0x34 by its address.
        sections[".debug_rnglists"].all({4, 0x10, 0x18, 7}).u64(main_begins + 0x30).all({4, 0});
        sections[".debug_line"].unit(lines());
        sections[".strtab"].text("").text("main").text("counter");
        auto& symbols = sections[".symtab"];
        symbols.u32(0).u32(0).u64(0).u64(0);
        symbols.u32(6).u8(1).u8(0).u16(1).u64(0x3000).u64(8);
        symbols.u32(1).u8(2).u8(0).u16(1).u64(main_begins).u64(main_bytes);
        sections[".eh_frame"] = frames();
        image.addresses[".eh_frame"] = 0x2000;
    }

    static TableBytes lines() {
        TableBytes behind;
        behind.u8(1).u8(1).u8(1).u8(0xfb).u8(14).u8(13).all({0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
        behind.all({1, 1, 0x08, 2}).text("/home/me").text("lib");  // folders: path as text
        behind.all({2, 1, 0x08, 2, 0x0b, 2}).text("main.cpp").u8(0).text("once.hpp").u8(1);
        TableBytes table;
        table.u16(5).u8(8).u8(0).u32(behind.bytes.size()).table(behind);
        table.all({0, 9, 2}).u64(main_begins).all({4, 0, 1});  // main.cpp, line 1
        table.all({2, 0x10, 3, 2, 4, 1, 1});                   // 0x10: once.hpp, line 3
        table.all({2, 0x08, 3, 4, 4, 0, 1});                   // 0x18: main.cpp, line 7
        table.all({2, 0x28, 0, 1, 1});                         // up to 0x40
        return table;
    }

    static TableBytes frames() {
        TableBytes common, function;
        common.u32(0).u8(1).text("zR").u8(1).u8(0x7c).u8(1).u8(1).u8(0x1b).all({0x0c, 2, 0});
        const std::uint64_t place = 4 + common.bytes.size() + 8;  // of where the function begins
        function.u32(4 + common.bytes.size() + 4).u32(main_begins - (0x2000 + place)).u32(main_bytes).u8(0);
        function.all({0x42, 0x0e, 16, 0x81, 2});  // from 2 on: 16 bytes of stack, ra in the upper half
        return TableBytes().unit(common).unit(function).u32(0);
    }
};

std::vector<std::uint8_t> nothing(Bytes, std::uint64_t) { return {}; }

std::vector<Place> places_at(DebugInformation& of, std::uint64_t address) { return of.places({address})[0]; }

// Whatever may be asked. Damage may cost answers; that it costs nothing else is for the sanitizers to say, too.
std::size_t ask_everything(const std::vector<std::uint8_t>& file) {
    DebugInformation of(file, nothing);
    std::size_t found = of.symbols(SymbolKind::function).size() + of.symbols(SymbolKind::object).size();
    std::vector<std::uint64_t> addresses;
    for (std::uint64_t at = main_begins - 2; at < main_begins + main_bytes + 2; at += 2) addresses.push_back(at);
    for (const auto& chain : of.places(addresses)) {
        found += chain.size();
        for (const Place& place : chain) found += place.file.size() + place.function.size();
    }
    found += of.lines().size() + of.covers(main_begins);
    const NamedCode named = of.find_named({"croft_begins_task"}, {"main", "once"});
    found += named.labels.size() + named.functions.size();
    const std::vector<std::uint8_t> stack(64, 0x10);
    return found + of.callers({main_begins + 2, {0, 0, 1 << 20}, stack}, 0).size();
}

}  // namespace

TEST_CASE("symbols, lines, inlined calls, labels and callers of a small program") {
    const auto file = Program().image.bytes();
    DebugInformation of(file, nothing);
    const auto functions = of.symbols(SymbolKind::function);
    REQUIRE(functions.size() == 1);
    CHECK(functions[0].name == "main");
    CHECK(functions[0].begin == main_begins);
    CHECK(of.symbols(SymbolKind::object).at(0).name == "counter");
    CHECK(of.section(".strtab").size() == 14);
    CHECK(of.section(".nowhere").empty());

    CHECK(of.covers(main_begins));
    CHECK_FALSE(of.covers(main_begins + main_bytes));
    CHECK(places_at(of, main_begins + main_bytes).empty());
    const auto own = places_at(of, main_begins);
    REQUIRE(own.size() == 1);
    CHECK(own[0].function.empty());
    CHECK(own[0].file == "/home/me/main.cpp");
    CHECK(own[0].line == 1);
    const auto chain = places_at(of, main_begins + 0x14);
    REQUIRE(chain.size() == 3);
    CHECK(chain[0].function == "_Z4oncev");
    CHECK(chain[0].file == "/home/me/lib/once.hpp");
    CHECK(chain[0].line == 3);
    CHECK(chain[1].function == "_Z5twicev");
    CHECK(chain[1].line == 5);
    CHECK(chain[2].function.empty());
    CHECK(chain[2].line == 9);
    CHECK(places_at(of, main_begins + 0x16).size() == 2);
    CHECK(places_at(of, main_begins + 0x18).size() == 1);
    CHECK(places_at(of, main_begins + 0x30).size() == 2);
    CHECK(of.lines().size() == 3);

    const NamedCode named = of.find_named({"nothing", "croft_begins_task"}, {"main"});
    REQUIRE(named.labels.size() == 1);
    CHECK(named.labels[0].address == main_begins + 0x20);
    CHECK(named.labels[0].name == 1);
    REQUIRE(named.functions.size() == 1);
    CHECK(named.functions[0].range.end == main_begins + main_bytes);
    CHECK(of.find_named({}, {"once", "twice"}).functions.size() == 3);

    std::vector<std::uint8_t> stack(64);
    stack[9] = 0x10;  // at 8, the address main_begins
    Stopped at{main_begins + 2, {0, 0, 1 << 20}, stack};
    CHECK(of.callers(at, 0) == std::vector<std::uint64_t>{main_begins + 2, main_begins - 1});
    at.stack = {};
    CHECK(of.callers(at, 0) == std::vector<std::uint64_t>{main_begins + 2});
    at.pc += 1 << 30;
    CHECK(of.callers(at, 1 << 30).size() == 1);
}

TEST_CASE("sections that end anywhere, and bytes that are anything, cost answers and nothing else") {
    const Program sound;
    const std::size_t all = ask_everything(sound.image.bytes());
    for (const auto& [name, table] : sound.image.sections) {
        CAPTURE(name);
        std::size_t fewest = all;
        for (std::size_t size = 0; size < table.bytes.size(); ++size) {
            Program cut;
            cut.image.sections[name].bytes.resize(size);
            fewest = std::min(fewest, ask_everything(cut.image.bytes()));
        }
        CHECK(fewest < all);
        for (std::size_t at = 0; at < table.bytes.size(); ++at)
            for (const int byte : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
                Program changed;
                changed.image.sections[name].bytes[at] = static_cast<std::uint8_t>(byte);
                ask_everything(changed.image.bytes());
            }
    }
    const auto file = sound.image.bytes();
    for (std::size_t size = 0; size < file.size(); ++size) ask_everything({file.begin(), file.begin() + size});
}

TEST_CASE("functions that are instances of each other in a circle have no name") {
    const auto file = Program(true).image.bytes();
    DebugInformation of(file, nothing);
    const auto chain = places_at(of, main_begins + 0x14);
    REQUIRE(chain.size() == 3);
    CHECK(chain[0].function == "?");
    CHECK(chain[1].function == "?");
    const NamedCode named = of.find_named({"croft_begins_task"}, {"main", "once"});
    CHECK(named.labels.size() == 1);
    CHECK(named.functions.size() == 1);
}

TEST_CASE("lists that are longer than their bytes, and units that all name one list, take no time") {
    Program program;
    // 2^62 files without bytes, for each of which nothing says a form.
    TableBytes behind;
    behind.u8(1).u8(1).u8(1).u8(0xfb).u8(14).u8(1);
    behind.u8(0).all({0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x40});
    TableBytes lines;
    lines.u16(5).u8(8).u8(0).u32(behind.bytes.size()).table(behind);
    program.image.sections[".debug_line"] = TableBytes().unit(lines);
    const auto without_files = program.image.bytes();
    DebugInformation of(without_files, nothing);
    CHECK(of.lines().empty());

    // As many units as fit, each with a list of abbreviations that begins at another byte and goes on to the end.
    Program units;
    auto& information = units.image.sections[".debug_info"];
    auto& lists = units.image.sections[".debug_abbrev"];
    information.bytes.clear();
    lists.bytes.assign(1 << 20, 1);
    for (std::uint32_t i = 0; i < 1 << 16; ++i) information.unit(TableBytes().u16(5).u8(1).u8(8).u32(i).u8(1));
    const auto many = units.image.bytes();
    DebugInformation all(many, nothing);
    CHECK(all.lines().empty());
}
