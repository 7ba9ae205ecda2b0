"""Fuzzes executables, their debug information above all: damage costs names, or the file is refused with a sentence.

Each input says where bytes of a program whose threads are stuck are changed: in which section, or in the headers.
"""

import io
import sys
import tempfile
from pathlib import Path

import atheris
from elftools.elf.elffile import ELFFile
from fuzzing import fuzz, stuck_program

import croft
from croft.base.errors import CroftError
from croft.results.tables import threads_table

EDGES = [
    b"\0",
    b"\1",
    b"\x7f",
    b"\x80",
    b"\xff",
    b"\xff" * 4,
    b"\x80" * 9 + b"\1",
    b"\0" * 8,
    b"\xff" * 8,
    b"\0\0\0\x80",
]


def _areas(elf: bytes) -> list[tuple[int, int]]:
    """The parts of the file to damage, as offset and length: headers, and each section that no machine loads."""
    parsed = ELFFile(io.BytesIO(elf))
    header = parsed.header
    areas = [(0, 64), (header["e_shoff"], header["e_shentsize"] * header["e_shnum"])]
    for section in parsed.iter_sections():
        is_told = section.name.startswith((".debug", ".eh_frame", ".symtab", ".strtab", ".shstrtab"))
        if is_told and section["sh_type"] != "SHT_NOBITS" and section["sh_size"]:
            areas.append((section["sh_offset"], section["sh_size"]))
    return areas


def main() -> None:
    """Runs the fuzzer; its options are libFuzzer's."""
    elf = stuck_program().read_bytes()
    areas = _areas(elf)
    file = Path(tempfile.mkdtemp(prefix="croft-fuzz-"), "damaged")
    sound = croft.run(_written(file, elf), "tilepro64", cores=4, memory=64 << 20)
    if not any(call.function == "wait" for thread in sound.threads for call in thread.calls):
        raise AssertionError("the program that is to be damaged tells nothing")

    def one(data: bytes) -> None:
        provider = atheris.FuzzedDataProvider(data)
        damaged = bytearray(elf)
        for _ in range(provider.ConsumeIntInRange(1, 8)):
            begin, length = provider.PickValueInList(areas)
            at = begin + provider.ConsumeIntInRange(0, length - 1)
            new = provider.PickValueInList(EDGES) if provider.ConsumeBool() else provider.ConsumeBytes(4)
            new = new[: begin + length - at]
            damaged[at : at + len(new)] = new
        if provider.ConsumeIntInRange(0, 15) == 0:
            del damaged[provider.ConsumeIntInRange(0, len(damaged)) :]
        try:
            result = croft.run(
                _written(file, damaged), "tilepro64", cores=4, max_cycles=200_000, max_seconds=5, memory=64 << 20
            )
            threads_table(result)
            result.to_json()
        except CroftError as error:
            if not str(error).strip() or error.exit_status == 70:
                raise

    fuzz(one)


def _written(file: Path, elf: bytes) -> Path:
    file.write_bytes(elf)
    return file


if __name__ == "__main__":
    sys.exit(main())
