#pragma once
// An L1 that writes only bytes that it owns. Stores and atomics ask the home for ownership first, then work in place.
// MESI and DeNovo differ in what they ask for (the line, the words) and in who invalidates old copies.
//
// A store that has to ask waits in a queue, and the core goes on, unless it may have no store outstanding. Later stores
// to its bytes join it, and loads of its line wait. So the stores of one core may become visible in another order than
// the program's. RISC-V's memory model allows that; a fence waits for all of them.
//
// Stores may have to become visible in the program's order (total store order). Then all of them wait in the queue
// until those before them are visible. Each asks for its line when it enters the queue, so the requests overlap. The
// first one is written when its line is here. The lines of others may come before and be taken away again; then the
// store asks anew when it is the first. A store may join only the last one: the line of any other one is visible before
// the stores between them. So the first one always waits for an answer, and is written in the moment in which that
// comes.

#include <vector>

#include "base/archive.hpp"
#include "coherence/collected_stores.hpp"
#include "coherence/l1_requester.hpp"

namespace croftsim {

class OwningL1 : public L1Requester {
public:
    using L1Requester::L1Requester;

    Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                  const AtomicOperands& operands) final;
    bool atomic_ahead(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd,
                      std::uint64_t address, const AtomicOperands& operands) final;
    bool fence_ahead() final { return stores_done() && !check_; }
    Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) final;
    void digest(Digest& to) final;
    void serialise(Archive& archive) override {
        L1Requester::serialise(archive);
        archive(queue_, collected_);
    }
    bool stores_under_way() const final { return !stores_done(); }
    std::uint64_t deadline() const final { return collected_.due(); }
    void send_due(std::uint64_t time) final;
    void send_collected(std::uint64_t time) final;

protected:
    // The bytes to own for a write of these.
    virtual std::uint64_t unit(std::uint64_t mask) const = 0;
    // How a store-conditional ended.
    virtual void conditional_ended(bool /*stored*/) {}

    // A request for the ownership of these bytes' units, of which this core owns none from then on until it is
    // answered.
    Message* own(std::uint64_t line, std::uint64_t mask, std::uint64_t time);
    void give_up(std::uint64_t line, std::uint64_t mask, std::uint64_t time);
    Access store_bytes(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                       std::uint64_t value) final;
    bool stays_here(const L1Line& line, std::uint64_t mask) const final {
        return (mask & ~line.owned) == 0 && !awaits_store(line.address) && !waits_in_order();
    }
    bool is_collected(std::uint64_t line) const final { return collected_.find(line); }
    void stored_here(const L1Line& line, std::uint64_t mask, CoherenceCheck& check) final;
    bool awaits_store(std::uint64_t line) const final { return find(line) || collected_.find(line); }
    const std::uint8_t* awaiting(std::uint64_t line, std::uint64_t mask) const final {
        const auto bytes_of = [mask](const auto* store) {
            return store && (mask & ~store->mask) == 0 ? store->bytes.data() : nullptr;
        };
        const Store* const store = find(line);
        return store ? bytes_of(store) : bytes_of(collected_.find(line));
    }
    std::optional<Access> store_around(std::uint64_t line, std::uint64_t mask, unsigned offset, unsigned size,
                                       std::uint64_t value) final;
    std::optional<Access> forward(std::uint64_t line, std::uint8_t options) final;
    void acknowledged(std::uint64_t line, std::uint64_t time) final;
    bool may_write_all(const L1Line& line) const final {
        return (line.owned & line.dirty) == whole_line && !is_collected(line.address) && !waits_in_order();
    }
    void leave(L1Line& line, std::uint64_t time) final;
    bool flush(std::uint64_t time, std::uint64_t& flushed) final;
    void flush_line(L1Line&, std::uint64_t) final {}  // dirty lines have an owner, whom everyone can find
    void arrived(const Message& message, L1Line& line) final;

private:
    struct Store {  // waits for the ownership of its bytes
        static constexpr bool is_plain = true;
        std::uint64_t line, wanted, mask;
        std::uint64_t pc;
        bool asked;  // and not answered; always, where order does not matter
        std::array<std::uint8_t, line_bytes> bytes;
    };
    const Store* find(std::uint64_t line) const {
        for (const Store& store : queue_)
            if (store.line == line) return &store;
        return nullptr;
    }
    void write_back(const L1Line& line, std::uint64_t mask, std::uint64_t time);
    Access ask_for_atomic();
    void complete_atomic(L1Line& line, std::uint64_t usable);

    void ask_to_own(Store& store, std::uint64_t time);
    void write(const Store& store, L1Line& line, std::uint64_t time);
    void write_first_ones(std::uint64_t time);
    // Whether a store has to wait for those before it.
    bool waits_in_order() const { return in_order_ && !queue_.empty(); }
    // Whether an atomic of the line has to wait for stores.
    bool is_behind(std::uint64_t line) const { return waits_in_order() || awaits_store(line); }
    bool stores_done() const { return queue_.empty() && collected_.empty(); }
    // Home-forwarding (home_forwarding.cpp)
    bool forwards() const { return machine_.forwarding && traits_of(kind_.protocol).writers_invalidate; }
    std::uint32_t forwards_to(std::uint64_t line) const;
    void send_entry(CollectedStore& entry, std::uint64_t time, std::uint8_t options = 0, bool forwards = false);

    std::vector<Store> queue_;
    CollectedStores collected_;
    const bool in_order_ = kind_.core.stores == CoreDescription::Stores::in_order;
};
static_assert(is_listed<OwningL1, 8720>);

}  // namespace croftsim
