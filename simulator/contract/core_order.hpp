#pragma once
// By which numbers a program knows a machine's cores. They are translated where the program says or is told one
// (core/csr.hpp, device/, kernel/). All else calls a core by its tile.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace croftsim {

class CoreOrder {
public:
    CoreOrder() = default;  // as the machine numbers them
    // `listed` are the program's cores 0, 1, ...; other tiles follow in the machine's order. Throws
    // std::invalid_argument if one comes twice, or is no tile.
    CoreOrder(std::span<const std::uint32_t> listed, std::uint32_t tiles)
        : tiles_(listed.begin(), listed.end()), numbers_(tiles, unlisted) {
        for (std::uint32_t number = 0; number < tiles_.size(); ++number) {
            const std::uint32_t tile = tiles_[number];
            if (tile >= tiles || numbers_[tile] != unlisted)
                throw std::invalid_argument("core " + std::to_string(tile) + " is listed twice, or is none");
            numbers_[tile] = number;
        }
        for (std::uint32_t tile = 0; tile < tiles; ++tile) {
            if (numbers_[tile] != unlisted) continue;
            numbers_[tile] = static_cast<std::uint32_t>(tiles_.size());
            tiles_.push_back(tile);
        }
    }

    // A number that no tile has is its own translation, so that errors can name it.
    std::uint32_t tile_of(std::uint64_t number) const {
        return number < tiles_.size() ? tiles_[number] : static_cast<std::uint32_t>(number);
    }
    std::uint32_t number_of(std::uint32_t tile) const { return tile < numbers_.size() ? numbers_[tile] : tile; }

private:
    static constexpr std::uint32_t unlisted = ~std::uint32_t{0};
    std::vector<std::uint32_t> tiles_, numbers_;  // empty: each is its own
};

}  // namespace croftsim
