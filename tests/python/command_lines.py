"""Wrong command lines, made by mutation of those that the documentation shows, and what the command answers to them.

Nothing is simulated, built, served or written: what gets that far raises ``Right``.
"""

import io
import random
import runpy
import shlex
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from croft import _simulator
from croft.cli import app as cli
from croft.experiments import conduct

ROOT = Path(__file__).resolve().parents[2]
MOST_SECONDS = 2.0
"""Of this process, for one answer."""
VALUES = [
    *("", " ", "-1", "0", "1.5", "x", "1e999", "9" * 23, "nan", "ümläut", "\N{SNOWMAN}", "=", "a=b", "[/]", "x" * 300),
    *("missing.json", "missing.cpp", "missing.toml", "no/such/folder/x.json", "folder", "binary", "binary.json"),
    *(
        "cut.elf",
        "text.toml",
        "text.json",
        "text.cpp",
        "empty",
        "--",
        "-",
        "pingpong",
        "tilepro64",
        "s3://x",
        "tcp://x",
    ),
]


class Right(BaseException):  # that no `except Exception` of the command's takes for a fault
    """The command line was right after all: it would have done something."""


@dataclass(frozen=True)
class Answer:
    """What the command said, with which exit status, after how many seconds of processor time."""

    status: int
    text: str
    seconds: float

    @property
    def wrong(self) -> str:
        """Why this is no good answer to a wrong command line; empty for a good one."""
        sentences = [line for line in self.text.splitlines() if not line.startswith(("building ", "the first build "))]
        if not self.status:
            return "its exit status is 0"
        if self.status == 70 or "Traceback" in self.text or "╭" in self.text:
            return "it is no answer for a user"
        if len(sentences) != 1 or not sentences[0].startswith("croft: "):
            return "it is not one sentence"
        if not any(each in sentences[0] for each in WAYS_OUT):
            return "it names no way out"
        return "it took too long" if self.seconds > MOST_SECONDS else ""


WAYS_OUT = (
    *("did you mean", "--help", "; croft ", "`croft ", "known: ", "there are ", "pip install", "build it with"),
    *("should be", "must be", "should end in", "ends in", "for instance", "; name a", ": name ", "; make ", "leave "),
    *("by --", ", or --"),
)


def documented() -> list[list[str]]:
    """The command lines of the documentation's code blocks, each as its words behind ``croft``."""
    found = {}
    for page in [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md"))]:
        for line in page.read_text(encoding="utf-8").splitlines():
            command = line.strip().removeprefix("$ ")
            if command.startswith("croft ") and line.startswith((" ", "croft", "$")):
                words = _words(command)
                if words[1:]:
                    found[tuple(words[1:])] = None
    return [list(words) for words in found]


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:  # prose that begins a line with the word
        return []
    ends = [number for number, word in enumerate(words) if word in ("&&", "|", ">", "2>", "\\", "||")]
    return words[: ends[0]] if ends else words


def mutants(seed: int) -> Iterator[list[str]]:
    """Ever more command lines that are wrong, or may be."""
    dice = random.Random(seed)
    lines = documented()
    options = [word for line in lines for word in line if word.startswith("-") and word != "--"]
    while True:
        words = list(dice.choice(lines))
        for _ in range(dice.choice((1, 1, 2, 3))):
            at = dice.randrange(len(words)) if words else 0
            match dice.randrange(8) if words else 7:
                case 0:
                    words[at] = _misspelt(words[at], dice)
                case 1:
                    del words[at]
                case 2:
                    words.insert(at, words[at])
                case 3:
                    other = dice.randrange(len(words))
                    words[at], words[other] = words[other], words[at]
                case 4:
                    words.insert(at + 1, dice.choice(options))
                case 5:
                    option, equals, _ = words[at].partition("=")
                    words[at] = f"{option}={dice.choice(VALUES)}" if equals else dice.choice(VALUES)
                case 6:
                    words[at] = dice.choice(VALUES)
                case _:
                    words.insert(at, dice.choice(VALUES))
        if set(words) - {"--"}:  # without any it prints its help
            yield words


def _misspelt(word: str, dice: random.Random) -> str:
    at = dice.randrange(len(word) + 1)
    letter = dice.choice("abcdefghijklmnopqrstuvwxyz-_.0")
    return dice.choice(
        (word[:at] + letter + word[at:], word[:at] + word[at + 1 :], word[:at] + letter + word[at + 1 :])
    )


def prepare(folder: Path, monkeypatch) -> None:
    """Makes ``folder`` the current one, with files for mutants, and has all that works raise Right."""
    tiny = runpy.run_path(str(ROOT / "tests" / "fuzz" / "make_elf_seed.py"))["program"]()
    (folder / "folder").mkdir()
    for name, content in {
        "cut.elf": tiny[:3000],
        "binary": bytes(range(256)),
        "binary.json": bytes(range(256)),
        "empty": b"",
        "text.toml": b"hello",
        "text.json": b"{}",
        "text.cpp": b"int main() {}",
        "tiny": tiny,
    }.items():
        (folder / name).write_bytes(content)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
    monkeypatch.delenv("CROFT_STORE", raising=False)

    def right(*_: object, **__: object) -> None:
        raise Right

    def simulate(elf: bytes, machine: object, options: dict[str, object], *others: object) -> object:
        _simulated(elf, machine, options | {"max_cycles": 1}, *others)  # it may refuse
        raise Right

    _simulated = _simulator.simulate
    monkeypatch.setattr(_simulator, "simulate", simulate)
    monkeypatch.setattr("croft.programs.builder._compile", lambda *_: folder / "tiny")
    monkeypatch.setattr("croft.programs.builder._copy", right)
    monkeypatch.setattr("croft.cli.demo.demonstrate", right)
    monkeypatch.setattr("croft.calibration.calibration.measure_host", right)
    monkeypatch.setattr("croft.programs.pictures.convert", right)
    monkeypatch.setattr("croft.experiments.fidelity_page.rewrite", right)
    monkeypatch.setattr("croft.sweeps.points.run_many", right)
    monkeypatch.setattr("croft.sweeps.swept.run_many", right)
    for each in {type(one) for one in conduct.EXPERIMENTS.values()}:
        monkeypatch.setattr(each, "measure", right)


def answer(words: list[str]) -> Answer:
    """What ``croft`` answers to the words behind it, in this process. Raises Right."""
    said, printed = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape") for _ in range(2))
    before = sys.argv, sys.stdout, sys.stderr, sys.stdin
    sys.argv, sys.stdout, sys.stderr, sys.stdin = ["croft", *words], printed, said, None
    started, status = time.process_time(), 0
    try:
        cli.main()
    except SystemExit as ended:
        status = ended.code or 0
    finally:
        seconds = time.process_time() - started
        sys.argv, sys.stdout, sys.stderr, sys.stdin = before
    said.flush()
    if status == 0:
        raise Right
    return Answer(status, said.buffer.getvalue().decode(errors="replace"), seconds)
