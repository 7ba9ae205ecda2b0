"""The litmus tests of a table as assembler, for tests/programs/litmus.cpp to run."""

from collections.abc import Iterator, Sequence

from litmus_threads import PLACES, REGISTERS, Instruction, Litmus

# Of a role's function: a0 the places' addresses, a1 where its results go, a2 the cycle to begin at.
_PLACE = {place: f"a{3 + number}" for number, place in enumerate(PLACES)}
_REGISTER = {register: f"t{1 + number}" for number, register in enumerate(REGISTERS)}
_VALUE, _ADDRESS = "a7", "t0"
_ATOMIC = {"swap": "amoswap.w", "add": "amoadd.w", "lr": "lr.w", "sc": "sc.w"}


def _value(value: str) -> Iterator[str]:
    if value.isdigit():
        yield f"li {_VALUE},{value}"


def _name(value: str) -> str:
    return _VALUE if value.isdigit() else _REGISTER[value]


def assembled(i: Instruction) -> Iterator[str]:
    """An instruction of a thread in those of RISC-V."""
    value = i.value or ""
    if i.kind in ("fence", "fence.tso"):
        yield f"fence {i.before},{i.after}" if i.kind == "fence" else "fence.tso"
        return
    if i.kind == "branch":
        yield f"bnez {_REGISTER[value]},1f"
        yield "1:"
        return
    into = _REGISTER[i.into] if i.into else ""
    if i.kind == "compute":
        operation = {"^": "xor", "|": "or"}[i.operator or ""] + ("i" if value.isdigit() else "")
        yield f"{operation} {into},{_REGISTER[i.one or '']},{value if value.isdigit() else _REGISTER[value]}"
        return
    yield from _value(value)
    address = _PLACE[i.place or ""]
    if i.offset:
        register = _REGISTER[i.offset]
        yield f"xor {_ADDRESS},{register},{register}"
        yield f"add {_ADDRESS},{_ADDRESS},{address}"
        address = _ADDRESS
    if i.kind == "load":
        yield f"lw {into},0({address})"
    elif i.kind == "store":
        yield f"sw {_name(value)},0({address})"
    else:
        order = "." * (i.aq or i.rl) + "aq" * i.aq + "rl" * i.rl
        yield f"{_ATOMIC[i.kind]}{order} {into}," + (f"{_name(value)}," if value else "") + f"({address})"


def _role(label: str, thread: Sequence[Instruction], places: Sequence[str]) -> Iterator[str]:
    yield f"{label}:"
    for number, place in enumerate(places):
        yield f"ld {_PLACE[place]},{8 * number}(a0)"
    yield f"0: rdcycle {_ADDRESS}"
    yield f"bltu {_ADDRESS},a2,0b"
    for i in thread:
        yield from assembled(i)
    for number, i in enumerate(i for i in thread if i.place and i.into):
        yield f"sw {_REGISTER[i.into or '']},{4 * number}(a1)"
    yield "ret"


def _label(test: int, thread: int) -> str:
    return f"litmus_{test}_{thread}"


def table(tests: Sequence[Litmus]) -> str:
    """What tests/programs/litmus.cpp includes: a function for each thread, and a row for each test."""
    lines, declared, rows = [], [], []
    for number, test in enumerate(tests):
        roles = []
        for thread, instructions in enumerate(test.threads):
            label = _label(number, thread)
            lines += _role(label, instructions, test.places)
            declared.append(f'extern "C" Role {label};')
            roles.append(f"{{{label}, {sum(1 for i in instructions if i.place and i.into)}}}")
        rows.append(f"    {{{len(test.threads)}, {len(test.places)}, {{{', '.join(roles)}}}}},  // {test.name}")
    text = "\n".join(f'    "{line}\\n"' for line in (".text", ".balign 64", *lines))
    return "\n".join([f"asm(\n{text});", *declared, "const Test tests[] = {", *rows, "};", ""])


def outcome(test: Litmus, packed: int) -> tuple[int, ...]:
    """What the program prints of one, four bits a value, the last one lowest."""
    count = len(test.observed)
    return tuple(packed >> 4 * (count - 1 - k) & 15 for k in range(count))
