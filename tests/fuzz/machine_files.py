"""Fuzzes machine files: each is a machine, or refused with sentences that name it; and what is one can be simulated.

Inputs are croft's own machine files with lines, keys and values changed at random.
"""

import os
import sys
import tempfile
from pathlib import Path

import atheris
from fuzzing import fuzz, tiny_program

import croft
from croft.base.errors import CroftError
from croft.machines.file import flat_description
from croft.machines.keys import flattened
from croft.machines.table import machine_table

VALUES = [
    *("0", "-1", "1", "2", "3", "16", "64", "65", "1024", "4096", "65536", "4194304", "268435456", "4294967296"),
    *(
        "9223372036854775807",
        "1e3",
        "1.5",
        "nan",
        "inf",
        "true",
        "false",
        '""',
        '"hashed"',
        '"mesi"',
        '"ddc"',
        '"\\u0000"',
    ),
    *("[]", "{}", "[[]]", "{ x = 1 }", "[{ column = 0, row = 0 }]", "1979-05-27", '"tilepro64"', '"x.toml"', "'''"),
]
LARGEST = 256 << 20
"""Bytes of first-level caches that are made at once; a machine with more is only checked."""


def _edited(data: atheris.FuzzedDataProvider, lines: list[str]) -> list[str]:
    lines = list(lines)
    for _ in range(data.ConsumeIntInRange(1, 6)):
        at = data.ConsumeIntInRange(0, len(lines) - 1)
        key, equals, _ = lines[at].partition("=")
        what = data.ConsumeIntInRange(0, 6)
        if what <= 2 and equals:
            lines[at] = f"{key}= {data.PickValueInList(VALUES)}"
        elif what == 3:
            del lines[at]
        elif what == 4:
            lines.insert(at, data.PickValueInList(lines))
        elif what == 5:
            text = os.fsdecode(data.ConsumeBytes(data.ConsumeIntInRange(0, 10)))
            cut = data.ConsumeIntInRange(0, len(lines[at]))
            lines[at] = lines[at][:cut] + text + lines[at][cut:]
        else:
            lines[at] = lines[at].replace(str(data.ConsumeIntInRange(0, 9)), str(data.ConsumeIntInRange(0, 999)), 1)
        lines = lines or [""]
    return lines


def _first_levels(machine: croft.Machine) -> int:
    sizes = [value for key, value in flattened(machine.model_dump()) if key.endswith(("l1d.size", "l1i.size"))]
    return machine.cores * sum(sizes)


def main() -> None:
    """Runs the fuzzer; its options are libFuzzer's."""
    program = tiny_program()
    names = croft.machine_names()
    bases = [croft.machines.file.machine_path(name).read_text(encoding="utf-8").splitlines() for name in names]
    bases += [[f'based_on = "{name}"', 'name = "mine"', "[network]", "hop = 1"] for name in names]
    file = Path(tempfile.mkdtemp(prefix="croft-fuzz-"), "x.toml")

    def one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        text = "\n".join(_edited(provider, provider.PickValueInList(bases)))
        file.write_bytes(os.fsencode(text))
        try:
            machine = croft.machine(file)
            machine_table(machine, "x.toml")
            flat_description(machine)
            machine.to_toml()
            if _first_levels(machine) <= LARGEST:
                croft.run(program, machine, max_cycles=3000, max_seconds=5)
        except CroftError as error:
            if not str(error).strip() or error.exit_status == 70:
                raise
        except Exception:
            print(text, file=sys.stderr)
            raise

    fuzz(one)


if __name__ == "__main__":
    main()
