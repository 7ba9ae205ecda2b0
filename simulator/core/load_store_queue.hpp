#pragma once
// The loads and stores in flight on an out-of-order core, in the program's order: loads until they retire, stores until
// the L1 has taken them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "contract/archive.hpp"
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
    // What a load waits for that has its address.
    enum class Wait : std::uint8_t {
        nothing,
        address,  // of an older store: a load here was undone before because it did not wait
        data,     // of the store that it gets its value from
        commit,   // of a store that has some of its bytes
        line,     // to arrive
        store,    // that its L1 has on its way
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
    bool has_address = false, has_data = false;
    bool executed = false;  // a load that has its value
    bool retired = false;
    bool finished = false;
    bool own = false;  // a load of what its core has stored, and nobody else can see yet
    bool missed = false, from_memory = false;

    bool overlaps(const MemoryOperation& other) const { return overlap(address, size, other.address, other.size); }
    bool covers(const MemoryOperation& other) const {
        return croftsim::covers(address, size, other.address, other.size);
    }
    bool has_read() const { return !is_store && (executed || copied > 0); }
    bool touches(std::uint64_t line) const { return address < line + line_bytes && line < address + size; }
};

class LoadStoreQueue {
public:
    explicit LoadStoreQueue(std::uint32_t entries)
        : entries_(entries), mask_(std::bit_ceil(entries) - 1), operations_(mask_ + 1), freed_(mask_ + 1) {}

    std::uint64_t head() const { return head_; }
    std::uint64_t tail() const { return tail_; }
    bool empty() const { return head_ == tail_; }
    bool full() const { return tail_ - head_ == entries_; }
    MemoryOperation& operator[](std::uint64_t place) { return operations_[place & mask_]; }
    const MemoryOperation& operator[](std::uint64_t place) const { return operations_[place & mask_]; }

    // Whether there is an entry for the next operation that was freed before `time`.
    bool has_room(std::uint64_t time) const { return !full() && freed() < time; }
    // When the entry that the next operation takes was freed, and whether a store had it.
    std::uint64_t freed() const { return freed_[(tail_ - entries_) & mask_].time; }
    bool freed_by_store() const { return freed_[(tail_ - entries_) & mask_].by_store; }

    MemoryOperation& push(bool is_store) {
        MemoryOperation& made = operations_[tail_++ & mask_];
        made = blank;  // and not {}: compilers clear so much by `rep stos`, which takes three times as long
        made.is_store = is_store;
        stores_ += is_store;
        return made;
    }
    void undo_push() {
        MemoryOperation& undone = operations_[--tail_ & mask_];
        undone.age = 0;
        stores_ -= undone.is_store;
    }
    // Stores that the L1 has not taken.
    std::uint32_t stores() const { return stores_; }
    // The oldest of them, of which there is one, is taken.
    void store_finished(MemoryOperation& store, std::uint64_t time) {
        store.finished = true;
        store.free_at = time;
        --stores_;
    }
    // The oldest ones that have finished leave, in order. Whether any did.
    bool pop() {
        const std::uint64_t before = head_;
        while (head_ != tail_ && operations_[head_ & mask_].finished) {
            MemoryOperation& done = operations_[head_ & mask_];
            latest_ = std::max(latest_, done.free_at);
            freed_[head_++ & mask_] = {latest_, done.is_store};
            done.age = 0;
        }
        return head_ != before;
    }
    // ---- all of it, whose operations have all retired, relative to `from`, in words of 32 bits (schedule_memory.hpp).
    // What was freed before `from` is as good as free.

    template <class Add>
    void write_state(std::uint64_t from, Add add) const {
        const auto later = [&](std::uint64_t time) { return time >= from ? time - from + 1 : 0; };
        add(later(latest_));
        add(tail_ - head_);
        for (std::uint64_t at = head_; at != tail_; ++at) {
            const MemoryOperation& one = operations_[at & mask_];
            add(later(one.free_at) << 2 | std::uint64_t{one.is_store} << 1 | std::uint64_t{one.finished});
            if (one.is_store && !one.finished) add(later(one.data_ready));
        }
        for (std::uint64_t k = 1; k <= entries_ && freed_[(head_ - k) & mask_].time >= from; ++k) {
            const Freed& freed = freed_[(head_ - k) & mask_];
            add((freed.time - from) << 1 | freed.by_store);
        }
    }
    // next_store(): the next of the stores that the L1 has not taken, the oldest first.
    template <class Next, class NextStore>
    void read_state(std::uint64_t from, std::uint64_t words, Next next, NextStore next_store) {
        clear();
        latest_ = from - 1 + next();
        std::uint64_t left = next();
        words -= 2 + left;
        for (; left > 0; --left) {
            const std::uint64_t word = next();
            const bool finished = word & 1;
            MemoryOperation& made = push((word & 2) != 0);
            if (made.is_store && !finished) {
                next_store(made);
                made.data_ready = from - 1 + next();
                --words;
            }
            if (made.is_store && finished) --stores_;
            made.finished = finished;
            made.retired = made.executed = made.has_address = made.has_data = true;
            made.free_at = from - 1 + (word >> 2);
        }
        for (std::uint64_t k = 1; k <= entries_; ++k) {
            Freed& freed = freed_[(head_ - k) & mask_];
            freed = {};
            if (k > words) continue;
            const std::uint64_t word = next();
            freed = {from + (word >> 1), (word & 1) != 0};
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
    }

    void serialise(Archive& archive) {
        archive.each(operations_);
        archive.each(freed_);
        archive(head_, tail_, latest_, stores_);
        if (tail_ - head_ > entries_) Archive::damaged();
    }

private:
    static inline const MemoryOperation blank{};
    struct Freed {
        static constexpr bool is_plain = true;
        std::uint64_t time = 0;
        bool by_store = false;
    };
    std::uint32_t entries_;
    std::uint64_t mask_;
    std::vector<MemoryOperation> operations_;
    std::vector<Freed> freed_;
    std::uint64_t head_ = 0, tail_ = 0, latest_ = 0;
    std::uint32_t stores_ = 0;
};
static_assert(is_listed<LoadStoreQueue, 96>);

}  // namespace croftsim
