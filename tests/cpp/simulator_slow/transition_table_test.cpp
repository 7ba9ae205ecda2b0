// docs/protocols.md is what the code does. The walk is the page's own, so any difference is a change of a protocol.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "transition_walk.hpp"

namespace croftsim {

TEST_CASE("docs/protocols.md says what the protocols do (if they have changed: make docs)" *
          doctest::test_suite("slow")) {
    std::ifstream file(CROFT_SOURCE_DIR "/docs/protocols.md");
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    const std::string page = protocols_page(1, 2'000'000);
    std::istringstream old_lines(committed), new_lines(page);
    for (std::string before, now; std::getline(old_lines, before) && std::getline(new_lines, now);)
        if (before != now) FAIL_CHECK("the page says\n", before, "\nand the code\n", now);
    CHECK(committed.size() == page.size());
}

}  // namespace croftsim
