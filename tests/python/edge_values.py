"""Values for registers and memory, near the edges where instructions change their behaviour."""

from __future__ import annotations

import random
import struct

MASK = (1 << 64) - 1
BOX = 0xFFFFFFFF << 32
HALF_BOX = 0xFFFFFFFFFFFF << 16

INTEGERS = [
    *(0, 1, 2, 3, 31, 32, 63, 64, 0x7F, 0x80, 0xFF, 0x7FFF, 0x8000, 0xFFFF, 0x12345678),
    *(0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x100000000, 0x7FFFFFFFFFFFFFFF),
    *(MASK, MASK - 1, 1 << 63, (1 << 63) + 1, MASK - 0x7F, MASK - 0x7FFFFFFF, MASK - 0x80000000, MASK ^ 0x80000000),
    # Where a conversion to floating point rounds.
    *(1 << 24, (1 << 24) + 1, 1 << 53, (1 << 53) + 1, (1 << 62) + 1, 0xFFFFFFFFFFFFFC00, 0x7FFFFFFFFFFFFDFF),
]


def _single(value: float) -> int:
    return struct.unpack("<I", struct.pack("<f", value))[0]


def _double(value: float) -> int:
    return struct.unpack("<Q", struct.pack("<d", value))[0]


# Zeros, subnormals, the ends of the normal numbers, infinities, NaNs (quiet and signalling), and the values at which
# conversions to integers round or overflow.
_NUMBERS = [0.0, 1.0, 1.5, 2.0, 3.0, 0.1, 0.5, 2.5, 127.0, 1e10, 2.0**31, 2.0**31 - 0.5, 2.0**32, 2.0**63, 2.0**64]
SINGLES = [_single(v) for v in (*_NUMBERS, 2.0**31 - 128, 2.0**32 - 256, 2.0**63 - 2.0**39, 16777215.0)] + [
    *(0x00000001, 0x00000002, 0x00400000, 0x007FFFFF, 0x00800000, 0x00800001, 0x00FFFFFF, 0x7F7FFFFF, 0x7F7FFFFE),
    *(0x7F800000, 0x7FC00000, 0x7FC00001, 0x7FFFFFFF, 0x7F800001, 0x7FBFFFFF, 0x3F7FFFFF, 0x3F800001, 0x1F800000),
    *(0x20000000, 0x5F7FFFFF, 0x5F000000, 0x33800000, 0x33800001),
]
DOUBLES = [_double(v) for v in (*_NUMBERS, 2.0**31 - 1, 2.0**32 - 1, 2.0**63 - 1024, 9007199254740991.0)] + [
    *(0x0000000000000001, 0x0000000000000002, 0x0008000000000000, 0x000FFFFFFFFFFFFF, 0x0010000000000000),
    *(0x0010000000000001, 0x7FEFFFFFFFFFFFFF, 0x7FEFFFFFFFFFFFFE, 0x7FF0000000000000, 0x7FF8000000000000),
    *(0x7FF8000000000001, 0x7FFFFFFFFFFFFFFF, 0x7FF0000000000001, 0x7FF7FFFFFFFFFFFF, 0x3FEFFFFFFFFFFFFF),
    *(0x3FF0000000000001, 0x1FF0000000000000, 0x2000000000000000, 0x5FE0000000000000),
    # Where a conversion to single becomes subnormal, underflows, rounds to a power of two, overflows.
    *(0x380FFFFFFFFFFFFF, 0x3810000000000000, 0x380FFFFFE0000000, 0x380FFFFFF0000000, 0x36A0000000000000),
    *(0x3690000000000000, 0x3690000000000001, 0x47EFFFFFE0000000, 0x47EFFFFFEFFFFFFF, 0x47EFFFFFF0000000),
]
HALVES = [
    *(0x0000, 0x0001, 0x0002, 0x03FF, 0x0400, 0x0401, 0x3BFF, 0x3C00, 0x3C01, 0x3800, 0x3E00, 0x4000, 0x7BFE, 0x7BFF),
    *(0x7C00, 0x7C01, 0x7DFF, 0x7E00, 0x7E01, 0x7FFF),
]
# Where a conversion to half becomes subnormal, underflows, rounds to a power of two, overflows.
SINGLES += [
    *(0x33000000, 0x33000001, 0x33800000, 0x387FC000, 0x387FE000, 0x387FFFFF, 0x38800000, 0x477FE000, 0x477FEFFF),
    *(0x477FF000, 0x47800000, 0x3F801000, 0x3F803000, 0x3F801001),
]
DOUBLES += [
    *(0x3E60000000000000, 0x3E60000000000001, 0x3E70000000000000, 0x3F0FF80000000000, 0x3F0FFC0000000000),
    *(0x3F0FFFFFFFFFFFFF, 0x3F10000000000000, 0x40EFFC0000000000, 0x40EFFDFFFFFFFFFF, 0x40EFFE0000000000),
    *(0x3FF0020000000000, 0x3FF0060000000000, 0x3FF0020000000001),
    # For conversions modulo a power of two.
    *(0x41EFFFFFFFE00000, 0x41F0000000000000, 0x41F00000001FFFFF, 0x433FFFFFFFFFFFFF, 0x4340000000000001),
    *(0x4520000012345678, 0x4530000000000001, 0x4540000000000001, 0x41E0000000200000),
]


def random_integer(rng: random.Random) -> int:
    kind = rng.random()
    if kind < 0.6:
        return rng.choice(INTEGERS)
    if kind < 0.8:
        return rng.getrandbits(64) >> rng.randrange(64)
    return rng.getrandbits(64)


def _random_float(rng: random.Random, edges: list[int], width: int, fraction: int, bias: int) -> int:
    """An edge; a number near 1, often with a short fraction, for sums that cancel and products that are exact; any."""
    kind = rng.random()
    sign = rng.getrandbits(1) << width - 1
    if kind < 0.5:
        return rng.choice(edges) ^ sign
    if kind < 0.8:
        short = rng.choice((0, 0, fraction // 2, fraction - 3))
        return sign | bias + rng.randint(-fraction, fraction) << fraction | rng.getrandbits(fraction) >> short << short
    return rng.getrandbits(width)


def random_single(rng: random.Random) -> int:
    return _random_float(rng, SINGLES, 32, 23, 127)


def random_double(rng: random.Random) -> int:
    return _random_float(rng, DOUBLES, 64, 52, 1023)


def random_half(rng: random.Random) -> int:
    return _random_float(rng, HALVES, 16, 10, 15)


def random_float_register(rng: random.Random) -> int:
    """A double, a NaN-boxed single or half, or, more rarely, a single that is not boxed."""
    kind = rng.random()
    if kind < 0.4:
        return random_double(rng)
    if kind < 0.8:
        return BOX | random_single(rng)
    if kind < 0.96:
        return HALF_BOX | random_half(rng)
    return random_single(rng) | rng.choice((0, 0xFFFFFFFE, 0x7FFFFFFF, rng.getrandbits(32))) << 32
