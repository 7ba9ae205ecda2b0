#pragma once
// The queues of other libraries for one sender and one receiver, as far as they were found when this was configured.

#include "../table.hpp"

namespace bench {
// Adds their rows, and says which were not found and how to get them.
void add_peers(table& rows);
}  // namespace bench
