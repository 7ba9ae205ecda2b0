#include "core/core.hpp"

#include <cstdio>

namespace croftsim {

void Core::wild_access(const char* what, unsigned size, std::uint64_t address) {
    const Page* page = blocks.memory().find(address);
    char text[160];
    std::snprintf(text, sizeof text, "wild access: %s of %u bytes at 0x%llx, where %s", what, size,
                  static_cast<unsigned long long>(address),
                  page && page->permission ? "the memory does not allow it" : "there is no memory");
    fault(text, 139);
}

}  // namespace croftsim
