#pragma once
// The two forms of the market data share this: trades, and the book that they are entered in.

#include <array>
#include <cstdint>

namespace market {

inline constexpr std::uint32_t symbols = 64;

struct trade {
    std::uint32_t symbol, size;
    std::int64_t price;  // in cents
};

struct summary {
    std::uint64_t trades = 0, volume = 0;
    std::int64_t turnover = 0, last = 0;  // in cents
};

// The how-many-eth trade of an exchange, as if it came from a network.
inline trade from_exchange(std::uint64_t exchange, std::uint64_t number) {
    const std::uint64_t mixed = (exchange << 40 | number) * 0x9e3779b97f4a7c15u;
    return {static_cast<std::uint32_t>(mixed >> 58), static_cast<std::uint32_t>(mixed >> 48 & 255) + 1,
            static_cast<std::int64_t>(mixed >> 32 & 1023) + 9'500};
}

class book {
public:
    void enter(const trade& made) {
        summary& of = of_[made.symbol];
        ++of.trades;
        of.volume += made.size;
        of.turnover += made.price * made.size;
        of.last = made.price;
    }
    const summary& of(std::uint32_t symbol) const { return of_[symbol]; }
    summary total() const {
        summary all;
        for (const summary& each : of_) {
            all.trades += each.trades;
            all.volume += each.volume;
            all.turnover += each.turnover;
        }
        return all;
    }

private:
    std::array<summary, symbols> of_;
};

}  // namespace market
