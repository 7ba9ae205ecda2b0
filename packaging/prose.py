"""Checks that pages and C++ comments are plain English (``make check-format``): each finding is a line with a way out.

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

sys.path.insert(0, str(Path(__file__).parent))
import comments

ROOT = Path(__file__).resolve().parents[1]
# Folders whose pages and C++ comments count beside docs/.
SOURCES = ("include", "many_core", "simulator", "programs", "examples", "bench", "host", "tests")
MOST_WORDS = 25
WIDEST = 120  # columns of a comment, of which clang-format keeps its hands off

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
CODE = re.compile(r"`[^`]+`|\b[\w-]+=\S+")  # in comments
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
    """Markdown and C++."""
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    for folder in ("docs", *SOURCES):
        for page in sorted((ROOT / folder).rglob("*.*")):
            if page.suffix in (".md", ".hpp", ".cpp"):
                yield page


def plain(inline: Token) -> str:
    """A paragraph's text, its lines kept."""
    signs = {"text": lambda each: each.content, "code_inline": lambda each: "¶", "softbreak": lambda each: "\n"}
    return "".join(signs[each.type](each) for each in inline.children or [] if each.type in signs)


def paragraphs(text: str, page: str) -> Iterator[comments.Paragraph]:
    if not page.endswith(".md"):
        for each in comments.paragraphs(text):
            yield each._replace(text=CODE.sub(lambda code: "¶" + "\n" * code[0].count("\n"), each.text))
        return
    tokens = MarkdownIt("commonmark").enable("table").parse(text)
    for before, token in pairwise(tokens):
        if token.type == "inline" and before.type == "paragraph_open":
            yield comments.Paragraph((token.map or [0])[0] + 1, plain(token))


def sentences(text: str, page: str) -> Iterator[Sentence]:
    for first, paragraph in paragraphs(text, page):
        begin = 0
        ends = [end.end() for end in ENDS.finditer(paragraph) if not ABBREVIATED.search(paragraph[: end.end()])]
        for end in [*ends, len(paragraph)]:
            piece = paragraph[begin:end]
            skipped = len(piece) - len(piece.lstrip())
            if piece.strip():
                yield Sentence(page, first + paragraph.count("\n", 0, begin + skipped), " ".join(piece.split()))
            begin = end


def findings(sentence: Sentence) -> Iterator[Finding]:
    if sentence.words > MOST_WORDS:
        yield Finding(sentence, f"{sentence.words} words", f"at most {MOST_WORDS}; make it two sentences")
    # A comment behind code is often no sentence but a label: "of each worker, eight bytes apart".
    label = sentence.text[0].islower() and not sentence.page.endswith(".md")
    for rule, (pattern, advice) in RULES.items():
        if re.search(pattern, f"({sentence.text}" if label else sentence.text):
            yield Finding(sentence, rule, advice)


def wide_lines(text: str, page: str) -> Iterator[Finding]:
    for line in [] if page.endswith(".md") else comments.lines(text):
        if line.column + len("// ") + len(line.text) > WIDEST:
            yield Finding(Sentence(page, line.number, line.text), "wide line", f"at most {WIDEST} columns")


def main() -> int:
    asked = [arg for arg in sys.argv[1:] if arg != "--counts"]
    said, found = [], []
    for path in [ROOT / arg for arg in asked] or pages():
        text, page = path.read_text("utf-8"), str(path.relative_to(ROOT))
        of_page = list(sentences(text, page))
        said += of_page
        found += [each for sentence in of_page for each in findings(sentence)] + list(wide_lines(text, page))
    if "--counts" in sys.argv[1:]:
        print(f"{len(said)} sentences, {sum(bool(PASSIVE.search(each.text)) for each in said)} in the passive voice")
        counts = Counter("too long" if each.rule.endswith("words") else each.rule for each in found)
        print("\n".join(f"{count:5} {rule}" for rule, count in counts.most_common()))
        return 0
    print("\n".join(map(str, found)), end="\n" * bool(found))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
