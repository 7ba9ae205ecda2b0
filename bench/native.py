"""Builds the library's native benchmarks with the host's compiler, and runs them."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "bench"


def main() -> None:
    subprocess.run(
        [
            *("cmake", "-S", str(ROOT), "-B", str(BUILD), "-DCROFT_BENCHMARKS=ON", "-DCMAKE_BUILD_TYPE=Release"),
            f"-DCMAKE_PREFIX_PATH={sys.prefix}",  # where pip puts a peer's CMake package
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subprocess.run(["cmake", "--build", str(BUILD), "--target", "benchmarks"], check=True, stdout=subprocess.DEVNULL)
    for program in sorted((BUILD / "bench").glob("bench_*")):
        if program.is_file() and program.stat().st_mode & 0o111:
            subprocess.run([str(program)], check=True)
