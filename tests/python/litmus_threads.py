"""Litmus threads as text, one instruction between semicolons:

    x=1   x=a         a store of a number, or of a register
    a=x               a load
    a=x@b   x@b=1     likewise, at an address that depends on b, whose value it does not need
    b=a^c   b=a|1     what computes: exclusive or, or with a number
    if a              a branch to the next instruction, whether it is taken or not
    fence r,rw   fence.tso
    a=lr.aq x   b=sc.rl x,1   a=swap.aq.rl x,1   a=add x,c

x, y, z and w are places in memory, words that begin as 0; a to f are registers, each written once before it is read.
"""

import re
from dataclasses import dataclass, field

PLACES = "xyzw"
REGISTERS = "abcdef"

ATOMICS = ("lr", "sc", "swap", "add")

_ADDRESS = r"(?P<place>[xyzw])(?:@(?P<offset>[a-f]))?"
_VALUE = r"(?P<value>[a-f]|\d)"
_FORMS = (
    (r"fence (?P<before>r|w|rw),(?P<after>r|w|rw)", "fence"),
    (r"fence\.tso", "fence.tso"),
    (r"if (?P<value>[a-f])", "branch"),
    (rf"(?P<into>[a-f])=(?P<one>[a-f])(?P<operator>[\^|]){_VALUE}", "compute"),
    (rf"(?P<into>[a-f])=(?P<atomic>lr|sc|swap|add)(?P<aq>\.aq)?(?P<rl>\.rl)? {_ADDRESS}(?:,{_VALUE})?", "atomic"),
    (rf"(?P<into>[a-f])={_ADDRESS}", "load"),
    (rf"{_ADDRESS}={_VALUE}", "store"),
)


@dataclass(frozen=True)
class Instruction:
    kind: str
    """load, store, one of ATOMICS, fence, fence.tso, branch or compute."""
    into: str | None = None
    place: str | None = None
    offset: str | None = None
    """The register that the address depends on."""
    value: str | None = None
    """What is stored or computed with: a register or a digit."""
    one: str | None = None
    operator: str | None = None
    before: str = ""
    after: str = ""
    aq: bool = False
    rl: bool = False

    @property
    def reads(self) -> bool:
        return self.kind in ("load", "lr", "swap", "add")

    @property
    def writes(self) -> bool:
        return self.kind in ("store", "sc", "swap", "add")

    @property
    def used(self) -> set[str]:
        """The registers that it reads."""
        return {name for name in (self.offset, self.value, self.one) if name and name in REGISTERS}


def parse_instruction(text: str) -> Instruction:
    for pattern, kind in _FORMS:
        if found := re.fullmatch(pattern, text):
            parts = found.groupdict()
            kind = parts.pop("atomic", None) or kind
            if kind in ATOMICS and (kind == "lr") != (parts["value"] is None):
                break
            flags = {flag: bool(parts.pop(flag, None)) for flag in ("aq", "rl")}
            return Instruction(kind, **{key: part or "" for key, part in parts.items() if part}, **flags)
    raise ValueError(f"{text!r} is no instruction of a litmus thread")


def parse_thread(text: str) -> tuple[Instruction, ...]:
    instructions = tuple(parse_instruction(part.strip()) for part in text.split(";"))
    written: set[str] = set()
    for instruction, part in zip(instructions, text.split(";"), strict=True):
        if missing := instruction.used - written:
            raise ValueError(f"{part.strip()!r} reads {min(missing)}, which nothing before it writes")
        if instruction.into in written:
            raise ValueError(f"{part.strip()!r} writes {instruction.into}, which has been written")
        if instruction.into:
            written.add(instruction.into)
    return instructions


@dataclass(frozen=True)
class Litmus:
    name: str
    texts: tuple[str, ...]
    """Of its threads."""
    weak: str
    """What it asks: ``1:a=1 1:b=0 x=2``, values of threads' registers and of memory at the end."""
    threads: tuple[tuple[Instruction, ...], ...] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "threads", tuple(parse_thread(text) for text in self.texts))
        if unknown := self.condition.keys() - set(self.observed):
            raise ValueError(f"{self.name} asks for {min(unknown)}, which it has not")

    @property
    def places(self) -> list[str]:
        return sorted({i.place for thread in self.threads for i in thread if i.place})

    @property
    def observed(self) -> list[str]:
        """What an outcome has a value of, in order: the registers that memory or an sc gives, then memory."""
        registers = [
            f"{number}:{i.into}" for number, thread in enumerate(self.threads) for i in thread if i.place and i.into
        ]
        return registers + self.places

    @property
    def condition(self) -> dict[str, int]:
        return {name: int(value) for name, value in (part.split("=") for part in self.weak.split())}

    def is_weak(self, outcome: tuple[int, ...]) -> bool:
        values = dict(zip(self.observed, outcome, strict=True))
        return all(values[name] == value for name, value in self.condition.items())
