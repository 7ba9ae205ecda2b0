#pragma once
// The loads and stores in flight on an out-of-order core, in the program's order: loads until they retire, stores until
// the L1 has taken them.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "core/core.hpp"

namespace croftsim {

struct MemoryOperation {
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
    bool is_store = false;
    bool has_address = false, has_data = false;
    bool executed = false;  // a load that has its value
    bool retired = false;
    bool finished = false;
    bool own = false;  // a load of what its core has stored, and nobody else can see yet
    bool missed = false, from_memory = false;

    bool overlaps(const MemoryOperation& other) const {
        return address < other.address + other.size && other.address < address + size;
    }
    bool covers(const MemoryOperation& other) const {
        return address <= other.address && other.address + other.size <= address + size;
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
    void clear() {
        head_ = tail_;
        stores_ = 0;
    }

private:
    static inline const MemoryOperation blank{};
    struct Freed {
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

}  // namespace croftsim
