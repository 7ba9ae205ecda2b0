// doctest's main.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "watch.hpp"

// The longest test takes half a minute; under a sanitizer, beside other work, much longer.
REGISTER_LISTENER("watch", 1, watch<15 * 60>);
