"""Prints croft as one header, for projects that would rather copy a file: ``make single-header``.

All headers, each before those that include it, but croft/paper and what is a many-core's alone.
"""

import re
import sys
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


def without_known(lines: list[str]) -> list[str]:
    """The lines without the conditions that are known, and without what these leave out."""
    kept, branches = [], []  # of each open condition its branches up to here: whether each holds, None if not known
    for line in lines:
        directive, _, rest = line.partition(" ")
        if directive in ("#if", "#ifdef", "#ifndef"):
            branches.append([])
        if directive in ("#if", "#ifdef", "#ifndef", "#elif", "#else"):
            before = branches[-1]
            holds = True if directive == "#else" and None not in before else known(rest)
            if before and (None in before) != (holds is None):
                raise SystemExit(f"single_header: '{line}' mixes conditions that are known with others")
            before.append(holds and not any(before))
        understood = (
            bool(branches) and branches[-1][-1] is not None and directive in ("#if", "#elif", "#else", "#endif")
        )
        if not understood and all(each[-1] is not False for each in branches):
            kept.append(line)
        if directive == "#endif":
            branches.pop()
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
        if not any(line and not line.startswith(("//", "#pragma once")) for line in lines):
            return  # it was a many-core's
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
    """Headers by name; those of one machine come with port.hpp, which chooses them, and those for other libraries
    stay by themselves."""
    found = (path.relative_to(INCLUDE) for path in sorted(INCLUDE.rglob("*.hpp")))
    return [str(path) for path in found if path.parts[1] not in ("interop", "paper", "port")]


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
