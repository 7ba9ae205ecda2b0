#pragma once
// Delays messages at random, by a seed, for tests of programs. A program that relies on how long a message takes, and
// not on the machine's promises, will show. The machine's promise still holds: two messages on the same mesh between
// the same nodes do not overtake each other.

#include <cstdint>
#include <vector>

#include "base/archive.hpp"
#include "base/random.hpp"

namespace croftsim {

class Perturbation {
public:
    // Cycles. Short delays change who comes first of two that meet; a long one, rare, lets a whole exchange of others
    // overtake one message.
    static constexpr std::uint64_t short_delay = 60, long_delay = 2000;

    // A seed of 0 delays nothing.
    Perturbation(std::uint64_t seed, std::size_t nodes) : seed_(seed), random_(seed), nodes_(nodes) {
        if (seed_) last_.assign(meshes * nodes * nodes, 0);
    }
    // When a message that would arrive at `time` does. Every third one is late, every hundredth very.
    std::uint64_t delay(std::uint32_t mesh, std::uint32_t from, std::uint32_t to, std::uint64_t time) {
        if (!seed_) return time;
        const std::uint64_t draw = random_.next();
        if (draw % 3 == 0) time += (draw >> 8) % short_delay;
        if (draw % 100 == 1) time += (draw >> 8) % long_delay;
        std::uint64_t& last = last_[(mesh * nodes_ + from) * nodes_ + to];
        if (time < last) time = last;
        return last = time;
    }

    void serialise(Archive& archive) {
        archive(random_);
        archive.each(last_);
    }

private:
    static constexpr std::size_t meshes = 3;
    std::uint64_t seed_;
    SplitMix64 random_;
    std::size_t nodes_;
    std::vector<std::uint64_t> last_;
};
static_assert(is_listed<Perturbation, 48>);

}  // namespace croftsim
