// Prints docs/protocols.md.

#include <cstdio>

#include "simulator/transition_walk.hpp"

int main() { std::fputs(croftsim::protocols_page(1, 2'000'000).c_str(), stdout); }
