"""``python -m bench.simulator_profile``: where the simulator's own time goes, by the parts of its sources.

Builds this tree's simulator with line tables, runs programs under Linux's perf, and adds the samples up by the file of
the innermost frame that is the simulator's. Prints a table in Markdown; with ``--files``, the files beside it.
"""

import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.simulator_before import FOLDER, KERNELS, ROOT, build, measuring

PROGRAMS = {
    "`tilepro64`, private": ("tilepro64", "mixed 58 0 12 stack"),
    "`tilepro64`, hashed": ("tilepro64", "mixed 58 0 2 heap"),
    "`big-tiny-64-mesi`": ("big-tiny-64-mesi", "mixed 64 0 6 stack"),
    "`-gwt`": ("big-tiny-64-gwt", "mixed 64 0 4 stack"),
    "`-gwb`": ("big-tiny-64-gwb", "mixed 64 0 6 stack"),
    "`o3x8`": ("o3x8", "mixed 8 0 6 stack"),
}
PARTS = {
    "in-order cores (`core/`, `isa/`)": r"core/|isa/",
    "of that, checkpoints": r"core/checkpoint\.hpp",
    "out-of-order cores": (
        r"core/(out_of_order|dispatch|retire|memory_operations|load_store_queue|l1_port|issue_queue|issue_slots|event_line"
        r"|branch_predictor|reorder_buffer|execute|decoded_code)\."
    ),
    "private caches (`cache/`, `coherence/`)": r"cache/|coherence/",
    "homes": r"coherence/(home|home_engine|l2_bank)\.|device/copy_engine\.",
    "networks": r"network/|device/(user_port|uli_port)\.|machine/(routing|outbox)\.",
    "going from core to core (`machine/`)": r"machine/",
    "the rest": "",
}
"""A file belongs to the most special pattern that it matches; "of that" is counted in the part above it as well."""
ORDER = ("out-of-order cores", "homes", "networks", *PARTS)


def part_of(file: str) -> str:
    return next(part for part in ORDER if part != "of that, checkpoints" and re.match(PARTS[part], file))


def perf(*command: str, env: dict[str, str] | None = None) -> str:
    ran = subprocess.run(["perf", *command], capture_output=True, text=True, cwd=ROOT, env=env)
    if ran.returncode:
        raise SystemExit(f"bench: perf {command[0]}: {(ran.stderr or ran.stdout).strip().splitlines()[-1]}")
    return ran.stdout


def files_of(module: Path, offsets: list[int]) -> dict[int, str]:
    """For each offset into the module's file, the simulator's file of its innermost frame that is in one."""
    headers = subprocess.run(["readelf", "-lW", module], capture_output=True, text=True, check=True).stdout
    code = next(line for line in headers.splitlines() if "LOAD" in line and "R E" in line)
    at, address = (int(number, 16) for number in re.findall(r"0x[0-9a-f]+", code)[:2])
    asked = "\n".join(hex(offset + address - at) for offset in offsets)
    command = ["addr2line", "--inlines", "--addresses", f"--exe={module}"]
    lines = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout.splitlines()
    found: dict[int, str] = {}
    current = -1
    for line in lines:
        if re.fullmatch("0x[0-9a-f]+", line):
            current = int(line, 16) - address + at
        elif (frame := re.search(r"/simulator/(\w+/[\w.]+)", line)) and current not in found:
            found[current] = frame[1]
    return found


def profile(module: Path, program: Path, machine: str, arguments: str) -> collections.Counter[str]:
    """Samples by file; those outside the simulator and the C library, such as Python's, are left out."""
    with tempfile.TemporaryDirectory() as folder:
        data = f"{folder}/perf.data"
        measured, environment = measuring(ROOT, module, program)
        perf("record", "--quiet", f"--output={data}", *measured, machine, arguments, env=environment)
        maps = perf("script", "-i", data, "--show-mmap-events")
        samples = perf("script", "-i", data, "-F", "ip,dso")
    mapped = re.search(rf"\[0x(\w+)\((0x\w+)\) @ (\w+) .*r-xp .*{re.escape(module.name)}", maps)
    if not mapped:
        raise SystemExit(f"bench: perf saw nothing of {module}")
    base, size, offset = int(mapped[1], 16), int(mapped[2], 16), int(mapped[3], 0)
    counts: collections.Counter[int] = collections.Counter()
    elsewhere = 0
    for line in samples.splitlines():
        address = int(line.split()[0], 16)
        if base <= address < base + size:
            counts[address - base + offset] += 1
        elif "libc" in line:
            elsewhere += 1
    files = files_of(module, list(counts))
    by_file: collections.Counter[str] = collections.Counter({"libc": elsewhere})
    for place, count in counts.items():
        by_file[files.get(place, "unknown")] += count
    return by_file


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.simulator_profile", description=__doc__.split(":", 1)[1])
    parser.add_argument(
        "--files", type=int, default=0, metavar="N", help="print the N first files of each program, too"
    )
    given = parser.parse_args()
    for tool in ("perf", "addr2line", "readelf"):
        if not shutil.which(tool):
            raise SystemExit(f"bench: {tool} is missing (Debian's linux-perf and binutils have it)")
    import croft

    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # cmake and ninja
    print("building the simulator with line tables", file=sys.stderr)
    options = ("-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O3 -g1 -DNDEBUG")
    module = build(ROOT, FOLDER / "profiled", *options)
    program = croft.build(ROOT / KERNELS)
    profiles = {}
    for name, (machine, arguments) in PROGRAMS.items():
        print(f"running {arguments} on {machine}", file=sys.stderr)
        profiles[name] = profile(module, program, machine, arguments)
    print(f"| | {' | '.join(profiles)} |")
    print("| --- |" + " --- |" * len(profiles))
    for part in PARTS:
        row = []
        for by_file in profiles.values():
            inside = (
                count
                for file, count in by_file.items()
                if (re.match(PARTS[part], file) if part == "of that, checkpoints" else part_of(file) == part)
            )
            row.append(f"{sum(inside) / by_file.total():.0%}")
        print(f"| {part} | {' | '.join(row)} |")
    for name, by_file in profiles.items() if given.files else ():
        first = (f"{file} {count / by_file.total():.1%}" for file, count in by_file.most_common(given.files))
        print(f"{name}: {', '.join(first)}")


if __name__ == "__main__":
    main()
