#include "coherence/gpu_wb_fetch.hpp"

#include "record/coherence_check.hpp"

namespace croftsim {

Access GpuWbFetch::store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                               std::uint64_t value) {
    if (releases()) return GpuWb::store_bytes(line, mask, offset, size, value);
    ++statistics_.store_misses;
    send(request_for(line, whole_line, Reserve::no, core_.time()), core_.time() + kind_.l1d.hit);
    return wait_for_store(line + offset, size, value);
}

// The line's own dirty bytes stay: they are younger than the home's.
void GpuWbFetch::arrived(const Message& message, L1Line& line) {
    if (pending_.kind != Pending::Kind::store || line_of(pending_.address) != message.line) return;
    const auto offset = static_cast<unsigned>(pending_.address - message.line);
    put_bytes(line.bytes.data() + offset, pending_.operand, pending_.done);
    line.dirty |= mask_of(pending_.address, pending_.done);
    changed(line);
    if (check_)
        check_->buffered(tile_, pending_.address, pending_.done, pending_.operand, {pending_.pc, pending_.issued});
    finish_store(message.time + home_.fill);
}

}  // namespace croftsim
