"""Writes the reference pages of the command line, Python and the library from the code (``make reference``)."""

import ast
import dataclasses
import html
import inspect
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

from ruff import find_ruff_bin

import croft

sys.path.insert(0, str(Path(__file__).parent))
import library_names

DOCS = Path(__file__).resolve().parents[1] / "docs"

COMMANDS = """\
# Reference of the command line

`make reference` makes this page from the commands themselves. `croft COMMAND --help` prints the same.
[Using the lab](lab/README.md) explains the commands by task, and [the options of a run](run-options.md) says more about
those of `croft run`.
"""

PYTHON = """\
# Reference of the Python package

`make reference` makes this page from the package: its public names, their signatures and their docstrings.
[From Python](lab/python.md) shows how to use them. Names are in `croft` itself: `import croft`, then `croft.run`.
"""


def commands() -> str:
    """The page of the command line: what Typer writes about it, without what only repeats."""
    written = [sys.executable, "-m", "typer", "croft.cli.app", "utils", "docs", "--name", "croft"]
    text = html.unescape(subprocess.run(written, capture_output=True, text=True, check=True).stdout)
    text = re.sub(
        r"\*\*Commands\*\*:\n\n(?:\* .*\n)+\n", "", text
    )  # the headings list them, and whole sentences follow
    text = re.sub(r"^\* `--help`: .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\*\*Options\*\*:\n\n(?!\*)", "", text)
    text = text.replace("# `croft`", "## `croft`", 1).replace("**Usage**:\n\n", "")
    return COMMANDS + "\n" + text.strip() + "\n"


def python() -> str:
    """The page of the Python package."""
    kinds: list[tuple[str, Callable[[object], bool]]] = [
        ("Functions", inspect.isfunction),
        ("Classes", lambda each: inspect.isclass(each) and not issubclass(each, Exception)),
        ("Errors", lambda each: inspect.isclass(each) and issubclass(each, Exception)),
    ]
    parts = [PYTHON]
    for title, belongs in kinds:
        parts.append(f"## {title}")
        for name in croft.__all__:
            if belongs(thing := getattr(croft, name)):
                parts += described(name, thing)
    return "\n\n".join(part.strip("\n") for part in parts if part) + "\n"


def described(name: str, thing: object) -> Iterator[str]:
    """A public name's heading, signature and docstring, and those of a class's members."""
    yield f"### {name}"
    is_class = inspect.isclass(thing)
    is_error = is_class and issubclass(thing, Exception)
    is_made_by_users = not is_error and not any(each.startswith("_") for each in parameters(thing))
    if is_made_by_users:
        yield signature(name, thing)
    yield prose(thing.__doc__)
    if is_class and not is_error:
        yield "\n".join(line for line, is_said in fields(thing) if is_said or not is_made_by_users)
        for member, value in vars(thing).items():
            function = getattr(value, "func", getattr(value, "fget", getattr(value, "__func__", value)))
            if not member.startswith("_") and inspect.isfunction(function) and function.__doc__:
                yield from method(name, member, getattr(thing, member), function)


def method(owner: str, name: str, found: object, function: Callable) -> Iterator[str]:
    yield f"#### {owner}.{name}"
    is_called = inspect.isfunction(found) or inspect.ismethod(found)
    yield signature(name, found) if is_called else f"`{name}: {short(inspect.signature(function).return_annotation)}`"
    yield prose(function.__doc__)


def parameters(thing: object) -> dict[str, inspect.Parameter]:
    return {name: each for name, each in inspect.signature(thing).parameters.items() if name != "self"}


def signature(name: str, thing: object) -> str:
    """A call as a block of code, as ruff lays it out."""
    given = [
        each if each.default is inspect.Parameter.empty or is_shown(each.default) else each.replace(default=...)
        for each in parameters(thing).values()
    ]
    found = inspect.signature(thing).replace(parameters=given)
    if inspect.isclass(thing):
        found = found.replace(return_annotation=inspect.Signature.empty)
    layout = [find_ruff_bin(), "format", "--line-length=100", "-"]
    code = f"def {name}{short(found)}: ..."
    laid_out = subprocess.run(layout, input=code, capture_output=True, text=True, check=True).stdout
    return f"```python\n{laid_out.removeprefix('def ').strip().removesuffix(': ...')}\n```"


def is_shown(default: object) -> bool:
    """Whether a default's value says something: that of a function, or of what makes a field's value, does not."""
    return default is None or isinstance(default, str | bytes | int | float | tuple)


def short(annotation: object) -> str:
    """Types by their names alone, and what is not evaluated without quotes."""
    text = annotation if isinstance(annotation, str) else str(annotation)
    if inspect.isclass(annotation):
        text = annotation.__qualname__
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Za-z])", "", text)
    return re.sub(r"(-> |^)'([\w.]+)'$", r"\1\2", text.replace("Ellipsis", "..."))


def fields(kind: type) -> Iterator[tuple[str, bool]]:
    """A data class's public fields with their types, and whether the source says more of each."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind))).body[0]
    for node, behind in pairwise([*tree.body, ast.Pass()]):
        if dataclasses.is_dataclass(kind) and isinstance(node, ast.AnnAssign) and not node.target.id.startswith("_"):
            said = behind.value.value if isinstance(behind, ast.Expr) else None
            line = f"- `{node.target.id}: {ast.unparse(node.annotation)}`"
            yield (f"{line}: {in_a_line(said)}" if said else line), bool(said)


def in_a_line(docstring: str) -> str:
    return " ".join(prose(docstring).split())


def prose(docstring: str | None) -> str:
    """A docstring as Markdown: its examples as blocks of code."""
    text = re.sub(r"``(.+?)``", r"`\1`", inspect.cleandoc(docstring or "")).replace("  # doctest: +SKIP", "")
    return re.sub(r"((?:^(?:>>>|\.\.\.).*\n?)+)", r"```python\n\1```\n", text, flags=re.MULTILINE)


if __name__ == "__main__":
    (DOCS / "commands.md").write_text(commands(), encoding="utf-8")
    (DOCS / "python-reference.md").write_text(python(), encoding="utf-8")
    (DOCS / "library-names.md").write_text(library_names.page(), encoding="utf-8")
