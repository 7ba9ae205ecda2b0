"""The programs in examples/ beside their oneTBB forms: how long they are, how long they take, how much memory.

They run in turn, so that a busy host slows both; times and memory are medians. What both forms share is in headers of
its own and counts for neither. Each run's result is compared with the other form's.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
ROUNDS = 9
LINES = 400_000
PROGRAMS = {
    "log_pipeline": ["IN", "OUT"],
    "nested_loops": ["1000", "4000"],
    "market_data": ["4", "500000"],
}
"""With their arguments: IN is a log of so many lines."""


def compile_to(program: Path, source: Path, flags: list[str]) -> None:
    options = ["-std=c++20", "-O3", "-march=native", "-pthread"]
    subprocess.run([os.environ.get("CXX", "c++"), *options, str(source), "-o", str(program), *flags], check=True)


@dataclass
class Form:
    """A program in one of its two forms, and what it took in each round: see launch.cpp."""

    library: str
    source: Path
    flags: list[str]
    took: list[list[float]] = field(default_factory=list)

    def build(self, folder: Path) -> None:
        self.program = folder / f"{self.source.stem}-{self.library}"
        compile_to(self.program, self.source, self.flags)

    def run(self, arguments: list[str], folder: Path) -> str:
        """What it printed, and wrote into its last argument if that is a file."""
        command = [folder / "launch", folder / "took", self.program, *arguments]
        printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        self.took.append([float(each) for each in (folder / "took").read_text(encoding="utf-8").split()])
        last = Path(arguments[-1])
        return printed + (last.read_text(encoding="utf-8") if last.is_file() else "")


def lines_of(source: Path) -> int:
    """Those that are neither empty nor a comment alone."""
    stripped = map(str.strip, source.read_text(encoding="utf-8").splitlines())
    return sum(1 for line in stripped if line and not line.startswith("//"))


def write_log(to: Path) -> None:
    with to.open("w", encoding="utf-8") as file:
        for i in range(LINES):
            level = "DEBUG" if i % 3 == 0 else "INFO"
            file.write(f"2031-05-04T10:{i // 60 % 60:02}:{i % 60:02} {level} 10.3.{i % 256}.1 user{i % 97} ")
            file.write(f"GET /farm/{i} {404 if i % 10 == 0 else 200} {i * 7}\n")


def main() -> None:
    prefix = Path(sys.prefix)  # where pip puts oneTBB
    with_tbb = (prefix / "include" / "oneapi" / "tbb").is_dir()
    if not with_tbb:
        print("examples: oneTBB is not installed, so there is nothing to compare with", file=sys.stderr)
    tbb = [f"-isystem{prefix / 'include'}", f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-ltbb"]
    print("| program | library | lines | seconds | of processors | peak memory, MiB |")
    print("| --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_log(folder / "in")
        compile_to(folder / "launch", ROOT / "bench" / "launch.cpp", [])
        files = {"IN": str(folder / "in"), "OUT": str(folder / "out")}
        for program, given in PROGRAMS.items():
            arguments = [files.get(each, each) for each in given]
            forms = [Form("croft", EXAMPLES / f"{program}.cpp", [f"-I{ROOT / 'include'}"])]
            if with_tbb:
                forms.append(Form("oneTBB", EXAMPLES / "tbb" / f"{program}.cpp", tbb))
            for form in forms:
                form.build(folder)
            for _ in range(ROUNDS):
                results = {form.run(arguments, folder) for form in forms}
                if len(results) != 1:
                    raise SystemExit(f"examples: the two forms of {program} have different results")
            for form in forms:
                seconds, of_processors, kibibytes = map(statistics.median, zip(*form.took, strict=True))
                columns = [f"`{program}`", form.library, lines_of(form.source)]
                columns += [f"{seconds:.2f}", f"{of_processors:.2f}", f"{kibibytes / 1024:.1f}"]
                print("|", *(f"{each} |" for each in columns), flush=True)


if __name__ == "__main__":
    main()
