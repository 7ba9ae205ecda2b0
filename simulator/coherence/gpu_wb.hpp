#pragma once
// GPU-WB (paper 002, section II.A): a store stays in the L1, as dirty words of a line whose other words nobody has
// asked for. It goes home when the line's place is needed, or at a release or a flush.

#include "coherence/gpu_l1.hpp"

namespace croftsim {

class GpuWb : public GpuL1 {
public:
    using GpuL1::GpuL1;

    // A releasing store that stayed here would release nothing: it goes home at once.
    void release_next() override { releases_ = true; }
    void serialise(Archive& archive) override {
        GpuL1::serialise(archive);
        archive(releases_);
    }

protected:
    Access store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                       std::uint64_t value) override;
    bool stays_here(const L1Line&, std::uint64_t) const override { return !releases_; }
    void stored_here(const L1Line& line, std::uint64_t mask, CoherenceCheck& check) override;
    bool flush(std::uint64_t time, std::uint64_t& flushed) override;
    bool releases() const { return releases_; }

private:
    bool releases_ = false;
};
static_assert(is_listed<GpuWb, 8672>);

}  // namespace croftsim
