#pragma once
// The part of a segment that has been played (schedule_memory.hpp), and how it is taken back if it turns out not to
// fit.

#include <cstdint>
#include <vector>

#include "cache/line_cache.hpp"
#include "core/schedule_memory.hpp"

namespace croftsim {

// A store that has been dispatched and that the L1 has not taken. While segments are played its bytes are in its line
// already; `before` is what they were.
struct WaitingStore {
    std::uint8_t* where;
    std::uint64_t before, address, data, pc;
    LoadType type;
    std::uint8_t size;
};

class Trial {
public:
    struct Instruction {
        const ScheduleStep* step;     // null: a store that waited when the segment began
        std::uint64_t address, data;  // of a store
        BranchPredictor::Prediction prediction;
        std::uint32_t registers, memory;  // written before it
        std::uint8_t flags, size;         // fflags before it; of a store
    };

    // It has segments with so many instructions at most, behind so many stores that wait.
    Trial(std::size_t instructions, std::size_t stores)
        : instructions_(instructions + stores), registers_written_(instructions), memory_written_(instructions) {}

    void begin(const std::vector<WaitingStore>& waiting) {
        count_ = registers_ = memory_ = 0;
        for (const WaitingStore& store : waiting) {
            Instruction& one = instructions_[count_++];
            one.step = nullptr;
            one.address = store.address;
            one.size = store.size;
        }
    }
    // By number.
    Instruction& operator[](std::size_t number) { return instructions_[number]; }
    std::uint32_t count() const { return count_; }

    Instruction& next(const ScheduleStep& step, std::uint8_t flags) {
        Instruction& one = instructions_[count_++];
        one.step = &step;
        one.registers = registers_;
        one.memory = memory_;
        one.flags = flags;
        return one;
    }
    void write(std::uint64_t& to, std::uint64_t value) {
        registers_written_[registers_++] = {&to, to};
        to = value;
    }
    void write(std::uint8_t* to, std::uint64_t value, std::uint8_t size) {
        memory_written_[memory_++] = {to, get_bytes(to, size), size};
        put_bytes(to, value, size);
    }
    // The change that a played store, which has been executed, has made to its line.
    WaitingStore waiting(const Instruction& store) const {
        const MemoryWritten& written = memory_written_[store.memory];
        const Decoded& instruction = store.step->instruction;
        return {written.where,  written.value,    store.address,   store.data,
                store.step->pc, instruction.type, instruction.size};
    }
    void take_back(std::uint32_t registers, std::uint32_t memory) {
        while (registers_ > registers) {
            const RegisterWritten& one = registers_written_[--registers_];
            *one.where = one.value;
        }
        while (memory_ > memory) {
            const MemoryWritten& one = memory_written_[--memory_];
            put_bytes(one.where, one.value, one.size);
        }
    }

private:
    struct RegisterWritten {
        std::uint64_t* where;
        std::uint64_t value;
    };
    struct MemoryWritten {
        std::uint8_t* where;
        std::uint64_t value;
        std::uint8_t size;
    };
    std::uint32_t count_ = 0, registers_ = 0, memory_ = 0;
    std::vector<Instruction> instructions_;
    std::vector<RegisterWritten> registers_written_;
    std::vector<MemoryWritten> memory_written_;
};

}  // namespace croftsim
