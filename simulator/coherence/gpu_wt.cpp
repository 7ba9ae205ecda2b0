#include "coherence/gpu_wt.hpp"

#include <cstring>

#include "record/coherence_check.hpp"

namespace croftsim {

Access GpuWt::store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size, std::uint64_t value) {
    L1Line* const found = l1.find(line);
    if (!found) ++statistics_.store_misses;
    if (found && (found->valid & mask)) {
        put_bytes(found->bytes.data() + offset, value, size);
        found->valid |= mask;
        touch(*found);
    }
    std::array<std::uint8_t, line_bytes> bytes;
    std::memcpy(bytes.data() + offset, &value, size);
    if (check_) check_->buffered(tile_, line + offset, size, value, {core_.pc(), core_.time()});
    write_through(line, mask, bytes.data(), core_.time());
    return Access::done;
}

}  // namespace croftsim
