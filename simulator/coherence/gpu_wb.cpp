#include "coherence/gpu_wb.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "record/coherence_check.hpp"

namespace croftsim {

Access GpuWb::store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size, std::uint64_t value) {
    L1Line* found = l1.find(line);
    if (!found) {
        ++statistics_.store_misses;
        found = &install(line, core_.time());
    }
    store_in(*found, mask, offset, size, value);
    if (std::exchange(releases_, false)) flush_line(*found, core_.time());
    return Access::done;
}

void GpuWb::stored_here(const L1Line& line, std::uint64_t mask, CoherenceCheck& check) {
    const auto offset = static_cast<unsigned>(std::countr_zero(mask));
    const auto size = static_cast<unsigned>(std::popcount(mask));
    std::uint64_t value = 0;
    std::memcpy(&value, line.bytes.data() + offset, size);
    check.buffered(tile_, line.address + offset, size, value, {core_.pc(), core_.time()});
}

// One line a cycle leaves the L1.
bool GpuWb::flush(std::uint64_t time, std::uint64_t& flushed) {
    l1.for_each([&](L1Line& line) {
        if (!line.dirty) return;
        flush_line(line, time++);
        ++flushed;
    });
    return unacknowledged_ == 0;
}

}  // namespace croftsim
