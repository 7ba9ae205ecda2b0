#pragma once
// A picture cut into square tiles. Each tile is cut out with the pixels around it, so a pixel's result does not depend
// on the tile it is in. Outside the picture, its border repeats.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "netpbm.hpp"

namespace programs {

// Tiles are numbered row by row, plane by plane. Those at the right and lower edges reach beyond the picture.
class tiling {
public:
    tiling(const picture& of, std::size_t size)
        : size_(size),
          columns_((of.width + size - 1) / size),
          rows_((of.height + size - 1) / size),
          planes_(of.planes) {}

    std::size_t count() const { return columns_ * rows_ * planes_; }

    // The tile's elements with a margin of one around them.
    template <class Element>
    void cut(const picture& from, std::size_t number, Element* tile) const {
        const place at = locate(number);
        for (std::size_t y = 0; y < size_ + 2; ++y) {
            const std::uint16_t* row = from.row(at.plane, inside(at.y + y, from.height));
            for (std::size_t x = 0; x < size_ + 2; ++x)
                *tile++ = static_cast<Element>(row[inside(at.x + x, from.width)]);
        }
    }
    // The other way, without a margin, and without what lies beyond the picture.
    template <class Element>
    void paste(picture& into, std::size_t number, const Element* tile) const {
        const place at = locate(number);
        for (std::size_t y = 0; y < std::min(size_, into.height - at.y); ++y)
            for (std::size_t x = 0; x < std::min(size_, into.width - at.x); ++x)
                into.row(at.plane, at.y + y)[at.x + x] = sample(tile[y * size_ + x], into.most);
    }

    template <class Element>
    static std::uint16_t sample(Element value, std::uint32_t most) {
        if constexpr (std::is_floating_point_v<Element>) value = std::floor(value + Element{0.5});
        return static_cast<std::uint16_t>(std::clamp<Element>(value, 0, static_cast<Element>(most)));
    }

private:
    struct place {
        std::size_t plane, x, y;
    };
    place locate(std::size_t number) const {
        const std::size_t in_plane = number % (columns_ * rows_);
        return {number / (columns_ * rows_), in_plane % columns_ * size_, in_plane / columns_ * size_};
    }
    // Position i of a tile with a margin, which begins one before the tile.
    static std::size_t inside(std::size_t i, std::size_t length) { return std::min(i == 0 ? 0 : i - 1, length - 1); }

    std::size_t size_, columns_, rows_, planes_;
};

}  // namespace programs
