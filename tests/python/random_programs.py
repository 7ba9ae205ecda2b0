"""Random programs of RV64GC and its extensions: blocks of instructions with the state they start from.

A block is a list of items that control may enter only at their first instruction, so a sequence that must stay
together (an lr and its sc, an address and the jump to it) is one item. Control moves forwards, except inside an item,
so every block ends. Some integer registers, the pointers, hold addresses in the scratch memory and are written by no
random instruction; each load, store and atomic goes through one of them.
"""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

from compressed_encodings import COMPRESSED, Compressed
from edge_values import HALF_BOX, random_double, random_float_register, random_integer, random_single
from instruction_tables import TableLine, by_mnemonic, instructions

# What the generator never emits, and why.
NOT_EMITTED = {
    "ecall": "belongs to the environment, not to the processor",
    "wrs.nto": "QEMU 5 does not know Zawrs",
    "wrs.sto": "QEMU 5 does not know Zawrs",
    "cbo.inval": "QEMU 5 does not know Zicbom",
    "cbo.clean": "QEMU 5 does not know Zicbom",
    "cbo.flush": "QEMU 5 does not know Zicbom",
    "cbo.zero": "QEMU 5 does not know Zicboz",
    "uret": "QEMU does not know the draft extension N",
    **{
        line.mnemonic: "no processor but croft's has it"
        for line in instructions()
        if line.mnemonic.startswith("croft.")
    },
}

CODE = 0x100000
SLOT = 1024  # bytes of code for one block
SLOTS = 256  # blocks side by side
PAGE = 0x20000  # the scratch memory lies around a page boundary, so that misaligned accesses cross it
SCRATCH, SCRATCH_END = PAGE - 1024, PAGE + 1024
CSRS = {"fflags": 1, "frm": 2, "fcsr": 3}


@dataclass(frozen=True)
class Emitted:
    """An instruction at its place in a block."""

    offset: int  # from the block's first byte
    length: int
    bits: int
    mnemonic: str  # of the table, or of the compressed instruction


@dataclass
class Block:
    """A program, and the state to start it from. It ends at the last instruction, an ebreak."""

    seed: int
    number: int
    address: int
    emitted: list[Emitted]
    x: list[int]
    f: list[int]
    frm: int
    fflags: int
    memory: bytes  # of SCRATCH .. SCRATCH_END

    @property
    def code(self) -> bytes:
        return b"".join(e.bits.to_bytes(e.length, "little") for e in self.emitted)

    @property
    def end(self) -> int:
        return self.address + self.emitted[-1].offset


@dataclass
class _Piece:
    """An instruction that is still to be placed. A target is an item's number, or a piece's within the item."""

    mnemonic: str
    length: int
    bits: int
    target_item: int | None = None
    target_piece: int | None = None
    base_piece: int | None = None  # the offset counts from this piece of the item; None: from the instruction itself
    odd: bool = False  # jalr drops bit 0 of its target


@dataclass
class _Item:
    pieces: list[_Piece] = field(default_factory=list)


def random_memory(rng: random.Random) -> bytes:
    memory = bytearray(rng.randbytes(SCRATCH_END - SCRATCH))
    for _ in range(96):
        at = rng.randrange(len(memory) - 8) & ~3
        if rng.getrandbits(1):
            struct.pack_into("<Q", memory, at & ~7, rng.choice((random_integer, random_double))(rng))
        else:
            struct.pack_into("<I", memory, at, rng.choice((random_integer, random_single))(rng) & 0xFFFFFFFF)
    return bytes(memory)


def _branch_bits(offset: int) -> int:
    return (
        (offset >> 12 & 1) << 31 | (offset >> 5 & 0x3F) << 25 | (offset >> 1 & 0xF) << 8 | (offset >> 11 & 1) << 7
    )  # fmt: skip


def _jump_bits(offset: int) -> int:
    return (
        (offset >> 20 & 1) << 31 | (offset >> 1 & 0x3FF) << 21 | (offset >> 11 & 1) << 20 | (offset >> 12 & 0xFF) << 12
    )


class BlockGenerator:
    """Makes the block `number` of the run `seed`; the same two numbers always give the same block."""

    def __init__(self, seed: int, number: int, only: list[str] | None = None):
        self.seed, self.number = seed, number
        self.rng = random.Random(f"{seed}/{number}")
        table = [line.mnemonic for line in instructions() if line.mnemonic not in NOT_EMITTED]
        self.choices = only or [name for name in [*table, *COMPRESSED] if name not in ("ebreak", "c.ebreak")]
        rng = self.rng
        self.x = [0] + [random_integer(rng) for _ in range(31)]
        # sp, one register that compressed loads and stores can name, and another; not ra, which c.jalr writes.
        self.pointers = {2, rng.randrange(8, 16), rng.randrange(3, 32)}
        for pointer in self.pointers:
            # Room above for the largest offset of a compressed access.
            self.x[pointer] = rng.randrange(SCRATCH, SCRATCH_END - 520) & ~rng.choice((0, 3, 7, 15))
        self.f = [random_float_register(rng) for _ in range(32)]
        # Which registers hold doubles, singles and halves, as far as that can be told without running.
        self.formats = ["H" if f >> 16 == HALF_BOX >> 16 else "S" if f >> 32 == 0xFFFFFFFF else "D" for f in self.f]
        self.compressed_pointers = [p for p in self.pointers if 8 <= p < 16]

    # Registers

    def writable(self) -> int:
        while (register := self.rng.randrange(32)) in self.pointers:
            pass
        return register

    def temporary(self) -> int:
        """A register that may be overwritten and keeps what is written to it."""
        while (register := self.rng.randrange(1, 32)) in self.pointers:
            pass
        return register

    def source(self) -> int:
        return self.rng.randrange(32)

    def operand(self, line: TableLine, number: int) -> int:
        """A register for rs1, rs2 or rs3: mostly one that holds what the instruction expects."""
        register = self.source()
        wanted = line.source_format(number)
        if wanted and self.rng.random() < 0.9:
            for _ in range(20):
                if self.formats[register] == wanted:
                    break
                register = self.source()
        return register

    def destination(self, line: TableLine) -> int:
        if not line.writes_float:
            return self.writable()
        register = self.rng.randrange(32)
        self.formats[register] = "S" if line.writes_single else "H" if line.writes_half else "D"
        return register

    # Pieces

    def piece(self, mnemonic: str, rd: int = 0, rs1: int = 0, rs2: int = 0, bits: int = 0, **target) -> _Piece:
        line = by_mnemonic()[mnemonic]
        word = line.match | ((rd << 7 | rs1 << 15 | rs2 << 20 | bits) & ~line.mask)
        return _Piece(mnemonic, 4, word & 0xFFFFFFFF, **target)

    def immediate(self) -> int:
        return self.rng.choice((0, 1, -1, 2047, -2048, self.rng.randrange(-2048, 2048), self.rng.randrange(-64, 64)))

    def offset_from(self, pointer: int, size: int) -> int:
        """An offset that stays in the scratch memory, aligned in half of the cases."""
        least = max(-2048, SCRATCH - self.x[pointer])
        most = min(2047, SCRATCH_END - size - self.x[pointer])
        offset = self.rng.randint(least, most)
        if self.rng.getrandbits(1):
            aligned = offset - (self.x[pointer] + offset) % size
            offset = aligned if aligned >= least else offset
        return offset

    def address(self, size: int) -> tuple[_Piece, int]:
        """Puts an aligned scratch address into a temporary register."""
        pointer, register = self.rng.choice(sorted(self.pointers)), self.temporary()
        least = max(-2040, SCRATCH - self.x[pointer])
        offset = self.rng.randint(least, min(2040, SCRATCH_END - 16 - self.x[pointer]))
        offset += -(self.x[pointer] + offset) % size
        return self.piece("addi", register, pointer, bits=offset << 20), register

    def target(self, item: int) -> int:
        return item + self.rng.randint(1, 6)

    def simple(self) -> _Piece:
        """An instruction that only computes."""
        line = by_mnemonic()[self.rng.choice(("add", "xor", "mul", "sltu", "addw", "fadd.d", "fadd.s", "sraw"))]
        rounding = self.rng.randrange(5) if line.rounds else 0
        rs1, rs2 = self.operand(line, 1), self.operand(line, 2)
        return self.piece(line.mnemonic, self.destination(line), rs1, rs2, bits=rounding << 12)

    # Items

    def item(self, number: int) -> _Item:
        choice = self.rng.choice(self.choices)
        if choice.startswith("c."):
            return _Item(self.compressed(COMPRESSED[choice], number))
        return _Item(self.from_table(by_mnemonic()[choice], number))

    def from_table(self, line: TableLine, number: int) -> list[_Piece]:
        rng, name = self.rng, line.mnemonic
        if line.format in ("R", "float_r", "float_r4"):
            mode = rng.choice((0, 1, 2, 3, 4, 7)) if line.rounds else 0
            rs1, rs2, rs3 = (self.operand(line, n) for n in (1, 2, 3))
            return [self.piece(name, self.destination(line), rs1, rs2, bits=mode << 12 | rs3 << 27)]
        if line.cost == "load":
            pointer = rng.choice(sorted(self.pointers))
            offset = self.offset_from(pointer, 8)
            return [self.piece(name, self.destination(line), pointer, bits=offset << 20)]
        if line.format == "S":
            pointer = rng.choice(sorted(self.pointers))
            offset = self.offset_from(pointer, 8)
            bits = (offset >> 5 & 0x7F) << 25 | (offset & 31) << 7
            return [self.piece(name, rs1=pointer, rs2=self.source(), bits=bits)]
        if name == "jalr":
            register = self.temporary()
            return [
                self.piece("auipc", register),
                self.piece(
                    name, self.writable(), register, target_item=self.target(number), base_piece=0,
                    odd=bool(rng.getrandbits(1)),
                ),
            ]  # fmt: skip
        if line.format == "I":
            return [self.piece(name, self.writable(), self.source(), bits=self.immediate() << 20)]
        if line.format == "constant":
            return [self.piece(name, self.destination(line), self.source())]
        if line.format == "shift":
            return [self.piece(name, self.writable(), self.source(), bits=rng.getrandbits(6) << 20)]
        if line.format == "U":
            return [
                self.piece(name, self.writable(), bits=rng.choice((0, 1, 0x80000, 0x7FFFF, rng.getrandbits(20))) << 12)
            ]
        if line.format == "J":
            if rng.random() < 0.3:
                return self.detour(rng.choice(("beq", "bne", "blt", "bge", "bltu", "bgeu")))
            return [self.piece(name, self.writable(), target_item=self.target(number))]
        if line.format == "B":
            if rng.random() < 0.2:
                return self.detour(name)
            return [self.piece(name, rs1=self.source(), rs2=self.source(), target_item=self.target(number))]
        if line.format == "csr":
            return self.csr(name)
        if line.format == "atomic":
            return self.atomic(name)
        if line.format == "fence":
            return [self.piece(name, bits=rng.getrandbits(12) << 20)]
        if name == "fence.i":
            return [self.piece(name)]
        raise NotImplementedError(f"the generator cannot make {name}; list it in NOT_EMITTED or teach it")

    def detour(self, branch: str) -> list[_Piece]:
        """Jumps over an instruction to a branch that may lead back to it."""
        return [
            self.piece("jal", self.writable(), target_piece=3),
            self.simple(),
            self.piece("jal", self.writable(), target_piece=4),
            self.piece(branch, rs1=self.source(), rs2=self.source(), target_piece=1),
        ]

    def csr(self, name: str) -> list[_Piece]:
        # Changes fflags, frm or fcsr; then gives frm a legal mode again, for the instructions that round as it says.
        csr = self.rng.choice(list(CSRS.values()))
        return [
            self.piece(name, self.writable(), self.source(), bits=csr << 20),
            self.piece("csrrwi", 0, self.rng.randrange(5), bits=CSRS["frm"] << 20),
        ]

    def atomic(self, name: str) -> list[_Piece]:
        rng = self.rng
        order = lambda: rng.getrandbits(2) << 25  # noqa: E731
        width = name[-1]
        size = {"b": 1, "h": 2, "w": 4, "d": 8, "q": 16}[width]
        place, register = self.address(size)
        if name.startswith("amocas"):
            return self.compare_and_swap(name, size, place, register, order())
        if name[:2] not in ("lr", "sc"):
            return [place, self.piece(name, self.writable(), register, self.source(), bits=order())]
        # An lr and the sc to the same bytes, nothing between them but computation that leaves the address alone: the
        # sc succeeds. A second sc fails, because the first one ended the reservation.
        pieces = [place, self.piece(f"lr.{width}", bits=order(), rs1=register)]
        pieces[1].bits |= self.other_than(register) << 7
        for _ in range(rng.randrange(3)):
            between = self.piece("addi", self.other_than(register), self.source(), bits=self.immediate() << 20)
            pieces.append(between)
        for _ in range(rng.choice((1, 1, 2))):
            pieces.append(self.piece(f"sc.{width}", self.other_than(register), register, self.source(), bits=order()))
        return pieces

    def compare_and_swap(self, name: str, size: int, place: _Piece, base: int, order: int) -> list[_Piece]:
        """In half of the cases what is there is loaded before, so that it is found."""
        rng, pair = self.rng, size == 16
        taken = {base, *self.pointers}
        while taken & {rd := self.writable() & (~1 if pair else ~0), rd + pair}:
            pass
        pieces = [place]
        if rng.getrandbits(1):
            load = {1: "lbu", 2: "lh", 4: "lwu", 8: "ld", 16: "ld"}[size]
            pieces.append(self.piece(load, rd, base))
            if pair:
                pieces.append(self.piece("ld", rd + 1, base, bits=8 << 20))
        pieces.append(self.piece(name, rd, base, self.source(), bits=order))
        return pieces

    def other_than(self, register: int) -> int:
        while (other := self.writable()) == register:
            pass
        return other

    def compressed(self, kind: Compressed, number: int) -> list[_Piece]:
        rng = self.rng
        fields: dict[str, int] = {}
        for name in kind.fields:
            if name in ("rd", "rd'", "rd' low"):
                fields[name] = self.compressed_destination(kind, name)
            elif name == "base'":
                fields[name] = rng.choice(self.compressed_pointers)
            elif name == "rs2":
                fields[name] = rng.randrange(1, 32)
            elif name == "rs1":
                continue  # c.jr, c.jalr: below
            else:  # rs1', rs2', fd', fs2': any of eight; fd, fs2: any of 32
                fields[name] = rng.randrange(8, 16) if name.endswith("'") else rng.randrange(32)
        while True:
            half = kind.encode(fields, rng.getrandbits(16))
            if not kind.needs_immediate or half & kind.immediate_mask:
                break
        piece = _Piece(kind.mnemonic, 2, half)
        if kind.mnemonic in ("c.j", "c.beqz", "c.bnez"):
            piece.bits &= ~kind.immediate_mask
            piece.target_item = self.target(number)
        elif kind.mnemonic in ("c.jr", "c.jalr"):
            register = self.temporary()
            piece.bits = kind.encode({"rs1": register}, 0)
            return [
                self.piece("auipc", register),
                self.piece("addi", register, register, target_item=self.target(number), base_piece=0),
                piece,
            ]
        elif kind.mnemonic == "c.addi16sp":
            # sp is a pointer: take a copy of the sum and restore it.
            saved = self.temporary()
            copy = COMPRESSED["c.mv"].encode({"rd": self.other_than(saved), "rs2": 2}, 0)
            return [
                self.piece("addi", saved, 2),
                piece,
                _Piece("c.mv", 2, copy),
                self.piece("addi", 2, saved),
            ]
        return [piece]

    def compressed_destination(self, kind: Compressed, name: str) -> int:
        while True:
            register = self.rng.randrange(8, 16) if "'" in name else self.rng.randrange(32)
            if register in self.pointers or (register == 0 and not kind.takes_x0):
                continue
            return register

    # The block

    def make(self) -> Block:
        rng = self.rng
        items: list[_Item] = []
        wanted = rng.randint(20, 50)
        while sum(len(item.pieces) for item in items) < wanted:
            items.append(self.item(len(items)))
        end = _Piece("c.ebreak", 2, 0x9002) if rng.getrandbits(1) else self.piece("ebreak")
        items.append(_Item([end]))
        return Block(
            seed=self.seed,
            number=self.number,
            # At either half of a word: instructions of 32 bits need only be aligned to 16.
            address=CODE + self.number % SLOTS * SLOT + rng.choice((0, 2)),
            emitted=self.place(items),
            x=self.x,
            f=self.f,
            frm=rng.randrange(5),
            fflags=rng.choice((0, 0, 31, rng.getrandbits(5))),
            memory=random_memory(rng),
        )

    def place(self, items: list[_Item]) -> list[Emitted]:
        offsets, at = [], 0  # of every piece of every item
        for item in items:
            places = []
            for piece in item.pieces:
                places.append(at)
                at += piece.length
            offsets.append([*places, at])
        if at > SLOT - 2:
            raise ValueError(f"block {self.number} of seed {self.seed} has {at} bytes, more than its slot of {SLOT}")
        emitted = []
        for item, places in zip(items, offsets, strict=True):
            for index, piece in enumerate(item.pieces):
                here = places[index]
                target = None
                if piece.target_item is not None:
                    target = offsets[min(piece.target_item, len(items) - 1)][0]
                elif piece.target_piece is not None:
                    target = places[piece.target_piece]
                bits = piece.bits
                if target is not None:
                    base = here if piece.base_piece is None else places[piece.base_piece]
                    bits |= self.reach(piece, target - base)
                emitted.append(Emitted(here, piece.length, bits & (1 << 8 * piece.length) - 1, piece.mnemonic))
        return emitted

    @staticmethod
    def reach(piece: _Piece, offset: int) -> int:
        if piece.length == 2:
            return COMPRESSED[piece.mnemonic].offset_bits(offset)
        if piece.mnemonic == "jal":
            return _jump_bits(offset)
        if piece.mnemonic in ("jalr", "addi"):
            return (offset + piece.odd & 0xFFF) << 20
        return _branch_bits(offset)
