#include "machine/description_file.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

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

}  // namespace

// That a whole description is read is tested with a machine of the lab's (tests/python/test_native_coprocessor.py).
TEST_CASE("a description that cannot be read says why") {
    CHECK(error_of("") == "machine description: the key name is missing");
    CHECK(error_of("name tilepro64\n") == "machine description: the line \"name tilepro64\" is not \"key = value\"");
    CHECK(error_of("name = tilepro64\n") == "machine description: name = tilepro64 is no text in quotes");
    CHECK(error_of("# a comment\n\nname = \"a\"\nclock_mhz = fast\n") ==
          "machine description: clock_mhz = fast is no number that fits");
    CHECK(error_of("name = \"a\"\nclock_mhz = 866.0\ncores = -1\n") ==
          "machine description: cores = -1 is no number that fits");
    CHECK_THROWS_WITH_AS(read_machine_file("/no/such/file"), doctest::Contains("/no/such/file"), std::invalid_argument);
}
