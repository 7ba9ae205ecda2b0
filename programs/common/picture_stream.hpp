#pragma once
// The tiles of a picture, as a stream of matrices with a margin; the results are pasted into another picture.

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "convolution.hpp"
#include "matrix_stream.hpp"
#include "netpbm.hpp"
#include "tiling.hpp"

namespace programs {

template <class Element>
class picture_stream final : public matrix_stream {
public:
    // Reads the picture `name` and, at the end, writes the result to `output` unless that is empty; before, checks it
    // against a sequential computation if `checks`. Throws usage_error.
    picture_stream(const std::string& name, std::string output, std::size_t size, const filter<Element>& by,
                   bool checks)
        : from_(read_netpbm(name)),
          into_(from_),
          tiling_(from_, size),
          output_(std::move(output)),
          size_(size),
          by_(by),
          checks_(checks) {}

    std::size_t count() const override { return tiling_.count(); }
    std::size_t bytes() const override { return (size_ + 2) * (size_ + 2) * sizeof(Element); }
    void make(std::size_t number, std::byte* task) const override {
        tiling_.cut(from_, number, elements<Element>(task));
    }
    void compute(const std::byte* task, std::byte* result) const override {
        convolve_inner(by_, elements<Element>(task), elements<Element>(result), size_);
    }
    void take(std::size_t number, const std::byte* result, std::size_t) override {
        tiling_.paste(into_, number, elements<Element>(result));
    }
    void finish(bool) override {
        if (checks_) compare();
        if (!output_.empty()) write_netpbm(output_, into_);
    }

private:
    // Pixel by pixel from the picture itself: without tiles, margins or a farm.
    void compare() const {
        for (std::size_t plane = 0; plane < from_.planes; ++plane)
            for (std::size_t y = 0; y < from_.height; ++y)
                for (std::size_t x = 0; x < from_.width; ++x) {
                    Element around[3][3];
                    for (int dy = -1; dy <= 1; ++dy)
                        for (int dx = -1; dx <= 1; ++dx)
                            around[dy + 1][dx + 1] = static_cast<Element>(
                                from_.row(plane, moved(y, dy, from_.height))[moved(x, dx, from_.width)]);
                    const Element value = convolve_one(by_, around[0], around[1], around[2], 0, 1, 2);
                    if (into_.row(plane, y)[x] != tiling::sample(value, from_.most))
                        throw std::runtime_error("pixel (" + std::to_string(x) + ", " + std::to_string(y) +
                                                 ") is not what it should be");
                }
        std::printf("check: the picture is that of a sequential computation\n");
    }
    static std::size_t moved(std::size_t at, int step, std::size_t length) {
        return static_cast<std::size_t>(
            std::clamp<long>(static_cast<long>(at) + step, 0, static_cast<long>(length) - 1));
    }

    picture from_, into_;
    tiling tiling_;
    std::string output_;
    std::size_t size_;
    filter<Element> by_;
    bool checks_;
};

}  // namespace programs
