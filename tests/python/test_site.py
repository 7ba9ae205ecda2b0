"""The documentation's site: made without a warning, read without a network, and its search finds what is in it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from lunr import lunr

pytestmark = pytest.mark.slow("writes the whole site")

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert made.returncode == 0, made.stderr
    return folder


@pytest.fixture(scope="module")
def found(site):
    """Where in the site the search finds a word, best first."""
    parts = json.loads((site / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    fields = [{"field_name": "title", "boost": 1000}, "text"]  # as the site's own search weighs them
    index = lunr(ref="location", fields=fields, documents=parts)
    return lambda word: [hit["ref"] for hit in index.search(word)]


def test_the_search_finds_a_pattern_by_its_guide_and_its_header(found):
    farms = found("farm")
    assert "patterns/farm.html" in farms[:10], farms[:10]
    assert any(place.startswith("api/pattern/farm.html") for place in farms[:10]), farms[:10]
    assert any(place.startswith("experiments.html") for place in farms)


@pytest.mark.parametrize("name", ["parallel_for", "request_reply", "task_scheduler"])
def test_the_search_finds_what_headers_declare(name, found):
    assert any(re.match(rf"api/.*#{name}$", place) for place in found(name)), found(name)[:10]


def test_nothing_is_loaded_from_elsewhere(site):
    pages = list(site.rglob("*.html"))
    assert len(pages) > 100
    for page in pages:
        loaded = re.findall(r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="((?:https?:)?//[^"]*)', page.read_text())
        assert not loaded, (page, loaded)


def test_a_notebook_is_a_page_with_its_figures(site, found):
    page = (site / "notebooks" / "false_sharing.html").read_text(encoding="utf-8")
    assert page.count('src="data:image/svg+xml;base64,') == 6
    assert "cores use different bytes of 2 of its lines" in page
    assert '<table border="1" class="dataframe">' in page
    assert 'href="../seeing.html"' in page
    assert not list(site.rglob("*.ipynb"))
    assert "notebooks/false_sharing.html" in found("histograms")


def test_pages_of_the_repository_link_to_each_other_and_not_to_its_files(site):
    library = (site / "library.html").read_text(encoding="utf-8")
    assert 'href="api/channel/channel.html"' in library
    assert 'href="sources/include/croft/channel/sleep.html"' in library
    for page in site.rglob("*.html"):
        assert not re.search(r'href="[^"]*\.(?:hpp|md)["#]', page.read_text(encoding="utf-8")), page
