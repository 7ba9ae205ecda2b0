#pragma once
// An L1 that owns nothing (paper 002, section II.A). Readers drop their copies at acquires, stores reach the home
// sooner or later, and the home carries out atomics. GPU-WT and GPU-WB differ in when a store reaches the home.

#include "coherence/l1_requester.hpp"

namespace croftsim {

class GpuL1 : public L1Requester {
public:
    using L1Requester::L1Requester;

    Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                  const AtomicOperands& operands) final;
    Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) final;
    void digest(Digest& to) final {
        L1Requester::digest(to);
        to.add(unacknowledged_);
    }
    void serialise(Archive& archive) override {
        L1Requester::serialise(archive);
        archive(unacknowledged_);
    }

protected:
    // A load-reserved always asks the home, and becomes a sharer there, so that it hears of the next write.
    bool may_read(const L1Line& line, std::uint64_t mask, Reserve reserve) const final {
        return reserve == Reserve::no && (mask & ~line.valid) == 0;
    }
    Message* request_for(std::uint64_t line, std::uint64_t mask, Reserve reserve, std::uint64_t time) final;
    void leave(L1Line& line, std::uint64_t time) final { flush_line(line, time); }
    void flush_line(L1Line& line, std::uint64_t time) final;  // its dirty bytes go home
    bool readers_invalidate() const final { return true; }
    void arrived(const Message&, L1Line&) override {}
    void acknowledged(std::uint64_t line, std::uint64_t time) final;
    // Bytes of a line go home; counts as an outstanding store.
    void write_through(std::uint64_t line, std::uint64_t mask, const std::uint8_t* bytes, std::uint64_t time);

    std::uint32_t unacknowledged_ = 0;

private:
    Access ask_home(MessageKind kind, LoadType type, std::uint8_t rd, std::uint64_t address, const char* what,
                    AtomicOperation operation, bool is_unsigned, const AtomicOperands& operands);
};
static_assert(is_listed<GpuL1, 8672>);

}  // namespace croftsim
