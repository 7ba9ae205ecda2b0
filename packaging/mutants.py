"""Breaks the coherence protocols in one place after another, and says which tests find it (``make mutants``).

Each worker has a copy of the sources and a build of its own, optimised a little and with assertions. It compiles one
file to an object, so that a mutant costs the compilation of that file and a link. A mutant is caught if the tests fail,
crash, or do not end in time. One that survives makes this program fail, unless the table gives the reason why no test
can find it.
"""

import argparse
import os
import re
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from mutants_of_homes import MUTANTS as OF_HOMES
from mutants_of_l1s import MUTANTS as OF_L1S
from mutation import Mutant

ROOT = Path(__file__).resolve().parents[1]
MUTANTS = OF_HOMES + OF_L1S
NEEDED = (
    "CMakeLists.txt",
    "cmake",
    "host",
    "include",
    "many_core",
    "modules",
    "simulator",
    "src",
    "tests",
    "third_party",
)
QUICK, TESTS = "coherence_tester", "mutant_tests"
UNITY = ("simulator/CMakeLists.txt", "UNITY_BUILD ON", "UNITY_BUILD OFF")
# By the programs, of a fault.
SAID = (
    r"Assertion [`'](.*)' failed",
    r"^TEST CASE: *(.*)$",
    r"^(.*?): .* [1-9][0-9]* wrong$",
    r"^coherence_tester: (.*)$",
)

said = threading.Lock()


def say(line: str) -> None:
    with said:
        print(line, flush=True)


class Workshop:
    """A copy of the sources, and its build."""

    def __init__(self, folder: Path, processes: int) -> None:
        self.tree, self.build, self.processes = folder / "tree", folder / "build", processes
        listed = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard", *NEEDED],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        ).stdout.splitlines()
        there = {path for path in listed if (ROOT / path).is_file()}
        for path in there:
            self.write(path, self.original(path))
        for file in self.tree.rglob("*"):
            if file.is_file() and str(file.relative_to(self.tree)) not in there:  # of an earlier commit
                file.unlink()

    def original(self, path: str) -> bytes:
        content = (ROOT / path).read_bytes()
        if path == UNITY[0]:
            content = content.replace(UNITY[1].encode(), UNITY[2].encode())
        return content

    def write(self, path: str, content: bytes) -> None:
        """Only what differs, so that nothing else is compiled again."""
        file = self.tree / path
        if file.is_file() and file.read_bytes() == content:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def configure(self) -> None:
        options = ("-DCROFT_TESTS=ON", "-DCROFT_PYTHON=OFF", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O1")
        self.command("cmake", "-S", str(self.tree), "-B", str(self.build), "-G", "Ninja", *options)

    def compile(self) -> None:
        targets = ("--target", QUICK, TESTS)
        self.command("cmake", "--build", str(self.build), *targets, "--parallel", str(self.processes))

    def command(self, *words: str) -> None:
        # Where there is ccache, the second worker finds what the first has compiled.
        environment = os.environ | {"CCACHE_BASEDIR": str(self.tree.parent)}
        done = subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"{done.stdout[-4000:]}\n{' '.join(words)} failed")

    def caught_by(self, seconds: float) -> str | None:
        """What finds the mutant in it; None: nothing does. Most are found in the first seconds of random operations."""
        if found := self.runs(seconds, QUICK, "--operations", "3000"):
            return found
        for files in ("*random_tester*,*word_owners*", "*exploration*"):
            arguments = ("--abort-after=1", "--test-suite-exclude=slow", f"--source-file={files}")
            if found := self.runs(seconds, TESTS, *arguments):
                return found
        return None

    def runs(self, seconds: float, program: str, *arguments: str) -> str | None:
        """None: without a fault."""
        command = [str(self.build / "tests" / "cpp" / program), *arguments]
        try:
            done = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=seconds, errors="replace"
            )
        except subprocess.TimeoutExpired:
            return "the time limit"
        if done.returncode == 0:
            return None
        for pattern in SAID:
            if found := re.search(pattern, done.stdout, re.MULTILINE):
                return f"{program}: {found[1].strip()}"
        return f"{program}: exit status {done.returncode}"


def with_mutant(mutant: Mutant) -> bytes:
    text = (ROOT / mutant.file).read_text()
    if text.count(mutant.text) != 1:
        raise SystemExit(f"{mutant.file} has {text.count(mutant.text)} times, and not once:\n{mutant.text}")
    return text.replace(mutant.text, mutant.replacement).encode()


def chosen(words: Iterable[str]) -> list[Mutant]:
    words = list(words)
    return [one for one in MUTANTS if not words or any(word in f"{one.file}: {one.breaks}" for word in words)]


def main() -> None:
    parser = argparse.ArgumentParser(prog="mutants.py", description=__doc__, allow_abbrev=False)
    parser.add_argument("words", nargs="*", metavar="WORD", help="only mutants whose file or description has a WORD")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="mutants at a time (2)")
    parser.add_argument("--seconds", type=float, default=1800, metavar="S", help="for each run of tests (1800)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants", help="of the builds (build/mutants)")
    parser.add_argument("--trusting", action="store_true", help="do not run the tests without a mutant first")
    parser.add_argument("--list", action="store_true", help="say what mutants there are, and run none")
    options = parser.parse_args()
    mutants = chosen(options.words)
    if not mutants:
        raise SystemExit(f"no mutant's file or description has {' or '.join(options.words)}")
    by_file: dict[str, list[tuple[Mutant, bytes]]] = defaultdict(list)
    for mutant in mutants:
        by_file[mutant.file].append((mutant, with_mutant(mutant)))
    if options.list:
        for mutant in mutants:
            say(f"{mutant.file}: {mutant.breaks}" + (f" (equivalent: {mutant.equivalent})" * bool(mutant.equivalent)))
        return

    jobs = max(1, min(options.jobs, len(by_file)))
    say(f"== {len(mutants)} mutants, {jobs} at a time; compiling the tests without any")
    processes = max(1, (os.cpu_count() or 1) // jobs)
    free: SimpleQueue[Workshop] = SimpleQueue()
    first = Workshop(options.folder / "0", os.cpu_count() or 1)
    first.configure()
    first.compile()
    started = time.monotonic()
    if not options.trusting:
        if failed := first.caught_by(10 * options.seconds):
            raise SystemExit(f"the tests fail without a mutant: {failed}")
        say(f"== they pass, in {time.monotonic() - started:.0f} s")
    first.processes = processes
    free.put(first)
    for number in range(1, jobs):
        another = Workshop(options.folder / str(number), processes)
        another.configure()
        free.put(another)

    wrong: list[str] = []
    done = 0

    def try_all(path: str) -> None:
        """Those of one file, so that no other has to be compiled again in between."""
        nonlocal done
        workshop = free.get()
        try:
            for mutant, content in by_file[path]:
                workshop.write(path, content)
                workshop.compile()
                by = workshop.caught_by(options.seconds)
                verdict = f"caught by {by}" if by else "equivalent" if mutant.equivalent else "SURVIVED"
                if bool(by) == bool(mutant.equivalent):
                    wrong.append(f"{path}: {mutant.breaks}: {verdict}" + " and is marked as equivalent" * bool(by))
                done += 1
                say(f"{done}/{len(mutants)} {path}: {mutant.breaks}: {verdict}")
        finally:
            workshop.write(path, workshop.original(path))
            free.put(workshop)

    with ThreadPoolExecutor(jobs) as pool:
        for running in [pool.submit(try_all, path) for path in by_file]:
            running.result()
    for line in wrong:
        say(line)
    say(f"{len(mutants) - len(wrong)} of {len(mutants)} are as expected")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
