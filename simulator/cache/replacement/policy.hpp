#pragma once
// Which line of a set leaves when another needs its place. Each policy is one file of this folder, and table.hpp lists
// them by name. A cache asks only if all places of the set are taken, and a line that is busy cannot leave.
//
// A policy keeps a mark for each place of the set, and one number for the whole cache. All are zero at first, and the
// cache saves them. LRU has no such class: a cache calls it directly (lru.hpp), so that it costs no more than before
// there were others.

#include <cstdint>

namespace croftsim::replacement {

struct Set {
    std::uint64_t* marks;  // one for each way
    std::uint32_t ways;
    std::uint64_t& clock;  // the whole cache's
};

// Whether the line in a way of the set is busy.
class Busy {
public:
    virtual bool operator()(std::uint32_t way) const = 0;

protected:
    ~Busy() = default;
};

class Policy {
public:
    virtual void arrives(const Set& set, std::uint32_t way) const = 0;
    virtual void is_used(const Set& set, std::uint32_t way) const = 0;
    // The way whose line would leave; `ways` if all are busy. That may be asked without consequences.
    virtual std::uint32_t victim(const Set& set, const Busy& busy) const = 0;
    // It does leave.
    virtual void leaves(const Set& set, std::uint32_t way) const = 0;

protected:
    ~Policy() = default;
};

}  // namespace croftsim::replacement
