#pragma once
// The use of each line of memory, and its cost (`croft run --lines`). For every line and core it counts loads, stores
// and atomic operations, and the waits by cause. It also counts how often the core read next what another had written.
// It also tells true from false sharing, as Dubois et al. 1993 do. Sharing is true if a core uses bytes that another
// wrote, before they are written again. It is false if the line was taken away for other bytes beside them.
//
// Counts come in the order of each core. The next reader is a question about all cores' order. So accesses to lines
// that several cores use are put in the order of their issue, one stretch of time after the other. Memory that is
// allocated anew becomes another object: the past use of its lines stays with the old one.

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "contract/message.hpp"
#include "contract/simulation.hpp"
#include "record/execution_log.hpp"
#include "record/handovers.hpp"
#include "record/line_table.hpp"

namespace croftsim {

class LineRecorder {
public:
    LineRecorder(std::uint32_t cores, std::uint64_t limit)
        : table_(cores, limit), cores_(cores), waits_(std::size_t{cores} * cores) {}

    // ---- in the order of each core's time ----
    void accessed(std::uint32_t core, const ExecutionLog::Accessed& access);
    void waited(std::uint32_t core, const ExecutionLog::Waited& wait, std::int64_t cycles);
    // By an instruction in front of `return_address`, called in `node`.
    void allocated(std::uint64_t return_address, std::uint32_t node, std::uint64_t address, std::uint64_t bytes,
                   std::uint64_t time);

    // ---- in the order of the machine's time ----
    void sent(const Message& message, std::uint32_t hops);
    // Nobody will tell of an access before that.
    void order_until(std::uint64_t time);
    // The owner of the memory at an address, at a time since the latest order_until() and before anything that has been
    // told.
    Handovers::Tenant tenant_at(std::uint64_t address, std::uint64_t time) const;
    bool has_many() const { return touches_.size() > many_; }

    // A line's home, and whether the lines around it have other ones, all over the chip.
    using HomeOf = std::function<std::pair<std::uint32_t, bool>(std::uint64_t line)>;
    Lines take(const HomeOf& home_of);

private:
    static constexpr std::size_t least_many = 1 << 20;

    // An access or a wait that the order of all cores is of concern to.
    struct Touch {
        std::uint64_t time;
        LineTable::Line* line;
        LineTable::Use* use;
        std::uint32_t cycles;  // 0: an access
        std::uint8_t first, bytes;
        bool reads, writes;
    };
    void apply(const Touch& touch);
    void begin_anew(LineTable::Line& line, std::uint32_t allocation);
    std::uint32_t allocation_at(std::uint64_t line) const;
    std::uint32_t site(std::uint64_t return_address, std::uint32_t node);
    void add_line(Lines& result, std::uint64_t address, const LineTable::Line& from, const HomeOf& home_of,
                  std::size_t first_of_page) const;

    LineTable table_;
    const std::uint32_t cores_;
    std::vector<Touch> touches_;
    std::size_t many_ = least_many;
    std::vector<std::uint64_t> waits_;  // by core and last writer
    std::vector<Lines::Allocation> allocations_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> sites_;  // return address and node: its number
    struct Placed {
        std::uint64_t end;
        std::uint32_t allocation;
        std::uint64_t since;
    };
    struct Replaced : Placed {
        std::uint64_t begin, until;
    };
    std::map<std::uint64_t, Placed> placed_;  // by address, the latest at each
    std::vector<Replaced> replaced_;          // since the latest order_until()
    // By allocation: what lines were used for that are something else now, as if it had been one line of each.
    std::map<std::uint32_t, LineTable::Line> gone_;
    std::uint64_t left_out_ = 0;
};

}  // namespace croftsim
