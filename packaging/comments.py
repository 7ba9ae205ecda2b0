"""The prose of C++ comments (``//``): each paragraph and each entry of a list, with its line.

Code and diagrams are no prose: they follow an empty line and stand four columns further in, as in Markdown. An entry of
a list begins with a dash, or with a name that two spaces or more part from its text; neither counts.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

# What stands before a comment. (A quote that begins no literal parts a number's digits.)
CODE = re.compile(r"""(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])'|/(?!/)|[^"'/]|['"](?=[^/]*$|\w))*""")
MARKER = re.compile(r"// ?(.*)$")
ENTRY = re.compile(r" *- | +\S.*? {2,}(?=\S)")
NO_PROSE = re.compile(r"clang-format (?:on|off)|NOLINT|namespace\b")


class Line(NamedTuple):
    number: int
    """From 1."""
    column: int
    """Of the slashes, from 0."""
    text: str
    """Without the slashes and the space behind them."""
    alone: bool
    """Whether no code stands before it."""


class Paragraph(NamedTuple):
    line: int
    """The first, from 1."""
    text: str
    """With its line ends, without its indentation, dash or name."""


def lines(source: str) -> Iterator[Line]:
    """The comment of each line that has one."""
    for number, line in enumerate(source.splitlines(), 1):
        begin = CODE.match(line).end()  # type: ignore[union-attr]  # it matches nothing, too
        if marker := MARKER.match(line, begin):
            yield Line(number, begin, marker[1].rstrip(), not line[:begin].strip())


def blocks(source: str) -> Iterator[list[Line]]:
    """Comments in one column, on lines that follow each other; code before a line begins a new block."""
    block: list[Line] = []
    for line in lines(source):
        if block and not (line.alone and line.column == block[-1].column and line.number == block[-1].number + 1):
            yield block
            block = []
        block.append(line)
    if block:
        yield block


def paragraphs(source: str) -> Iterator[Paragraph]:
    for block in blocks(source):
        first, indent, is_list, texts, after_empty, in_code = 0, 0, False, [], True, False
        for line in [*block, Line(0, 0, "", True)]:
            deep = len(line.text) - len(line.text.lstrip())
            named = ENTRY.match(line.text)
            in_code = bool(line.text) and deep >= 4 and (in_code or (after_empty and line is not block[0]))
            after_empty = not line.text
            begins = deep < indent or (deep == indent and (deep > 0 or is_list)) or (named and not is_list)
            begins = begins or line.text.lstrip().startswith("- ")
            if texts and (not line.text or in_code or begins):
                yield Paragraph(first, "\n".join(texts))
                texts = []
            if not line.text or in_code or NO_PROSE.match(line.text):
                continue
            if texts:
                texts.append(line.text.lstrip())
            else:
                first, indent, is_list = line.number, deep, bool(named)
                texts = [line.text[named.end() if named else deep :]]
