#pragma once
// The requester of Tilera's dynamic distributed cache (paper 000, section 4.1; paper 001, section III.A). Loads keep a
// copy of the line in the own L2 and L1. Stores are written through, word by word, to the line's home, which
// invalidates the other copies. If there is an own copy, it takes the store too. If there is none, the home's answer
// brings the line, unless the store said not to allocate (paper 001, section IV.A).
//
// This is coherent for two reasons. A home serves a line's requests one after another (home.hpp), and messages between
// two tiles do not overtake each other (mesh.hpp). So a load that misses behind an own store to the same line is served
// behind it. The invalidation of a later write follows the data that a home has sent, and never overtakes them. After
// another core's write was served, a copy can be read only until that write's invalidation arrives. The writer's fence
// waits for the acknowledgements of all invalidations.

#include <array>
#include <cstdint>
#include <optional>

#include "base/archive.hpp"
#include "cache/tlb.hpp"
#include "coherence/home.hpp"
#include "coherence/private_caches.hpp"
#include "coherence/requester_engine.hpp"
#include "core/core.hpp"
#include "memory/address_space.hpp"

namespace croftsim {

class Ddc final : public RequesterEngine {
public:
    Ddc(const MachineDescription& machine, PrivateCaches& caches, Home& home, Core& core, Post& post);

    Access load(LoadType type, std::uint8_t rd, std::uint64_t address, Reserve reserve) override;
    Access store(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate) override;
    Access atomic(AtomicOperation operation, LoadType type, bool is_unsigned, std::uint8_t rd, std::uint64_t address,
                  const AtomicOperands& operands) override;
    Access store_conditional(LoadType type, std::uint8_t rd, std::uint64_t address, std::uint64_t value) override;
    Access fence() override;
    Access operate(LineOperation operation, std::uint64_t address, std::uint8_t options) override;
    void ask_for_program(std::uint64_t line, std::uint64_t time) override;
    void receive(Message* message) override;
    std::uint64_t deadline() const override { return buffer_.stores ? buffer_.deadline : never; }
    void send_due(std::uint64_t time) override {
        if (deadline() <= time) send_stores(buffer_.deadline);
    }

    // Stores to a line inside do not wait for more to it.
    template <class Inside>
    void flush(Inside inside, std::uint64_t time) {
        if (buffer_.stores && inside(buffer_.line)) send_stores(time);
    }

    // Misses of its TLBs; 0 without.
    std::uint64_t data_tlb_misses() const { return data_pages_ ? data_pages_->misses() : 0; }
    std::uint64_t program_tlb_misses() const { return program_pages_ ? program_pages_->misses() : 0; }

    // ---- for a core that does not wait for its loads: ddc_asynchronous.cpp

    Found look(std::uint64_t address, unsigned size, std::uint8_t* to) override;
    // The own copy takes a store at once, and where there is none, a line asked for comes with it.
    bool stores_under_way() const override { return false; }
    void ask(std::uint64_t line, std::uint64_t time) override;

    void serialise(Archive& archive) override;

private:
    // Stores to one line on their way to its home, merged.
    struct StoreBuffer {
        std::uint64_t line = 0, mask = 0;
        std::uint64_t deadline = 0, last_deadline = 0;  // moves with each store, up to the last
        std::uint32_t stores = 0;
        Line* own = nullptr;     // the copy in the own L2, if there was one when the first store came
        bool allocates = false;  // without such a copy: the home's answer is to bring one
        std::array<std::uint8_t, line_bytes> bytes{};
    };
    // A store on its way whose answer brings the line.
    struct Allocation {
        static constexpr bool is_plain = true;
        std::uint64_t line;
        bool outdated;  // the core has changed or dropped the line since: the bytes that come are not to be kept
    };

    const std::uint8_t* here(std::uint64_t address, unsigned size, std::uint64_t& time) override;
    void ask_for(std::uint64_t address, unsigned, std::uint64_t time) override { ask_home(line_of(address), time); }
    Stall waited_for(bool slept) const override;
    // Whether the pages of an access that the memory allows are in the TLB. If not, the core handles the first miss,
    // and the access is to be tried again.
    bool translates(std::uint64_t address, unsigned size);
    void handle_miss(std::uint64_t page);
    void ask(Message* message, std::uint64_t time);
    void ask_home(std::uint64_t line, std::uint64_t time);
    void data(Message* message);
    void from_own_l2(Message* message);
    void program_arrived(std::uint64_t line, std::uint64_t time, std::uint64_t usable);
    bool has_room(std::uint32_t messages);
    void store_within_line(std::uint64_t address, unsigned size, std::uint64_t value, bool allocate,
                           std::uint64_t time);
    void store_at_home(Line* own, std::uint64_t address, unsigned size, std::uint64_t value, std::uint64_t time);
    void merge(unsigned offset, unsigned size, std::uint64_t value, std::uint64_t time);
    // Empties the store buffer. `leaves`: no copy is kept, and the home gets the options of the home-forward.
    void send_stores(std::uint64_t time, std::uint8_t options = 0, bool leaves = false);
    void acknowledged(std::uint64_t time);
    // The core sleeps until its stores are done: a fence, or a line operation before it begins.
    enum class StoresAwaited : std::uint8_t { behind, before };
    void wait_for_stores(StoresAwaited which, std::uint64_t time);
    void wake_fence(std::uint64_t time);
    Access fence_behind_operation();
    void write_data(Message* message);
    bool outdate_allocation(std::uint64_t line);
    void drop_copy(std::uint64_t line, std::uint64_t time, std::uint8_t options);
    void allocate_line(std::uint64_t line, std::uint64_t time);
    void clean(Line& line, std::uint64_t time);
    Access send_atomic(Message* message, LoadType type, std::uint8_t rd, std::uint64_t time);

    PrivateCaches& caches_;
    std::optional<Tlb> data_pages_, program_pages_;
    Home& home_;
    StoreBuffer buffer_;
    std::uint32_t unacknowledged_ = 0;  // store messages
    StoresAwaited stores_awaited_ = StoresAwaited::behind;
    std::uint64_t fence_of_ = 0;     // pc of a line operation that is done but for its fence
    std::uint64_t stores_done_ = 0;  // when the last store to a line at home is in the L2
    std::uint64_t last_sent_ = 0;    // stores leave in order
    std::vector<Allocation> allocations_;
    // Lines that will be overwritten wholly before the next fence: a hint that outlived it might take away what others
    // have written since. As many as a cache could hold.
    struct Hint {
        static constexpr bool is_plain = true;
        std::uint64_t line = 0, fences = 0;
        bool used = false;  // a store took it along, and brings the line, for all that the own cache may lose it again
    };
    bool holds(const Hint& hint, std::uint64_t line) const { return hint.line == line && hint.fences == fences_; }
    Hint& hint_of(std::uint64_t line) { return hints_[line / line_bytes % hints_.size()]; }
    std::vector<Hint> hints_{1024};
    std::uint64_t fences_ = 1;
};
static_assert(is_listed<Ddc, 536>);

}  // namespace croftsim
