"""croft's simulator against QEMU: random programs over every instruction, compared after each block.

The suite runs some 150,000 instructions (test_differential.py). A longer run, with a count for each instruction:

    python tests/python/differential.py --instructions 10000000 --seed 7
    python tests/python/differential.py --only fmadd.d fmsub.d
    python tests/python/differential.py --seed 7 --block 1234        (one block again, in full)

What QEMU 5 does not know is compared with a second model, instruction_model.py.

Not compared, because QEMU 5 (unicorn 2.1) cannot: see NOT_EMITTED in random_programs.py and the corrections in
qemu_reference.py. Nor are: misaligned lr, sc and atomics (their effect is implementation-defined), an sc to other bytes
than its lr's (may fail or succeed), and the counters cycle, time and instret (they depend on the machine).
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections import Counter

from compressed_encodings import COMPRESSED
from croft import _simulator as simulator
from hart_state import State
from instruction_tables import by_mnemonic
from qemu_reference import Reference
from random_programs import CODE, NOT_EMITTED, PAGE, SCRATCH, SCRATCH_END, SLOT, SLOTS, Block, BlockGenerator


class Croft:
    """One hart of the simulator with room for SLOTS blocks of code."""

    def __init__(self):
        self.probe = simulator.HartProbe()
        self.probe.map(CODE, SLOT * SLOTS)
        self.probe.map(PAGE - 0x1000, 0x2000)

    def run(self, block: Block) -> State:
        probe = self.probe
        probe.write(block.address, block.code)
        probe.write(SCRATCH, block.memory)
        for number in range(1, 32):
            probe.set_x(number, block.x[number])
        for number in range(32):
            probe.set_f(number, block.f[number])
        probe.fflags, probe.frm = block.fflags, block.frm
        ended = probe.run(block.address)
        return State(
            ended=ended,
            pc=probe.pc,
            x=[0] + [probe.x(number) for number in range(1, 32)],
            f=[probe.f(number) for number in range(32)],
            fflags=probe.fflags,
            frm=probe.frm,
            memory=bytes(probe.read(SCRATCH, SCRATCH_END - SCRATCH)),
        )


def compare(block: Block, croft: Croft, reference: Reference) -> list[str]:
    return croft.run(block).differences(reference.run(block), "croft", "QEMU")


def cut(block: Block, count: int) -> Block:
    """The block with an ebreak in the place of its instruction number `count`."""
    place = block.emitted[count]
    stop = dataclasses.replace(place, bits=0x9002 if place.length == 2 else 0x00100073, mnemonic="ebreak")
    return dataclasses.replace(block, emitted=[*block.emitted[:count], stop, *block.emitted[count + 1 :]])


def disassembly(block: Block) -> list[str]:
    lines = []
    for emitted in block.emitted:
        pc = block.address + emitted.offset
        text = simulator.disassemble(emitted.bits, pc)
        name = emitted.mnemonic if emitted.length == 2 else ""
        lines.append(f"{pc:#x}: {emitted.bits:0{2 * emitted.length}x}  {text:40} {name}".rstrip())
    return lines


def report(block: Block, differences: list[str]) -> str:
    """What a person needs to find the error: the state before, the instructions, and the first that goes wrong."""
    lines = [f"seed {block.seed}, block {block.number}: croft and QEMU differ", *differences, "", "starting from"]
    lines += [f"  x{n} = {v:#018x}    f{n} = {w:#018x}" for n, (v, w) in enumerate(zip(block.x, block.f, strict=True))]
    lines += [f"  frm = {block.frm}, fflags = {block.fflags:#x}", "", *disassembly(block), ""]
    # Control moves forwards (but for detours), so the first cut that shows a difference comes after the culprit.
    for count in range(1, len(block.emitted)):
        reference = Reference()
        shorter = cut(block, count)
        theirs = reference.run(shorter)
        found = Croft().run(shorter).differences(theirs, "croft", "QEMU")
        if found and theirs.pc == block.address + block.emitted[count].offset:
            culprit = [e.offset + block.address for e in block.emitted].index(reference.last_executed)
            lines += [f"the first difference is after {disassembly(block)[culprit]}", *found]
            break
    return "\n".join(lines)


def run(instructions: int, seed: int, only: list[str] | None = None, progress=None) -> tuple[Counter[str], int]:
    """Runs blocks until that many instructions were executed; how often each was, and the number of blocks.

    Raises AssertionError with a report at the first block that differs.
    """
    executed: Counter[str] = Counter()
    number = total = 0
    while total < instructions:
        croft, reference = Croft(), Reference()
        for _ in range(SLOTS):
            block = BlockGenerator(seed, number, only).make()
            differences = compare(block, croft, reference)
            if differences:
                raise AssertionError(report(block, differences))
            number += 1
        executed += reference.executed
        total = executed.total()
        if progress:
            progress(total, number)
    return executed, number


def expected_instructions() -> set[str]:
    """What a long enough run executes."""
    return (set(by_mnemonic()) | set(COMPRESSED)) - set(NOT_EMITTED)


def main() -> int:
    parser = argparse.ArgumentParser(description="Run random programs on croft's simulator and on QEMU, and compare.")
    parser.add_argument("--instructions", type=int, default=1_000_000, help="how many to execute (default %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", nargs="+", metavar="MNEMONIC", help="choose among these instructions only")
    parser.add_argument("--block", type=int, help="run this block alone and print it")
    arguments = parser.parse_args()
    unknown = set(arguments.only or ()) - expected_instructions()
    if unknown:
        parser.error(f"no such instruction, or one that is not compared: {', '.join(sorted(unknown))}")
    if arguments.block is not None:
        block = BlockGenerator(arguments.seed, arguments.block, arguments.only).make()
        differences = compare(block, Croft(), Reference())
        print(report(block, differences) if differences else "\n".join([*disassembly(block), "no difference"]))
        return bool(differences)
    try:
        executed, blocks = run(
            arguments.instructions,
            arguments.seed,
            arguments.only,
            lambda total, number: print(f"\r{total:,} instructions, {number:,} blocks", end="", file=sys.stderr),
        )
    except AssertionError as difference:
        print(f"\n{difference}")
        return 1
    print(file=sys.stderr)
    for name in sorted(expected_instructions() if not arguments.only else executed):
        print(f"{name:12} {executed[name]:10,}")
    print(f"{executed.total():,} instructions in {blocks:,} blocks of seed {arguments.seed}: no difference")
    return 0


if __name__ == "__main__":
    sys.exit(main())
