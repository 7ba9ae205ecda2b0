// The symmetric channel by the policies that are not in library/channel_test.cpp.

#define POLICIES OTHER_POLICIES
#include "channel_cases.hpp"
