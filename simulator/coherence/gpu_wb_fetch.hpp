#pragma once
// GPU-WB whose store misses ask for the line. A store to a line that is not here, or not as a whole, waits until the
// line has come, and its core with it. The protocol of that name in the authors' gem5 does so
// (docs/evidence/big-tiny.md, section 9); paper 002 calls GPU-WT alone "no write-allocate".
//
// A releasing store goes home at once and waits for nothing, as under gpu_wb.hpp.

#include "coherence/gpu_wb.hpp"

namespace croftsim {

class GpuWbFetch final : public GpuWb {
public:
    using GpuWb::GpuWb;

protected:
    Access store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                       std::uint64_t value) override;
    bool stays_here(const L1Line& line, std::uint64_t mask) const override {
        return line.valid == whole_line && GpuWb::stays_here(line, mask);
    }
    void arrived(const Message& message, L1Line& line) override;
};
static_assert(is_listed<GpuWbFetch, sizeof(GpuWb)>);

}  // namespace croftsim
