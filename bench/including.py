"""What a file with a farm and a parallel loop costs to compile, beside oneTBB's: time and code.

The compilers take turns, so that a busy host slows both. Times are processor time, the least of several.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = Path(__file__).resolve().parent / "including"
ROUNDS = 7
CROFT = ["-I", str(ROOT / "include")]
PEER = ["-isystem", str(Path(sys.prefix) / "include")]  # where pip puts oneTBB's headers
LOOP = {
    name: f"#include <{header}>\nvoid f(int* to) {{ {space}::parallel_for(0, 9, [=](int i) {{ to[i] = i; }}); }}\n"
    for name, space, header in [
        ("croft", "croft", "croft/task/parallel_for.hpp"),
        ("onetbb", "tbb", "oneapi/tbb/parallel_for.h"),
    ]
}


def compile_once(command: list[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def code_bytes(target: Path) -> int:
    """The size of what is executed or read only."""
    sizes = subprocess.run(["size", target], capture_output=True, text=True, check=True).stdout
    return int(sizes.splitlines()[1].split()[0])


def measure(title: str, sources: dict[str, Path], options: list[str], folder: Path) -> None:
    forms = {
        "oneTBB": [*PEER, str(sources["onetbb"])],
        "croft": [*CROFT, str(sources["croft"])],
        "croft, compiled": ["-DCROFT_COMPILED", *CROFT, str(sources["croft"])],
    }
    compiler = [os.environ.get("CXX", "c++"), "-std=c++20", *options, "-c"]
    times: dict[str, list[float]] = {form: [] for form in forms}
    for _ in range(ROUNDS):
        for form, arguments in forms.items():
            times[form].append(compile_once([*compiler, *arguments, "-o", str(folder / f"{form}.o")]))
    base, base_code = min(times["oneTBB"]), code_bytes(folder / "oneTBB.o")
    for form in forms:
        time, code = min(times[form]), code_bytes(folder / f"{form}.o")
        print(f"| {title} | `{' '.join(options)}` | {form} |", end="")
        print(f" {time:.2f} | {time / base:.2f} | {code:,} | {code / base_code:.1f} |")


def main() -> None:
    both = {name: SOURCES / f"{name}.cpp" for name in LOOP}
    if not (Path(sys.prefix) / "include" / "oneapi" / "tbb").is_dir():
        print("including: oneTBB is not installed, so there is nothing to compare with", file=sys.stderr)
        return
    print("| file | | library | seconds | over oneTBB | bytes of code | over oneTBB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        loop = {}
        for library, text in LOOP.items():
            loop[library] = folder / f"{library}.cpp"
            loop[library].write_text(text, encoding="utf-8")
        for options in (["-O0"], ["-O2", "-DNDEBUG"]):  # as CMake's Debug and Release have it
            measure("a loop", loop, options, folder)
            measure("a farm and a loop", both, options, folder)


if __name__ == "__main__":
    main()
