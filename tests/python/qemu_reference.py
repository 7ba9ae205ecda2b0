"""QEMU's RV64GC (the unicorn wheel) as the reference for random programs.

QEMU 5 does not know the extensions of instruction_model.py. In the place of such an instruction its code has a nop, and
the hook before that carries out the model.

unicorn 2.1 carries QEMU 5.0, whose floating point predates parts of the ratified specification. The corrections below
are made around each instruction, in a hook, and are the only ones:

- NaN-boxing (chapter "D", "NaN Boxing of Narrower Values"): QEMU 5 neither boxes single results nor checks that single
  sources are boxed. Before an instruction, an unboxed single source is replaced by the canonical NaN (and put back
  afterwards); after it, a single result is boxed.
- fmin and fmax (chapter "F", version 2.2): with a signalling NaN and a number, QEMU 5 returns the canonical NaN of
  IEEE 754-2008; the specification returns the number.
"""

from __future__ import annotations

from collections import Counter

import unicorn
from unicorn import riscv_const as rv

from edge_values import BOX, MASK
from hart_state import State
from instruction_model import carry_out, is_modelled
from instruction_tables import TableLine, by_mnemonic
from random_programs import CODE, PAGE, SCRATCH, SCRATCH_END, SLOT, SLOTS, Block

_MSTATUS_FS = 1 << 13
_X = [rv.UC_RISCV_REG_X0 + i for i in range(32)]
_F = [rv.UC_RISCV_REG_F0 + i for i in range(32)]
_NAN = BOX | 0x7FC00000


def _is_nan(bits: int, double: bool) -> bool:
    magnitude = bits & ((1 << (63 if double else 31)) - 1)
    return magnitude > (0x7FF << 52 if double else 0xFF << 23)


class _Hart:
    """The processor's state, as the models see it."""

    def __init__(self, uc: unicorn.Uc):
        self.uc = uc

    @property
    def frm(self) -> int:
        return self.uc.reg_read(rv.UC_RISCV_REG_FCSR) >> 5 & 7

    def x(self, number: int) -> int:
        return self.uc.reg_read(_X[number])

    def set_x(self, number: int, value: int) -> None:
        if number:
            self.uc.reg_write(_X[number], value & MASK)

    def f(self, number: int) -> int:
        return self.uc.reg_read(_F[number])

    def set_f(self, number: int, value: int) -> None:
        self.uc.reg_write(_F[number], value)

    def accrue(self, flags: int) -> None:
        self.uc.reg_write(rv.UC_RISCV_REG_FCSR, self.uc.reg_read(rv.UC_RISCV_REG_FCSR) | flags)

    def read(self, address: int, size: int) -> int:
        return int.from_bytes(self.uc.mem_read(address, size), "little")

    def write(self, address: int, size: int, value: int) -> None:
        self.uc.mem_write(address, value.to_bytes(size, "little"))


def _known_code(block: Block) -> bytes:
    """The block's code with nops for what QEMU 5 does not know."""
    nops = {2: 0x0001, 4: 0x00000013}
    words = [(nops[e.length] if is_modelled(e.mnemonic) else e.bits, e.length) for e in block.emitted]
    return b"".join(bits.to_bytes(length, "little") for bits, length in words)


class Reference:
    """One QEMU processor with room for SLOTS blocks of code."""

    def __init__(self):
        self.uc = unicorn.Uc(unicorn.UC_ARCH_RISCV, unicorn.UC_MODE_RISCV64)
        self.uc.mem_map(CODE, SLOT * SLOTS)
        self.uc.mem_map(PAGE - 0x1000, 0x2000)
        self.uc.reg_write(rv.UC_RISCV_REG_MSTATUS, self.uc.reg_read(rv.UC_RISCV_REG_MSTATUS) | _MSTATUS_FS)
        self.uc.hook_add(unicorn.UC_HOOK_CODE, self._before)
        self.executed: Counter[str] = Counter()
        self.last_executed: int | None = None  # the address of the last instruction before the ebreak
        self._at: dict[int, tuple[str, TableLine | None, int]] = {}
        self._after: list[tuple[int, int]] = []  # registers to set once the instruction is done
        self._box: int | None = None  # the register in which it leaves a single

    def run(self, block: Block) -> State:
        """Runs the block from its state to its ebreak."""
        uc = self.uc
        uc.mem_write(block.address, _known_code(block))
        uc.mem_write(SCRATCH, block.memory)
        for register, value in zip(_X[1:], block.x[1:], strict=True):
            uc.reg_write(register, value)
        for register, value in zip(_F, block.f, strict=True):
            uc.reg_write(register, value)
        uc.reg_write(rv.UC_RISCV_REG_FCSR, block.frm << 5 | block.fflags)
        table = by_mnemonic()
        self._at = {block.address + e.offset: (e.mnemonic, table.get(e.mnemonic), e.bits) for e in block.emitted}
        self._after, self._box = [], None
        try:
            uc.emu_start(block.address, block.end)
            ended = "ebreak"
        except unicorn.UcError as error:
            ended = str(error)
        self._finish()
        self.executed[block.emitted[-1].mnemonic] += 1
        fcsr = uc.reg_read(rv.UC_RISCV_REG_FCSR)
        return State(
            ended=ended,
            pc=uc.reg_read(rv.UC_RISCV_REG_PC),
            x=[0] + [uc.reg_read(register) for register in _X[1:]],
            f=[uc.reg_read(register) for register in _F],
            fflags=fcsr & 31,
            frm=fcsr >> 5 & 7,
            memory=bytes(uc.mem_read(SCRATCH, SCRATCH_END - SCRATCH)),
        )

    def _finish(self) -> None:
        """Corrects what the previous instruction left."""
        uc = self.uc
        for register, value in self._after:
            uc.reg_write(register, value)
        self._after.clear()
        if self._box is not None:
            uc.reg_write(self._box, BOX | uc.reg_read(self._box) & 0xFFFFFFFF)
            self._box = None

    def _before(self, uc, address: int, _size: int, _data) -> None:
        self._finish()
        name, line, bits = self._at[address]
        if name == "ebreak":  # one that was put there to stop early
            uc.emu_stop()
            return
        self.last_executed = address
        self.executed[name] += 1
        if is_modelled(name):
            carry_out(name, bits, _Hart(uc))
            return
        if line is None or not (line.writes_single or line.single_sources or name in ("fmin.d", "fmax.d")):
            return
        fields = {1: bits >> 15 & 31, 2: bits >> 20 & 31, 3: bits >> 27 & 31}
        destination = _F[bits >> 7 & 31]
        for source in {fields[n] for n in line.single_sources}:
            value = uc.reg_read(_F[source])
            if value >> 32 != 0xFFFFFFFF:
                uc.reg_write(_F[source], _NAN)
                if not line.writes_float or destination != _F[source]:
                    self._after.append((_F[source], value))
        if line.writes_single:
            self._box = destination
        if name.startswith(("fmin", "fmax")):
            double = name.endswith("d")
            low = MASK if double else 0xFFFFFFFF
            a, b = (uc.reg_read(_F[fields[n]]) & low for n in (1, 2))
            if _is_nan(a, double) != _is_nan(b, double):
                number = b if _is_nan(a, double) else a
                self._after.append((destination, number if double else BOX | number))
