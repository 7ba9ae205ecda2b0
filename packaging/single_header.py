"""Prints croft as one header, for projects that would rather copy a file: ``make single-header``.

All headers of include/, each before those that include it. What is a many-core's alone is left out.
"""

import re
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = ROOT / "include"

# What a many-core's compiler, `croft run --analyze` or a program of the compiled library defines: taken as undefined.
UNDEFINED = ["CROFT_COMPILED", "CROFT_MANY_CORE", "CROFT_HAS_LINE_WAIT", "CROFT_ANALYSIS", "__riscv_zawrs"]


def known(condition: str) -> bool | None:
    """Whether a condition holds, if that follows from what is undefined."""
    for name in UNDEFINED:
        if re.match(rf"defined\({name}\)(\s*(&&|//)|$)", condition):
            return False
        if re.match(rf"!defined\({name}\)(\s*(\|\||//)|$)", condition):
            return True
    return None


@dataclass
class Condition:
    """A condition that is open: how its branches up to here are written without those that are known."""

    holds: bool = False  # a branch is known to hold: none that follows is taken
    written: bool = False  # some branch depends on what is not known, so the condition is written
    taken: bool = True  # whether the lines of the branch that is open are taken

    def branch(self, directive: str, rest: str) -> str | None:
        """Opens a branch. Returns the line that does so where it is written."""
        value = True if directive == "#else" else known(rest)
        self.taken = value is not False and not self.holds
        self.holds = self.holds or value is True
        if not self.taken:
            return None
        if value is None:
            opened = f"{'#elif' if self.written else '#if' if directive == '#elif' else directive} {rest}"
            self.written = True
            return opened
        return "#else" if self.written else None


def without_known(lines: list[str]) -> list[str]:
    """The lines without the conditions that are known, and without what these leave out."""
    kept: list[str] = []
    conditions: list[Condition] = []
    for line in lines:
        directive, _, rest = line.partition(" ")
        written: str | None = line
        if directive in ("#if", "#ifdef", "#ifndef"):
            conditions.append(Condition())
        if directive in ("#if", "#ifdef", "#ifndef", "#elif", "#else"):
            written = conditions[-1].branch(directive, rest)
        elif directive == "#endif":
            ended = conditions.pop()
            written = line if ended.written else None
        if written is not None and all(each.taken for each in conditions):
            kept.append(written)
    return kept


class Amalgamation:
    def __init__(self) -> None:
        self.system: set[str] = set()
        self.done: set[str] = set()  # headers that are there whatever the machine is
        self.begun: list[str] = []  # those that include each other down to where we are
        self.sometimes: set[str] = set()  # headers that are there on some machine
        self.text: list[str] = []

    def add(self, header: str, conditional: bool = False) -> None:
        """Adds a header where it is not there yet. Within a condition it is added again behind a guard."""
        if header in self.done or header in self.begun:
            return
        guarded = conditional or header in self.sometimes
        (self.sometimes if conditional else self.done).add(header)
        lines = without_known((INCLUDE / header).read_text(encoding="utf-8").splitlines())
        guard = "CROFT_SINGLE_" + re.sub(r"\W", "_", header).upper()
        if guarded:
            self.text += [f"#ifndef {guard}", f"#define {guard}"]
        self.text += ["", f"// ---- {header}", ""]
        self.begun.append(header)
        depth = int(conditional)
        for line in lines:
            depth += line.startswith("#if")
            depth -= line.startswith("#endif")
            included = re.match(r"#include <(.+)>", line)
            if included and included[1].startswith("croft/"):
                self.add(included[1], depth > 0)
            elif included and depth == 0 and not included[1].endswith(".h"):  # others are an operating system's
                self.system.add(included[1])
            elif line != "#pragma once":
                self.text.append(line)
        self.begun.pop()
        if guarded:
            self.text.append("#endif")


def public_headers() -> list[str]:
    """Headers by name; those of one machine come with port.hpp, which chooses them, those that record natively with
    port/marks.hpp, and those for other libraries, MPI among them, stay by themselves."""
    found = (path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.hpp")))
    return [str(path) for path in found if path.parts[1] not in ("interop", "mpi", "port", "trace")]


def single_header() -> str:
    """The text of the header."""
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"project\(croft VERSION ([0-9.]+)", project)[1]
    whole = Amalgamation()
    for header in ["croft/port/port.hpp", *public_headers()]:
        whole.add(header)
    head = [
        f"// croft {version} in one header: fine-grained parallelism in which every piece of shared data has a home.",
        "// SPDX-License-Identifier: Apache-2.0",
        "// Made by packaging/single_header.py of croft's sources; not to be edited.",
        "#pragma once",
        "",
        *(f"#include <{name}>" for name in sorted(whole.system)),
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join([*head, *whole.text])) + "\n"


if __name__ == "__main__":
    sys.stdout.write(single_header())
