"""The reference pages of the command line, Python and the library are those that the code makes."""

import sys

import pytest

from code_blocks import ROOT

sys.path.insert(0, str(ROOT / "packaging"))
import library_names
import reference


@pytest.mark.parametrize(
    ("page", "made"),
    [
        ("commands", reference.commands),
        ("python-reference", reference.python),
        ("library-names", library_names.page),
    ],
)
def test_a_reference_page_is_what_the_code_says(page, made):
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert text == made(), f"docs/{page}.md is not what `make reference` writes"
