#pragma once
// The queues of other libraries for one sender and one receiver.

#include "../table.hpp"
#include "registry.hpp"

namespace bench {

struct queue_peer {
    void (*add)(table& rows);
};

inline void add_queue_peers(table& rows) {
    for (const queue_peer& each : registry<queue_peer>()) each.add(rows);
}

}  // namespace bench
