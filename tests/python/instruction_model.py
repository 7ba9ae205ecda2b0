"""The instructions that QEMU 5 (unicorn) does not know, written down once more: integers and exact fractions of Python.

This was written from the specification, apart from the simulator's tables, and shares no algorithm with them. A model
acts on a State; `carry_out` finds it by the mnemonic.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple, Protocol

MASK = (1 << 64) - 1
RNE, RTZ, RDN, RUP, RMM = range(5)
NV, DZ, OF, UF, NX = 16, 8, 4, 2, 1


class State(Protocol):
    """What an instruction may read and change."""

    frm: int

    def x(self, number: int) -> int: ...
    def set_x(self, number: int, value: int) -> None: ...
    def f(self, number: int) -> int: ...
    def set_f(self, number: int, value: int) -> None: ...
    def accrue(self, flags: int) -> None: ...
    def read(self, address: int, size: int) -> int: ...
    def write(self, address: int, size: int, value: int) -> None: ...


class Fields(NamedTuple):
    rd: int
    rs1: int
    rs2: int
    amount: int  # of a shift
    rm: int


def fields_of(bits: int) -> Fields:
    return Fields(bits >> 7 & 31, bits >> 15 & 31, bits >> 20 & 31, bits >> 20 & 63, bits >> 12 & 7)


def low(value: int, bits: int) -> int:
    return value & ((1 << bits) - 1)


def signed(value: int, bits: int) -> int:
    value = low(value, bits)
    return value - (1 << bits) if value >> bits - 1 else value


def digits(value: int, bits: int = 64) -> str:
    """The binary digits, the most significant first."""
    return format(low(value, bits), f"0{bits}b")


def rotated_right(value: int, amount: int, bits: int) -> int:
    text = digits(value, bits)
    amount %= bits
    return int(text[bits - amount :] + text[: bits - amount], 2)


def leading_zeros(value: int, bits: int) -> int:
    return (digits(value, bits) + "1").index("1")


def trailing_zeros(value: int, bits: int) -> int:
    return (digits(value, bits)[::-1] + "1").index("1")


def any_in_byte(value: int) -> int:
    return int.from_bytes(bytes(255 if byte else 0 for byte in value.to_bytes(8, "little")), "little")


def with_bit(value: int, number: int, bit: Callable[[str], str]) -> int:
    text = list(digits(value))
    text[63 - number] = bit(text[63 - number])
    return int("".join(text), 2)


# Of a = rs1 and b = rs2 or the shift amount; the result's low 64 bits count.
INTEGER: dict[str, Callable[[int, int], int]] = {
    "add.uw": lambda a, b: b + low(a, 32),
    "sh1add": lambda a, b: b + 2 * a,
    "sh2add": lambda a, b: b + 4 * a,
    "sh3add": lambda a, b: b + 8 * a,
    "sh1add.uw": lambda a, b: b + 2 * low(a, 32),
    "sh2add.uw": lambda a, b: b + 4 * low(a, 32),
    "sh3add.uw": lambda a, b: b + 8 * low(a, 32),
    "slli.uw": lambda a, b: low(a, 32) << b,
    "andn": lambda a, b: a & (b ^ MASK),
    "orn": lambda a, b: a | (b ^ MASK),
    "xnor": lambda a, b: a ^ b ^ MASK,
    "clz": lambda a, b: leading_zeros(a, 64),
    "ctz": lambda a, b: trailing_zeros(a, 64),
    "cpop": lambda a, b: digits(a).count("1"),
    "clzw": lambda a, b: leading_zeros(a, 32),
    "ctzw": lambda a, b: trailing_zeros(a, 32),
    "cpopw": lambda a, b: digits(a, 32).count("1"),
    "max": lambda a, b: max(signed(a, 64), signed(b, 64)),
    "maxu": lambda a, b: max(a, b),
    "min": lambda a, b: min(signed(a, 64), signed(b, 64)),
    "minu": lambda a, b: min(a, b),
    "sext.b": lambda a, b: signed(a, 8),
    "sext.h": lambda a, b: signed(a, 16),
    "zext.h": lambda a, b: low(a, 16),
    "rol": lambda a, b: rotated_right(a, 64 - b % 64, 64),
    "rolw": lambda a, b: signed(rotated_right(a, 32 - b % 32, 32), 32),
    "ror": lambda a, b: rotated_right(a, b % 64, 64),
    "rori": lambda a, b: rotated_right(a, b, 64),
    "rorw": lambda a, b: signed(rotated_right(a, b % 32, 32), 32),
    "roriw": lambda a, b: signed(rotated_right(a, b % 32, 32), 32),
    "orc.b": lambda a, b: any_in_byte(a),
    "rev8": lambda a, b: int.from_bytes(a.to_bytes(8, "little"), "big"),
    "bclr": lambda a, b: with_bit(a, b % 64, lambda bit: "0"),
    "bext": lambda a, b: int(digits(a)[63 - b % 64]),
    "binv": lambda a, b: with_bit(a, b % 64, lambda bit: "10"[int(bit)]),
    "bset": lambda a, b: with_bit(a, b % 64, lambda bit: "1"),
    "czero.eqz": lambda a, b: a if b else 0,
    "czero.nez": lambda a, b: 0 if b else a,
    "mop.r": lambda a, b: 0,
    "mop.rr": lambda a, b: 0,
}
INTEGER |= {f"{name}i": INTEGER[name] for name in ("bclr", "bext", "binv", "bset")}
_IMMEDIATE = {"slli.uw", "rori", "roriw", "bclri", "bexti", "binvi", "bseti"}

# Of the word in memory and of rs2, both as numbers of the width; signed ones but for those that end in "u".
MEMORY: dict[str, Callable[[int, int], int]] = {
    "swap": lambda old, new: new,
    "add": lambda old, new: old + new,
    "xor": lambda old, new: old ^ new,
    "and": lambda old, new: old & new,
    "or": lambda old, new: old | new,
    "min": min,
    "max": max,
    "minu": min,
    "maxu": max,
}
_WIDTHS = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}


def atomic(name: str, state: State, at: Fields) -> None:
    operation, width = name.removeprefix("amo").split(".")
    size = _WIDTHS[width]
    bits, address = 8 * size, state.x(at.rs1)
    old = state.read(address, size)
    if operation == "cas":
        compare_and_swap(state, at, size, old)
        return
    number = low if operation.endswith("u") else signed
    state.write(address, size, low(MEMORY[operation](number(old, bits), number(state.x(at.rs2), bits)), bits))
    state.set_x(at.rd, signed(old, bits))


def compare_and_swap(state: State, at: Fields, size: int, old: int) -> None:
    bits = 8 * size

    def register(number: int) -> int:
        if size < 16:
            return low(state.x(number), bits)
        return state.x(number) | state.x(number + 1) << 64 if number else 0

    expected, new = register(at.rd), register(at.rs2)
    if old == expected:
        state.write(state.x(at.rs1), size, new)
    if size < 16:
        state.set_x(at.rd, signed(old, bits))
    elif at.rd:
        state.set_x(at.rd, low(old, 64))
        state.set_x(at.rd + 1, old >> 64)


# ---- floating point


class Format(NamedTuple):
    """A binary interchange format: its bits, those of its exponent's field, and how a register holds it."""

    bits: int
    exponent_bits: int

    @property
    def precision(self) -> int:
        return self.bits - self.exponent_bits

    @property
    def emax(self) -> int:
        return (1 << self.exponent_bits - 1) - 1

    @property
    def infinity(self) -> int:
        return ((1 << self.exponent_bits) - 1) << self.precision - 1

    @property
    def nan(self) -> int:
        return self.infinity | 1 << self.precision - 2

    def from_register(self, value: int) -> int:
        """The pattern; the canonical NaN if it is not boxed."""
        return low(value, self.bits) if value >> self.bits == MASK >> self.bits else self.nan

    def to_register(self, pattern: int) -> int:
        return MASK >> self.bits << self.bits | pattern


HALF, SINGLE, DOUBLE = Format(16, 5), Format(32, 8), Format(64, 11)
FORMATS = {"h": HALF, "s": SINGLE, "d": DOUBLE}


def is_nan(pattern: int, form: Format) -> bool:
    return low(pattern, form.bits - 1) > form.infinity


def is_signalling(pattern: int, form: Format) -> bool:
    return is_nan(pattern, form) and not pattern >> form.precision - 2 & 1


def is_infinite(pattern: int, form: Format) -> bool:
    return low(pattern, form.bits - 1) == form.infinity


def sign_of(pattern: int, form: Format) -> int:
    return pattern >> form.bits - 1


def value_of(pattern: int, form: Format) -> Fraction:
    """Of a finite pattern."""
    exponent = low(pattern, form.bits - 1) >> form.precision - 1
    fraction = low(pattern, form.precision - 1)
    if exponent:
        fraction |= 1 << form.precision - 1
    size = fraction * Fraction(2) ** (max(exponent, 1) - form.emax - (form.precision - 1))
    return -size if sign_of(pattern, form) else size


def to_whole(value: Fraction, rm: int) -> int:
    """The integer that the value rounds to."""
    below = value.numerator // value.denominator
    rest = value - below
    if rest == 0 or rm == RDN:
        return below
    if rm == RUP:
        return below + 1
    if rm == RTZ:
        return below if value >= 0 else below + 1
    if rest != Fraction(1, 2):
        return below + (rest > Fraction(1, 2))
    if rm == RMM:
        return below + (value >= 0)
    return below + below % 2


def to_pattern(value: Fraction, negative: int, form: Format, rm: int) -> tuple[int, int]:
    """A number as a pattern of the format, and the flags. `negative` is the sign of a zero."""
    sign = (negative if value == 0 else value < 0) << form.bits - 1
    if value == 0:
        return sign, 0
    size = abs(value)
    mode = {RDN: RUP, RUP: RDN}.get(rm, rm) if value < 0 else rm  # of the size
    top = size.numerator.bit_length() - size.denominator.bit_length()
    if Fraction(2) ** top > size:
        top -= 1
    emin = 1 - form.emax
    place = Fraction(2) ** (max(top, emin) - (form.precision - 1))
    rounded = to_whole(size / place, mode) * place
    if rounded >= Fraction(2) ** (form.emax + 1):
        finite = mode in (RTZ, RDN)
        return sign | form.infinity - finite, OF | NX
    flags = 0
    if rounded != size:
        flags = NX
        unlimited = Fraction(2) ** (top - (form.precision - 1))
        if to_whole(size / unlimited, mode) * unlimited < Fraction(2) ** emin:
            flags |= UF
    count, exponent = int(rounded / place), max(top, emin)
    if count >> form.precision:
        count, exponent = count >> 1, exponent + 1
    if count >> form.precision - 1:
        return sign | exponent + form.emax << form.precision - 1 | low(count, form.precision - 1), flags
    return sign | count, flags


CONSTANTS = [-1.0, None, 2**-16, 2**-15, 2**-8, 2**-7, 2**-4, 2**-3, 0.25, 0.3125, 0.375, 0.4375, 0.5, 0.625, 0.75]
CONSTANTS += [0.875, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 4, 8, 16, 128, 256, 2**15, 2**16]


def constant(number: int, form: Format) -> int:
    if number == 1:
        return 1 << form.precision - 1
    if number >= 30:
        return form.infinity if number == 30 else form.nan
    return to_pattern(Fraction(CONSTANTS[number]), 0, form, RNE)[0]


def converted(pattern: int, source: Format, target: Format, rm: int) -> tuple[int, int]:
    if is_nan(pattern, source):
        return target.nan, NV if is_signalling(pattern, source) else 0
    if is_infinite(pattern, source):
        return sign_of(pattern, source) << target.bits - 1 | target.infinity, 0
    return to_pattern(value_of(pattern, source), sign_of(pattern, source), target, rm)


def rounded_to_integer(pattern: int, form: Format, rm: int) -> tuple[int, int]:
    if is_nan(pattern, form):
        return form.nan, NV if is_signalling(pattern, form) else 0
    if is_infinite(pattern, form):
        return pattern, 0
    value = value_of(pattern, form)
    whole = to_whole(value, rm)
    return to_pattern(Fraction(whole), sign_of(pattern, form), form, RNE)[0], NX if whole != value else 0


def word_modulo(pattern: int) -> tuple[int, int]:
    if is_nan(pattern, DOUBLE) or is_infinite(pattern, DOUBLE):
        return 0, NV
    value = value_of(pattern, DOUBLE)
    whole = to_whole(value, RTZ)
    if not -(1 << 31) <= whole < 1 << 31:
        return signed(whole, 32), NV
    return signed(whole, 32), NX if whole != value else 0


def lesser(a: int, b: int, form: Format, greater: bool) -> tuple[int, int]:
    """Of fminm or fmaxm."""
    if is_nan(a, form) or is_nan(b, form):
        return form.nan, NV if is_signalling(a, form) or is_signalling(b, form) else 0

    def key(pattern: int) -> tuple[float | Fraction, int]:
        negative = sign_of(pattern, form)
        if is_infinite(pattern, form):
            return (float("-inf") if negative else float("inf")), 0
        return value_of(pattern, form), -negative

    return sorted((a, b), key=key)[greater], 0


def ordered(a: int, b: int, form: Format, or_equal: bool) -> tuple[int, int]:
    """Of fleq or fltq."""
    if is_nan(a, form) or is_nan(b, form):
        return 0, NV if is_signalling(a, form) or is_signalling(b, form) else 0
    x, y = (
        (float("-inf") if sign_of(p, form) else float("inf")) if is_infinite(p, form) else value_of(p, form)
        for p in (a, b)
    )
    return int(x < y or (or_equal and x == y)), 0


def floating(name: str, state: State, at: Fields, bits: int) -> None:
    operation, *widths = name.split(".")
    form = FORMATS.get(name[-1], DOUBLE)
    rm = state.frm if at.rm == 7 else at.rm
    a, b = (form.from_register(state.f(number)) for number in (at.rs1, at.rs2))
    match operation:
        case "flh":
            state.set_f(at.rd, HALF.to_register(state.read(state.x(at.rs1) + signed(bits >> 20, 12), 2)))
        case "fsh":
            offset = signed(bits >> 25 << 5 | bits >> 7 & 31, 12)
            state.write(state.x(at.rs1) + offset, 2, low(state.f(at.rs2), 16))
        case "fmv" if widths == ["x", "h"]:
            state.set_x(at.rd, signed(state.f(at.rs1), 16))
        case "fmv":
            state.set_f(at.rd, HALF.to_register(low(state.x(at.rs1), 16)))
        case "fli":
            state.set_f(at.rd, form.to_register(constant(at.rs1, form)))
        case "fcvt":
            target = FORMATS[widths[0]]
            pattern, flags = converted(a, form, target, rm)
            state.set_f(at.rd, target.to_register(pattern))
            state.accrue(flags)
        case "fminm" | "fmaxm":
            pattern, flags = lesser(a, b, form, operation == "fmaxm")
            state.set_f(at.rd, form.to_register(pattern))
            state.accrue(flags)
        case "fround" | "froundnx":
            pattern, flags = rounded_to_integer(a, form, rm)
            state.set_f(at.rd, form.to_register(pattern))
            state.accrue(flags if operation == "froundnx" else flags & NV)
        case "fcvtmod":
            value, flags = word_modulo(DOUBLE.from_register(state.f(at.rs1)))
            state.set_x(at.rd, value)
            state.accrue(flags)
        case _:
            value, flags = ordered(a, b, form, operation == "fleq")
            state.set_x(at.rd, value)
            state.accrue(flags)


FLOATING = {
    *("flh", "fsh", "fmv.x.h", "fmv.h.x", "fcvt.s.h", "fcvt.h.s", "fcvt.d.h", "fcvt.h.d", "fcvtmod.w.d"),
    *(f"{name}.{f}" for name in ("fli", "fminm", "fmaxm", "fround", "froundnx", "fleq", "fltq") for f in "sd"),
}

# ---- 16 bits

_UNARY: dict[str, Callable[[int], int]] = {
    "c.zext.b": lambda a: low(a, 8),
    "c.sext.b": lambda a: signed(a, 8),
    "c.zext.h": lambda a: low(a, 16),
    "c.sext.h": lambda a: signed(a, 16),
    "c.zext.w": lambda a: low(a, 32),
    "c.not": lambda a: a ^ MASK,
}
COMPRESSED = {*_UNARY, "c.lbu", "c.lhu", "c.lh", "c.sb", "c.sh", "c.mul", "c.mop"}


def compressed(name: str, state: State, half: int) -> None:
    first, second = (half >> 7 & 7) + 8, (half >> 2 & 7) + 8
    byte_at = state.x(first) + (half >> 6 & 1) + 2 * (half >> 5 & 1)
    half_at = state.x(first) + 2 * (half >> 5 & 1)
    match name:
        case "c.mop":
            pass
        case "c.lbu":
            state.set_x(second, state.read(byte_at, 1))
        case "c.lhu":
            state.set_x(second, state.read(half_at, 2))
        case "c.lh":
            state.set_x(second, signed(state.read(half_at, 2), 16))
        case "c.sb":
            state.write(byte_at, 1, low(state.x(second), 8))
        case "c.sh":
            state.write(half_at, 2, low(state.x(second), 16))
        case "c.mul":
            state.set_x(first, state.x(first) * state.x(second))
        case _:
            state.set_x(first, _UNARY[name](state.x(first)))


# ---- all


def is_modelled(name: str) -> bool:
    if name.startswith("amo"):
        return name.startswith("amocas") or name[-1] in "bh"
    return name in INTEGER or name in FLOATING or name in COMPRESSED


def carry_out(name: str, bits: int, state: State) -> None:
    """The instruction, which is_modelled(), on the state."""
    at = fields_of(bits)
    if name in COMPRESSED:
        compressed(name, state, bits)
    elif name in FLOATING:
        floating(name, state, at, bits)
    elif name.startswith("amo"):
        atomic(name, state, at)
    else:
        second = at.amount if name in _IMMEDIATE else state.x(at.rs2)
        state.set_x(at.rd, INTEGER[name](state.x(at.rs1), second))
