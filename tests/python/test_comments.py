"""The prose of C++ comments is found, and nothing else."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))
import comments
import prose


def found(source: str) -> list[tuple[int, str]]:
    return [(each.line, each.text) for each in comments.paragraphs(source)]


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("int a;  // its use", "its use"),
        ('auto page = "https://a.b";  // a page', "a page"),
        (r"""char quote = '"', more = '\'';  // quotes""", "quotes"),
        ("int many = 1'000'000;  // a number", "a number"),
        ('auto text = "// none";', None),
        ("int half = a / 2;", None),
        ("}  // namespace croft", None),
        ("// clang-format off", None),
    ],
)
def test_a_comment_in_a_line(line, text):
    assert found(line) == ([(1, text)] if text else [])


def test_lines_in_a_column_are_one_comment():
    assert found("int a;  // one\n        // comment\nint b;  // another\n// and one\n") == [
        (1, "one\ncomment"),
        (3, "another"),
        (4, "and one"),
    ]


def test_paragraphs_and_code():
    source = """\
#pragma once
// A slot:
//
//     slot s;
//
//     s.set();
//
// And more
// of it.
"""
    assert found(source) == [(2, "A slot:"), (8, "And more\nof it.")]


def test_entries_of_lists():
    source = """\
// It has
//   wait(scan)  called by
//               its owner
//   notify()    by the other
//
// - One
//   entry.
//   - One within.
// Text.
"""
    assert found(source) == [
        (1, "It has"),
        (2, "called by\nits owner"),
        (4, "by the other"),
        (6, "One\nentry."),
        (8, "One within."),
        (9, "Text."),
    ]


def test_a_comment_that_opens_a_file_counts():
    assert found("// read_latency.cpp: a load, timed.\n\nint a;\n") == [(1, "read_latency.cpp: a load, timed.")]


def rules(source: str) -> list[tuple[int, str]]:
    return [
        (sentence.line, each.rule)
        for sentence in prose.sentences(source, "page.hpp")
        for each in prose.findings(sentence)
    ]


def test_the_rules_of_pages_hold():
    assert rules("// It waits.\n// Who waits, sleeps.\n") == [(2, "fronted relative")]
    assert rules(f"// {'word ' * 26}\n") == [(1, "26 words")]


def test_a_label_behind_code_is_no_sentence():
    assert rules("int a;  // of each worker, eight bytes apart\n") == []
    assert rules("int a;  // it waits; who sleeps, waits too\n") == [(1, "fronted relative")]


def test_code_is_no_word():
    assert rules(f"// Prints: size=3 {'`two words` ' * 20} {'a=b ' * 20}\n") == []


def test_a_comment_is_as_wide_as_code():
    wide = list(prose.wide_lines(f"int a;  // {'x' * 109}\nint b;  // {'x' * 110}\n", "page.hpp"))
    assert [(each.sentence.line, each.rule) for each in wide] == [(2, "wide line")]
