"""Fuzzes the command line: whatever is asked, the answer is help, a result or one sentence, and never a traceback.

Options and commands are taken from the command itself, so new ones take part by themselves. What takes minutes is not
begun: nothing is compiled, no experiment and no demo is conducted.
"""

import io
import os
import sys
import tempfile
from pathlib import Path

import atheris
import typer
from fuzzing import fuzz, tiny_program

import croft
from croft.base.errors import BuildError
from croft.cli import app as cli
from croft.cli import demo
from croft.programs import builder

STATUSES = {0, 1, 2, 7, 121, 122, 123, 124, 125, 130}
FILES = [
    *("out.json", "out.csv", "no/such/folder/x", ".", "", "..", "/", "/dev/null", "/dev/full", "a [bold]b", "x.toml"),
]
NUMBERS = [
    *("0", "1", "-1", "2", "64", "1e6", "0x10", "4294967295", "4294967296", "18446744073709551615"),
    *("18446744073709551616", "nan", "1.5", "4G", "T"),
]
WORDS = [
    *("tilepro64", "o3x1", "big-tiny-64-mesi", "coherence", "pingpong", "A=b", "=", "x::/y", "x::/y:ro", "::"),
    *("network.hop=3", "--", "-", "[/]"),
]


def _commands() -> dict[str, list[tuple[str, bool]]]:
    """Of each command its options, and whether they take a value."""
    group = typer.main.get_command(cli.app)
    return {
        name: [
            (option, not each.is_flag)
            for each in command.params
            if each.param_type_name == "option"
            for option in each.opts
        ]
        for name, command in group.commands.items()
    }


COMMANDS = _commands()


def _word(data: atheris.FuzzedDataProvider, program: str) -> str:
    kind = data.ConsumeIntInRange(0, 4)
    if kind == 0:
        return data.PickValueInList(FILES)
    if kind == 1:
        return data.PickValueInList(NUMBERS)
    if kind == 2:
        return data.PickValueInList(WORDS)
    if kind == 3:
        return program
    text = os.fsdecode(data.ConsumeBytes(data.ConsumeIntInRange(0, 12)))
    return text.replace("\0", "0").replace("/", "_")  # no file outside the folder is written


def arguments(data: atheris.FuzzedDataProvider, program: str) -> list[str]:
    """A command line that may be wrong anywhere."""
    command = data.PickValueInList([*COMMANDS, *COMMANDS, "nothing"])
    line = [command]
    if command == "run":
        line += [program if data.ConsumeBool() else _word(data, program), "--max-seconds", "1", "--max-cycles", "20000"]
    for _ in range(data.ConsumeIntInRange(0, 6)):
        options = COMMANDS.get(command)
        if options and data.ConsumeIntInRange(0, 3):
            option, takes_value = data.PickValueInList(options)
            line += [option, _word(data, program)] if takes_value else [option]
        else:
            line.append(_word(data, program))
    return line


def _refuse(*_: object, **__: object) -> None:
    raise BuildError("nothing is built here")


def main() -> None:
    """Runs the fuzzer; its options are libFuzzer's."""
    folder = Path(tempfile.mkdtemp(prefix="croft-fuzz-"), "a", "b")
    folder.mkdir(parents=True)
    os.chdir(folder)
    program = str(tiny_program())
    builder._call = demo.demonstrate = croft.experiment = _refuse

    def one(data: bytes) -> None:
        line = arguments(atheris.FuzzedDataProvider(data), program)
        said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
        printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
        before = sys.argv, sys.stdout, sys.stderr, sys.stdin
        sys.argv, sys.stdout, sys.stderr, sys.stdin = ["croft", *line], printed, said, None
        try:
            cli.main()
            status = 0
        except SystemExit as ended:
            status = ended.code or 0
        finally:
            sys.argv, sys.stdout, sys.stderr, sys.stdin = before
        said.flush()
        text = said.buffer.getvalue().decode(errors="replace")
        if status not in STATUSES or "Traceback" in text:
            raise AssertionError(f"croft {line!r} ended with {status}: {text}")

    fuzz(one)


if __name__ == "__main__":
    main()
