#pragma once
// A core asks this instead of its caches while a run is fast-forwarded (machine/fast_forward.hpp). Every operation is
// done at once on memory itself, so all cores see one memory, sequentially consistent. Cores take long turns. Within a
// turn nobody else does anything, so a reservation that ends with the turn is never stale.
//
// It keeps the lines that the core has used, and when it used each last as far as it sees that. It does not see the
// accesses of the interpreter's fast path. It takes a line to be used until it leaves the fast path's table, which has
// as few entries as a small cache.

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "cache/l1_filter.hpp"
#include "cache/write_filter.hpp"
#include "contract/requester.hpp"
#include "core/core.hpp"
#include "core/in_order.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class FunctionalMemory final : public Requester {
public:
    struct Use {
        std::uint64_t line = 0;
        std::uint64_t order = 0;  // among the uses of all cores
        bool reads = false, writes = false, executes = false;
    };

    // Takes the core over. `l1_line`: bytes, as its interpreter has them. `most`: lines worth remembering. `order`: the
    // latest use of any core.
    FunctionalMemory(Core& core, std::uint32_t l1_line, std::size_t most, AddressSpace& memory, std::uint64_t& order);
    // Gives it back to its caches.
    void give_back();

    // The pages of the range are others now, or allow something else.
    void forget();
    // The lines that it has used, the latest `most`, in no order.
    std::vector<Use> uses();

    Access load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) override;
    Access store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) override;
    Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                  const AtomicOperands& operands) override;
    Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) override;
    Access fence() override { return Access::done; }
    void ask_for_program(std::uint64_t line, std::uint64_t time) override;
    Access operate(LineOperation, std::uint64_t, std::uint8_t) override { return Access::done; }
    void receive(Message* message) override { caches_.receive(message); }
    std::uint64_t deadline() const override { return never; }
    void send_due(std::uint64_t) override {}

private:
    enum How : std::uint8_t { reads = 1, writes = 2, executes = 4 };
    void check(std::uint64_t address, unsigned size, std::uint8_t permission, const char* what);
    void check_atomic(std::uint64_t address, unsigned size, const char* what);
    void use(std::uint64_t address, unsigned how);
    template <class Entry>
    void show(Entry& entry, std::uint64_t line, std::uint64_t address, How how);

    Core& core_;
    Requester& caches_;
    const Core::FastPath caches_fast_;
    const bool caches_acquire_;
    AddressSpace& memory_;
    const std::uint64_t l1_line_;
    const std::size_t most_;
    std::uint64_t& order_;
    std::vector<L1Filter::Fast> lines_;
    WriteFilter writable_;
    std::unordered_map<std::uint64_t, Use> used_;  // by line
};

// Its turns.
class FunctionalCore final : public InOrder {
public:
    using InOrder::InOrder;

    void run(std::uint64_t safe, std::uint64_t /*stop*/) override {
        core_.reservation.lose();
        InOrder::run(safe, safe);
    }
};

}  // namespace croftsim
