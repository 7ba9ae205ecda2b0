#pragma once
// IEEE 754 arithmetic with integers only: the reference, in every rounding mode and with every flag, on any host.
// The contract of each function is in isa/floating_point.hpp, which calls these where the host's unit cannot be used.

#include <cstdint>

#include "isa/floating_point_format.hpp"

namespace croftsim::fp::exact {

template <class B>
B add(B a, B b, std::uint8_t rm, std::uint8_t& flags);
template <class B>
B mul(B a, B b, std::uint8_t rm, std::uint8_t& flags);
template <class B>
B div(B a, B b, std::uint8_t rm, std::uint8_t& flags);
template <class B>
B sqrt(B a, std::uint8_t rm, std::uint8_t& flags);
template <class B>
B fma(B a, B b, B c, std::uint8_t rm, std::uint8_t& flags);

template <class I, class B>
I to_integer(B a, std::uint8_t rm, std::uint8_t& flags);
template <class B, class I>
B from_integer(I value, std::uint8_t rm, std::uint8_t& flags);

template <class B>
B to_integral(B a, std::uint8_t rm, std::uint8_t& flags);

template <class To, class From>
To convert(From a, std::uint8_t rm, std::uint8_t& flags);
inline std::uint64_t widen(std::uint32_t a, std::uint8_t& flags) { return convert<std::uint64_t>(a, rne, flags); }
inline std::uint32_t narrow(std::uint64_t a, std::uint8_t rm, std::uint8_t& flags) {
    return convert<std::uint32_t>(a, rm, flags);
}

}  // namespace croftsim::fp::exact
