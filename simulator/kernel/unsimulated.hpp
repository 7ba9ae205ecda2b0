#pragma once
// The system calls that the program has made and that are not simulated, by name.

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/archive.hpp"

namespace croftsim {

class Unsimulated {
public:
    // Numbers that Linux lacks count as this number, because a program could fill the host's memory with them.
    static constexpr std::uint64_t nameless = ~std::uint64_t{0};

    void add(std::uint64_t number) { ++counts_[number]; }
    // The names in the order of the numbers, and how often each was called.
    std::vector<std::pair<std::string, std::uint64_t>> list() const;

    void serialise(Archive& archive) { archive(counts_); }

private:
    std::map<std::uint64_t, std::uint64_t> counts_;
};
static_assert(is_listed<Unsimulated, 48>);

}  // namespace croftsim
