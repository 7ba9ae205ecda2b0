"""The checker of the documentation's English finds what it is for, and nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
import prose


def found(text: str) -> list[tuple[int, str]]:
    """(line, rule) of each finding."""
    return [
        (each.sentence.line, each.rule)
        for sentence in prose.sentences(text, "page.md")
        for each in prose.findings(sentence)
    ]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Of a source that counts, each emitter calls it.", "fronted relative"),
        ("Who waits longest is served; then all go on.", "fronted relative"),
        ("It goes on; what is left is dropped.", "fronted relative"),
        ("What a codec throws is as if a worker had thrown it.", "fronted relative"),
        ("The line moves, as it is written there.", "'as' for because"),
        ("The line moves, for it is written there.", "'for' for because"),
        ("There is a second core, and that one waits.", None),
        ("The scheduler asks that one.", "name it"),
        ("The one sends and the other receives.", "name it"),
        ("It takes twice as long (asked: 1.5).", "internal target"),
        ("What does it cost? Nothing.", None),
        ("What it costs: one load.", None),
        ("It is left as it was, as it is.", None),
        ("It is written so that one core is enough.", None),
    ],
)
def test_a_rule(text, rule):
    assert found(text) == ([(1, rule)] if rule else [])


def test_25_words_are_enough():
    assert found("word " * 24 + "word.") == []
    assert found("word " * 25 + "word.") == [(1, "26 words")]


def test_what_is_not_prose_does_not_count():
    many = "`code` " * 30 + "[word](a/long/target.md#of-a-link) " * 25
    assert found(f"# {'word ' * 30}\n\n| {'word ' * 30} |\n|---|\n\n```text\n{'word ' * 30}\n```\n\n{many}\n") == []


def test_where_a_sentence_begins():
    page = "One. Two, e.g. this, 1.5 times\nor v1.2. Three\nends\nhere.\n\n- What is\n  listed, counts.\n"
    assert [(each.line, each.text) for each in prose.sentences(page, "page.md")] == [
        (1, "One."),
        (1, "Two, e.g. this, 1.5 times or v1.2."),
        (2, "Three ends here."),
        (6, "What is listed, counts."),
    ]
