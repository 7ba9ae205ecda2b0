"""The lines that croft's programs print for other programs: ``name key=value key=value ...``."""

from croft.base.errors import CroftError

Value = int | float | str


def parse(line: str) -> dict[str, Value]:
    """The keys and values of one such line; numbers become numbers."""
    return {key: _value(text) for key, _, text in (word.partition("=") for word in line.split()[1:])}


def lines_of(output: str, name: str) -> list[dict[str, Value]]:
    """The lines of ``output`` that begin with ``name``."""
    return [parse(line) for line in output.splitlines() if line.split(maxsplit=1)[:1] == [name]]


def find_all(output: str, name: str) -> list[dict[str, Value]]:
    """The same. Raises CroftError if there is none."""
    lines = lines_of(output, name)
    if not lines:
        raise CroftError(f"{name} printed no line that begins with {name!r}: {output[-200:]!r}")
    return lines


def find(output: str, name: str) -> dict[str, Value]:
    """The last one. Raises CroftError if there is none."""
    return find_all(output, name)[-1]


def _value(text: str) -> Value:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
