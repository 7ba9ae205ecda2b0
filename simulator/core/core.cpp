#include "core/core.hpp"

#include <cstdio>

namespace croftsim {

Stall Core::waits_for() const {
    switch (state) {
        case CoreState::waits_memory:
            return Stall::home;
        case CoreState::waits_fence:
            return Stall::fence;
        case CoreState::waits_store:
            return Stall::store_buffer;
        case CoreState::waits_line:
            return Stall::line;
        case CoreState::waits_message:
        case CoreState::waits_copy:
        case CoreState::waits_network:
            return Stall::network;
        default:
            return Stall::kernel;
    }
}

void Core::wild_access(const char* what, unsigned size, std::uint64_t address) {
    const Page* page = blocks.memory().find(address);
    char text[160];
    std::snprintf(text, sizeof text, "wild access: %s of %u bytes at 0x%llx, where %s", what, size,
                  static_cast<unsigned long long>(address),
                  page && page->permission ? "the memory does not allow it" : "there is no memory");
    fault(text, 139);
}

}  // namespace croftsim
