#pragma once
// GPU-WT: every store goes to the home at once, as words, and brings no line (paper 002, section II.A). A copy that is
// here takes the store too.

#include "coherence/gpu_l1.hpp"

namespace croftsim {

class GpuWt final : public GpuL1 {
public:
    using GpuL1::GpuL1;

protected:
    // A store across two lines that begins alone may exceed what is permitted, or it would never begin.
    bool has_room(unsigned stores) const override {
        return unacknowledged_ == 0 || unacknowledged_ + stores <= kind_.core.outstanding_stores;
    }
    Access store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                       std::uint64_t value) override;
    bool flush(std::uint64_t, std::uint64_t&) override { return unacknowledged_ == 0; }
    bool may_write_all(const L1Line&) const override { return false; }
};
static_assert(is_listed<GpuWt, sizeof(GpuL1)>);

}  // namespace croftsim
