"""``python packaging/check_wheel.py WHEEL``: installed alone into an empty environment, where there is no compiler, the
wheel runs a program in the cycles of this build; says how long the installation takes, and how large it is."""

import json
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import croft

ARGUMENTS = ["--size", "3000", "--grain", "128"]
MACHINE = "big-tiny-64-mesi"
BROUGHT_BY_VENV = ("pip", "setuptools")

SIZES = """
import importlib.metadata as m
for each in m.distributions():
    files = [file.locate() for file in each.files or []]
    print(sum(file.stat().st_size for file in files if file.is_file()), each.metadata["Name"])
"""


def main() -> None:
    wheel = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        program = croft.build("cilk5/sort", output=Path(folder, "sort"))
        here = croft.run(program, MACHINE, arguments=ARGUMENTS).cycles
        venv.create(folder, with_pip=True)
        binaries = Path(folder, "bin")
        surroundings = {"PATH": str(binaries), "XDG_CACHE_HOME": str(Path(folder, "cache"))}

        def call(*command: object, expected: int = 0) -> str:
            words = [str(binaries / str(command[0])), *map(str, command[1:])]
            ran = subprocess.run(words, cwd=folder, env=surroundings, capture_output=True, text=True)
            if ran.returncode != expected:
                raise SystemExit(f"check_wheel: {' '.join(words)}: status {ran.returncode}\n{ran.stdout}{ran.stderr}")
            return ran.stdout if expected == 0 else ran.stderr

        def install(*what: object) -> float:
            started = time.perf_counter()
            call("python", "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *what)
            return time.perf_counter() - started

        own, others = install("--no-deps", wheel), install(wheel)
        sizes = [line.split(maxsplit=1) for line in call("python", "-c", SIZES).splitlines()]
        version = call("croft", "--version").strip()
        if MACHINE not in call("croft", "machines"):
            raise SystemExit("check_wheel: croft machines does not list the machines")
        result = Path(folder, "result.json")
        call(
            "croft",
            "run",
            program,
            "-m",
            MACHINE,
            "--stats",
            "--csv",
            f"{folder}/a.csv",
            "--json",
            result,
            "--",
            *ARGUMENTS,
        )
        there = json.loads(result.read_text(encoding="utf-8"))["cycles"]
        for missing in (["run", "cilk5/sort"], ["experiment"], ["run", program, "--parquet", "a"]):
            said = call("croft", *missing, expected=2).splitlines()[-1]
            if not said.startswith("croft: ") or "pip install 'croft-manycore[" not in said:
                raise SystemExit(f"check_wheel: croft {' '.join(map(str, missing))} said: {said}")
    if there != here:
        raise SystemExit(f"check_wheel: {wheel.name} takes {there} cycles where this build takes {here}")
    largest_first = sorted(((int(size), name) for size, name in sizes if name not in BROUGHT_BY_VENV), reverse=True)
    listed = ", ".join(f"{name} {size / 1e6:.1f}" for size, name in largest_first)
    print(f"{wheel.name}: {there} cycles, as this build ({version})")
    print(f"installed in {own:.1f} s, what it needs in {others:.1f} s; MB: {listed}")


if __name__ == "__main__":
    main()
