"""Checks that the documentation is plain English (``make check-format``): each finding is a line with a way out.

Code, tables, headings and the targets of links do not count. Vale would do it as well, but its wheel fetches its
program from elsewhere when it is first run.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).resolve().parents[1]
# Pages that are still to be edited.
EXEMPT = {"docs/experiments.md", "docs/fidelity.md", "docs/decisions/big-tiny.md"}
# So are the docstrings and the help that these are made of.
EXEMPT |= {"docs/commands.md", "docs/python-reference.md"}
MOST_WORDS = 25

# What no sentence may match, and what to do instead.
PRONOUN = r"(?:it|they|this|these|there|we|you|nobody|nothing|no|neither)\b"
LIKE_THIS = r"(?! (?:is|are|was|were|do|does|did|has|stands?)(?:$|[.,;:)]))"  # "as it was" compares
ALONE = r"(?:$|[.,;:)]| (?:is|has|was|does|can|may|must|will|of)\b)"  # no noun follows
RULES = {
    "fronted relative": (
        # A short label ("What it costs: ...") and a question are none.
        r"(?:^|; )(?:[Oo]f|[Ww]hose|[Ww]ho|[Ww]hat)\b(?!.*\?$)(?![^.,;]{1,40}:)",
        "begin with who acts ('the scheduler ...', 'if the source ..., each emitter ...')",
    ),
    "'as' for because": (rf"(?:, as|^As) {PRONOUN}{LIKE_THIS}", "write 'because'"),
    "'for' for because": (rf"[,;] for {PRONOUN} (?!other)\w", "write 'because'"),
    "name it": (
        rf"(?<!so )\b(?:that|this) one{ALONE}|\b[Tt]he (?:former|latter){ALONE}|\b[Tt]he one\b.*\bthe other\b",
        "'that one', 'the one ... the other' and 'the latter' make the reader look back; name the thing",
    ),
    "internal target": (
        r"\b[Aa]sked\b(?: for)?:? ?(?:at most |at least )?[\d<>≤≥]|\b[Aa]im\b.{0,20}\b\d",
        "say what was measured, not what was hoped for",
    ),
}
# Only counted.
PASSIVE = re.compile(
    r"\b(?:is|are|was|were|be|been|being)(?: (?:not|never|also|then|only|always|\w+ly))? (?:\w+ed|\w+own|\w+ought"
    r"|made|done|taken|given|found|kept|built|told|said|sent|read|written|left|lost|held|put|run|set|seen|meant|hidden|chosen)\b"
)

# Points that end no sentence, and what ends one otherwise.
ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|Fig|No|pp?)|\.\.)\.$")
ENDS = re.compile(r"[.!?][\"')\]]*(?=\s)")
WORD = re.compile(r"[^\W_]\S*")


class Sentence(NamedTuple):
    page: str
    line: int
    text: str
    """Code in it is the sign ¶, which is no word."""

    @property
    def words(self) -> int:
        return len(WORD.findall(self.text))


class Finding(NamedTuple):
    sentence: Sentence
    rule: str
    advice: str

    def __str__(self) -> str:
        return f'{self.sentence.page}:{self.sentence.line}: {self.rule}: {self.advice}: "{self.sentence.text[:60]}..."'


def pages() -> Iterator[Path]:
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        if str(page.relative_to(ROOT)) not in EXEMPT:
            yield page


def plain(inline: Token) -> str:
    """A paragraph's text, its lines kept."""
    signs = {"text": lambda each: each.content, "code_inline": lambda each: "¶", "softbreak": lambda each: "\n"}
    return "".join(signs[each.type](each) for each in inline.children or [] if each.type in signs)


def sentences(text: str, page: str) -> Iterator[Sentence]:
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in pairwise(tokens):
        if token.type != "inline" or before.type != "paragraph_open":
            continue
        paragraph, begin = plain(token), 0
        ends = [end.end() for end in ENDS.finditer(paragraph) if not ABBREVIATED.search(paragraph[: end.end()])]
        for end in [*ends, len(paragraph)]:
            piece = paragraph[begin:end]
            skipped = len(piece) - len(piece.lstrip())
            if piece.strip():
                line = token.map[0] + 1 + paragraph.count("\n", 0, begin + skipped)
                yield Sentence(page, line, " ".join(piece.split()))
            begin = end


def findings(sentence: Sentence) -> Iterator[Finding]:
    if sentence.words > MOST_WORDS:
        yield Finding(sentence, f"{sentence.words} words", f"at most {MOST_WORDS}; make it two sentences")
    for rule, (pattern, advice) in RULES.items():
        if re.search(pattern, sentence.text):
            yield Finding(sentence, rule, advice)


def main() -> int:
    said = [each for page in pages() for each in sentences(page.read_text("utf-8"), str(page.relative_to(ROOT)))]
    found = [each for sentence in said for each in findings(sentence)]
    if "--counts" in sys.argv[1:]:
        print(f"{len(said)} sentences, {sum(bool(PASSIVE.search(each.text)) for each in said)} in the passive voice")
        counts = Counter("too long" if each.rule.endswith("words") else each.rule for each in found)
        print("\n".join(f"{count:5} {rule}" for rule, count in counts.most_common()))
        return 0
    print("\n".join(map(str, found)), end="\n" * bool(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
