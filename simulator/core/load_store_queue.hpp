#pragma once
// The loads and stores in flight on an out-of-order core, in the program's order: loads until they retire, stores until
// the L1 has taken them. They have entries of one queue, which they leave in the program's order, or of two, one of
// loads and one of stores. With two, a load that retires leaves at once, whatever stores before it wait for.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/archive.hpp"
#include "core/core.hpp"

namespace croftsim {

constexpr bool overlap(std::uint64_t one, unsigned size, std::uint64_t other, unsigned other_size) {
    return one < other + other_size && other < one + size;
}
// All bytes of the other.
constexpr bool covers(std::uint64_t one, unsigned size, std::uint64_t other, unsigned other_size) {
    return one <= other && other + other_size <= one + size;
}

struct MemoryOperation {
    static constexpr bool is_plain = true;
    // The reason for which a load with its address waits.
    enum class Wait : std::uint8_t {
        nothing,
        address,  // of an older store: a load here was undone before because it did not wait
        data,     // of the store that it gets its value from
        commit,   // of a store that has some of its bytes
        line,     // to arrive
        store,    // that its L1 has on its way
        port,     // the L1's next answer: an access to a line that is on its way blocks the others (same_line)
    };

    std::uint64_t age = 0, sequence = 0, pc = 0;
    std::uint64_t address = 0;
    std::uint64_t data = 0, data_ready = 0;  // of a store
    std::uint64_t raw = 0;                   // of a load: what it has read, `copied` bytes of it
    std::uint64_t awaited = 0;               // the line
    std::uint64_t source = 0;                // place of the store that a load was forwarded from, plus one; 0: the L1
    std::uint64_t free_at = 0;               // once `finished`: when its entry is free
    LoadType type = LoadType::i64;
    std::uint8_t size = 0, copied = 0;
    Wait wait = Wait::nothing;
    std::uint16_t number = 0;  // in the segment that is noted (schedule_memory.hpp)
    bool is_store = false;
    bool allocates = true;  // a store
    bool forwards = false;  // a store that is croft.forward of its line: it has no bytes
    std::uint8_t options = 0;
    bool has_address = false, has_data = false;
    bool executed = false;  // a load that has its value
    bool retired = false;
    bool finished = false;
    bool own = false;  // a load of what its core has stored, and nobody else can see yet
    bool missed = false, from_memory = false;

    bool overlaps(const MemoryOperation& other) const {
        return !forwards && !other.forwards && overlap(address, size, other.address, other.size);
    }
    bool covers(const MemoryOperation& other) const {
        return croftsim::covers(address, size, other.address, other.size);
    }
    bool has_read() const { return !is_store && (executed || copied > 0); }
    bool touches(std::uint64_t line) const { return address < line + line_bytes && line < address + size; }
};

class LoadStoreQueue {
public:
    explicit LoadStoreQueue(const OutOfOrderDescription& shape)
        : apart_(shape.load_store_queue == 0),
          sides_{Side{apart_ ? shape.load_queue : shape.load_store_queue},
                 Side{apart_ ? shape.store_queue : shape.load_store_queue}},
          mask_(std::bit_ceil(apart_ ? shape.load_queue + shape.store_queue : shape.load_store_queue) - 1),
          operations_(mask_ + 1) {}

    std::uint64_t head() const { return head_; }
    std::uint64_t tail() const { return tail_; }
    bool empty() const { return head_ == tail_; }
    bool full(bool for_store) const { return side(for_store).full(); }
    MemoryOperation& operator[](std::uint64_t place) { return operations_[place & mask_]; }
    const MemoryOperation& operator[](std::uint64_t place) const { return operations_[place & mask_]; }

    // Whether there is an entry for the next operation that was freed before `time`.
    bool has_room(bool for_store, std::uint64_t time) const {
        const Side& its = side(for_store);
        return !its.full() && its.next().time < time;
    }
    // When the entry that the next operation takes was freed.
    std::uint64_t freed(bool for_store) const { return side(for_store).next().time; }
    // Whether a store had it, or, if none is free, has it.
    bool is_of_store(bool for_store) const {
        if (!side(for_store).full()) return side(for_store).next().by_store;
        return apart_ ? for_store : operations_[head_ & mask_].is_store;
    }

    MemoryOperation& push(bool is_store) {
        MemoryOperation& made = operations_[tail_++ & mask_];
        made = blank;  // and not {}: compilers clear so much by `rep stos`, which takes three times as long
        made.is_store = is_store;
        stores_ += is_store;
        ++side(is_store).taken;
        return made;
    }
    void undo_push() {
        MemoryOperation& undone = operations_[--tail_ & mask_];
        undone.age = 0;
        stores_ -= undone.is_store;
        --side(undone.is_store).taken;
    }
    // Stores that the L1 has not taken.
    std::uint32_t stores() const { return stores_; }
    // Whether any of them forwards its line.
    bool forwards() const {
        if (stores_ == 0) return false;
        for (std::uint64_t at = head_; at != tail_; ++at)
            if (const MemoryOperation& one = operations_[at & mask_]; one.forwards && !one.finished) return true;
        return false;
    }
    // The oldest of them, of which there is one, is taken.
    void store_finished(MemoryOperation& store, std::uint64_t time) {
        store.finished = true;
        store.free_at = time;
        --stores_;
    }
    // The load, which has retired as the oldest of all that have not, leaves. If there is one queue, it leaves when all
    // before it have.
    void load_finished(std::uint64_t place, std::uint64_t time) {
        MemoryOperation& load = operations_[place & mask_];
        load.retired = load.finished = true;
        load.free_at = time;
        // All before it are stores that have retired: nobody knows their places any more.
        if (apart_)
            for (; place != head_; --place) std::swap(operations_[place & mask_], operations_[(place - 1) & mask_]);
        pop();
    }
    // The oldest ones that have finished leave, in order. Whether any did.
    bool pop() {
        const std::uint64_t before = head_;
        while (head_ != tail_ && operations_[head_ & mask_].finished) {
            MemoryOperation& done = operations_[head_++ & mask_];
            side(done.is_store).leave(done);
            done.age = 0;
        }
        return head_ != before;
    }
    // ---- all of it, whose operations have all retired, relative to `from`, in words of 32 bits (schedule_memory.hpp).
    // Entries that were freed before `from` are as good as free.

    template <class Add>
    void write_state(std::uint64_t from, Add add) const {
        const auto later = [&](std::uint64_t time) { return time >= from ? time - from + 1 : 0; };
        add(tail_ - head_);
        for (std::uint64_t at = head_; at != tail_; ++at) {
            const MemoryOperation& one = operations_[at & mask_];
            add(later(one.free_at) << 2 | std::uint64_t{one.is_store} << 1 | std::uint64_t{one.finished});
            if (one.is_store && !one.finished) add(later(one.data_ready));
        }
        for (const Side& its : sides_) {
            add(later(its.latest));
            std::uint64_t count = 0;
            while (count < its.entries && its.left_before(count).time >= from) ++count;
            add(count);
            for (std::uint64_t k = 0; k < count; ++k)
                add((its.left_before(k).time - from) << 1 | its.left_before(k).by_store);
        }
    }
    // next_store(): the next of the stores that the L1 has not taken, the oldest first.
    template <class Next, class NextStore>
    void read_state(std::uint64_t from, Next next, NextStore next_store) {
        clear();
        for (std::uint64_t left = next(); left > 0; --left) {
            const std::uint64_t word = next();
            const bool finished = word & 1;
            MemoryOperation& made = push((word & 2) != 0);
            if (made.is_store && !finished) {
                next_store(made);
                made.data_ready = from - 1 + next();
            }
            if (made.is_store && finished) --stores_;
            made.finished = finished;
            made.retired = made.executed = made.has_address = made.has_data = true;
            made.free_at = from - 1 + (word >> 2);
        }
        for (Side& its : sides_) {
            its.latest = from - 1 + next();
            const std::uint64_t count = next();
            for (std::uint64_t k = 0; k < its.entries; ++k) {
                Freed& freed = its.left_before(k);
                freed = {};
                if (k >= count) continue;
                const std::uint64_t word = next();
                freed = {from + (word >> 1), (word & 1) != 0};
            }
        }
    }
    // Those that the L1 has not taken, the oldest first.
    template <class Visit>
    void for_each_store(Visit visit) {
        for (std::uint64_t at = head_; at != tail_ && stores_ > 0; ++at)
            if (MemoryOperation& one = operations_[at & mask_]; one.is_store && !one.finished) visit(one);
    }

    void clear() {
        head_ = tail_;
        stores_ = 0;
        for (Side& its : sides_) its.taken = its.left;
    }

    void serialise(Archive& archive) {
        archive.each(operations_);
        for (Side& its : sides_) its.serialise(archive);
        archive(head_, tail_, stores_);
        if (tail_ - head_ > mask_ + 1) Archive::damaged();
    }

private:
    static inline const MemoryOperation blank{};
    struct Freed {
        static constexpr bool is_plain = true;
        std::uint64_t time = 0;
        bool by_store = false;
    };
    // The entries of a queue, taken and left in order.
    struct Side {
        explicit Side(std::uint32_t count) : entries(count), mask(std::bit_ceil(count) - 1), freed(mask + 1) {}
        std::uint32_t entries;
        std::uint64_t mask;
        std::vector<Freed> freed;  // by how many had left before
        std::uint64_t taken = 0, left = 0, latest = 0;

        bool full() const { return taken - left == entries; }
        const Freed& next() const { return freed[(taken - entries) & mask]; }
        Freed& left_before(std::uint64_t k) { return freed[(left - 1 - k) & mask]; }
        const Freed& left_before(std::uint64_t k) const { return freed[(left - 1 - k) & mask]; }
        void leave(const MemoryOperation& done) {
            latest = std::max(latest, done.free_at);
            freed[left++ & mask] = {latest, done.is_store};
        }
        void serialise(Archive& archive) {
            archive.each(freed);
            archive(taken, left, latest);
            if (taken - left > entries) Archive::damaged();
        }
    };
    Side& side(bool of_store) { return sides_[apart_ && of_store ? 1 : 0]; }
    const Side& side(bool of_store) const { return sides_[apart_ && of_store ? 1 : 0]; }

    bool apart_;  // there are two queues
    std::array<Side, 2> sides_;
    std::uint64_t mask_;
    std::vector<MemoryOperation> operations_;
    std::uint64_t head_ = 0, tail_ = 0;
    std::uint32_t stores_ = 0;
};
static_assert(is_listed<LoadStoreQueue, 192>);

}  // namespace croftsim
