// docs/protocols.md is what the code does. Another seed than the page's: that it finds the same says that there is
// nothing left to be found.

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

#include "transition_walk.hpp"

namespace croftsim {

TEST_CASE("docs/protocols.md says what the protocols do (if they have changed: make docs)") {
    std::ifstream file(CROFT_SOURCE_DIR "/docs/protocols.md");
    const std::string committed{std::istreambuf_iterator<char>(file), {}};
    CHECK(committed == protocols_page(2, 2'000'000));
}

}  // namespace croftsim
