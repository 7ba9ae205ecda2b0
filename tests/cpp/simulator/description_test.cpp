#include "description/description_file.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string>

#include "bare_machine.hpp"
#include "description/check.hpp"
#include "description/read.hpp"
#include "description/schema.hpp"

using namespace croftsim;

namespace {

std::string error_of(const std::string& text) {
    std::istringstream from(text);
    try {
        read_machine(from);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}
bool tells(const std::string& text, const std::string& sentence) {
    const std::string error = "\n" + error_of(text) + "\n";
    return error.find("\nmachine description: " + sentence + "\n") != std::string::npos;
}

// The least that each key may have. The kinds of cores stand at the top, or in tables of their own.
Table smallest(const std::vector<Key>& keys, bool at_top) {
    Table made;
    const auto has = [](const std::string& name, std::initializer_list<const char*> names) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const Key& key : keys) {
        if (has(key.name, {"big", "tiny"}) && at_top) continue;
        if (has(key.name,
                {"protocol", "interrupt", "core", "l1d", "l1i", "dtlb", "itlb", "l2", "prefetch", "out_of_order"}) &&
            !at_top)
            continue;
        switch (key.kind) {
            case Key::Kind::number:
                made.add(key.name, {std::int64_t{key.least}});
                break;
            case Key::Kind::real:
                made.add(key.name, {1.0});
                break;
            case Key::Kind::label:
                made.add(key.name, {std::string("a")});
                break;
            case Key::Kind::word:
                made.add(key.name, {key.allowed.substr(1, key.allowed.find('"', 1) - 1)});
                break;
            case Key::Kind::list:
                made.add(key.name, {List{{smallest(key.keys, true)}}});
                break;
            case Key::Kind::table:
                made.add(key.name, {smallest(key.keys, true)});
                break;
        }
    }
    return made;
}

Value* find(Table& table, const std::string& name) {
    for (auto& [key, value] : table.entries)
        if (key == name) return &value;
    return nullptr;
}

// Every number of the tables below, in a file that is otherwise as it was. It is allowed at both ends of its range, and
// refused one beyond.
struct Edges {
    const Table& file;
    std::size_t numbers = 0;

    bool refused(const std::string& key) const {
        const Reading reading = read(file);
        return std::ranges::any_of(reading.problems.all(), [&](const Problem& problem) {
            return problem.key == key && problem.sentence.find("it should be") != std::string::npos;
        });
    }
    void walk(Table& table, const std::vector<Key>& keys, const std::string& path) {
        for (const Key& key : keys) {
            Value* value = find(table, key.name);
            if (!value) continue;
            const std::string full = path + key.name;
            if (key.kind == Key::Kind::table) walk(std::get<Table>(value->is), key.keys, full + ".");
            if (key.kind == Key::Kind::list) {
                List& list = std::get<List>(value->is);
                walk(std::get<Table>(list[0].is), key.keys, full + "[0].");
                const Value one = list[0];
                list.clear();
                CHECK_MESSAGE(refused(full), full);
                list.assign(key.most, one);
                CHECK_MESSAGE(!refused(full), full);
                list.push_back(one);
                CHECK_MESSAGE(refused(full), full);
                list.assign(1, one);
            }
            if (key.kind != Key::Kind::number) continue;
            ++numbers;
            for (const std::int64_t beyond : {0, 1}) {
                const std::int64_t least = key.least, most = key.most;
                value->is = most + beyond;
                CHECK_MESSAGE(refused(full) == (beyond == 1), full, " at its most");
                value->is = least - beyond;
                CHECK_MESSAGE(refused(full) == (beyond == 1), full, " at its least");
            }
            value->is = std::int64_t{key.least};
        }
    }
};

}  // namespace

// That a whole description is read is tested with a machine of the lab's (tests/python/test_native_coprocessor.py).
TEST_CASE("a description that cannot be read says why") {
    CHECK(tells("", "key `name` is missing"));
    CHECK(tells("", "key `memory` is missing"));
    CHECK(error_of("name tilepro64\n") == "machine description: the line \"name tilepro64\" is not \"key = value\"");
    CHECK(tells("name = tilepro64\n",
                "`name` = tilepro64: it should be a text of letters, digits, '.', '_' and '-', beginning with a letter "
                "or digit"));
    CHECK(tells("# a comment\n\nname = \"a\"\nclock_mhz = fast\n",
                "`clock_mhz` = fast: it should be a number above 0 to 100,000"));
    CHECK(tells("name = \"a\"\nclock_mhz = 866.0\ncores = -1\n",
                "`cores` = -1: it should be an integer from 1 to 1,024"));
    CHECK(tells("cores = 99999999999999999999\n",
                "`cores` = 99999999999999999999: it should be an integer from 1 to 1,024"));
    CHECK(tells("network.colums = 3\n", "unknown key `network.colums`; did you mean `columns`?"));
    CHECK(
        tells("memory.controllers.0.colum = 3\n", "unknown key `memory.controllers[0].colum`; did you mean `column`?"));
    CHECK(error_of("memory.controllers.1.row = 3\n") ==
          "machine description: the key 1.row is out of place, in the line \"memory.controllers.1.row = 3\"");
    CHECK(error_of("cores = 1\ncores.most = 3\n") ==
          "machine description: the key most is out of place, in the line \"cores.most = 3\"");
    CHECK_THROWS_WITH_AS(read_machine_file("/no/such/file"), doctest::Contains("/no/such/file"), std::invalid_argument);
}

TEST_CASE("every number is allowed up to its edges, and not beyond") {
    std::size_t numbers = 0;
    for (const bool at_top : {true, false}) {
        const std::vector<Key> keys = schema();
        Table file = smallest(keys, at_top);
        Edges edges{file};
        edges.walk(file, keys, "");
        numbers += edges.numbers;
    }
    CHECK(numbers > 200);
}

TEST_CASE("a machine that was described by hand is checked as one from a file") {
    const auto error = [](void (*change)(MachineDescription&)) -> std::string {
        MachineDescription machine = eight_by_eight();
        change(machine);
        try {
            check(machine);
        } catch (const std::invalid_argument& wrong) {
            return wrong.what();
        }
        return "none";
    };
    CHECK(error([](MachineDescription&) {}) == "none");
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].core.issue_width = 4; }) ==
          "machine test: `core.issue_width` = 4: it should be an integer from 1 to 3");
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].core.cost[3] = 0; }) ==
          "machine test: `core.cost.branch` = 0: it should be an integer from 1 to 2,000");
    CHECK(error([](MachineDescription& machine) { machine.kinds[0].l2.reset(); }) ==
          "machine test: `l2` is missing, which 'ddc' needs");
    CHECK(error([](MachineDescription& machine) { machine.home.reset(); }) ==
          "machine test: `home` is missing, which protocol 'ddc' needs");
    CHECK(error([](MachineDescription& machine) { machine.memory.controllers[1].row = 8; }) ==
          "machine test: `memory.controllers[1]` (column 5, row 8) is outside the 8 x 8 mesh");
    CHECK(error([](MachineDescription& machine) { machine.memory.controllers.clear(); }) ==
          "machine test: `memory.controllers` = a list of 0: it should be a list of 1 to 64 tables");
    CHECK(error([](MachineDescription& machine) { machine.kinds.clear(); }) == "machine test: key `core` is missing");
    CHECK(error([](MachineDescription& machine) {
              machine.kinds[0].l1d.line = 64;
              machine.kinds[0].out_of_order = OutOfOrderDescription{};
              machine.kinds[0].out_of_order->load_store_queue = 200;
          }) == "machine test: `out_of_order.load_store_queue` (200) must not be larger than reorder_buffer (128)");
}

TEST_CASE("each protocol is in the table at its place, under a name of its own") {
    for (const ProtocolTraits& one : all_protocols()) {
        CHECK(&traits_of(one.protocol) == &one);
        CHECK(std::ranges::count(all_protocols(), std::string(one.name), &ProtocolTraits::name) == 1);
    }
}
