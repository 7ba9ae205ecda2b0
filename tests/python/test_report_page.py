"""The page of `croft report`, in a real browser."""

import json
import re

import pytest

import croft
from chromium import chromium, wait_until
from commands import call
from croft.reports.page import page
from croft.reports.run_data import RunData

SLOW = pytest.mark.slow("the page of the demo's run, in a browser")

ARGUMENTS = ("--size", "64", "--count", "30")  # so long that the workers limit


@pytest.fixture(scope="module")
def run():
    options = {"profile": True, "lines": 1 << 30, "interval": 100_000, "links": True}
    return json.loads(croft.run("farm_convolution", "tilepro64", arguments=ARGUMENTS, **options).to_json())


@pytest.fixture(scope="module")
def pages(run, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    bare = json.loads(croft.run("farm_convolution", "tilepro64", arguments=[*ARGUMENTS, "--workers", "4"]).to_json())
    made = {}
    for name, runs in (("one", [RunData(run)]), ("two", [RunData(run, "a.json"), RunData(bare, "b.json")])):
        made[name] = folder / f"{name}.html"
        made[name].write_text(page(runs), encoding="utf-8")
    return made


@SLOW
def test_it_is_small_and_asks_nobody(pages):
    for file in pages.values():
        text = file.read_text()
        assert len(text.encode()) < 3_000_000
        outside = text.split('<script type="module">')[0]
        assert not re.search(r'(src|href)="(?!#|data:,)', outside)
        assert "@import" not in outside
        assert "url(" not in outside


@SLOW
def test_it_says_what_was_recorded(pages):
    text = pages["one"].read_text()
    for section in ("Summary", "Where the time went", "The mesh", "Functions and lines", "Data", "Channels"):
        assert section in text
    assert "have the most to do" in text  # the workers
    assert "common/convolution.hpp" in text
    assert "is known of a run with" not in text
    assert "not counted" not in text
    assert pages["two"].read_text().count("is known of a run with --lines") == 2  # data, and channels


@SLOW
def test_names_are_text(run):
    """A program may be called what it likes."""
    evil = run | {"program": run["program"] | {"name": "<script>alert(1)</script>"}}
    text = page([RunData(evil)])
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)" in text


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("profile"))
    yield driver
    driver.quit()


def opened(browser, file, width=1280):
    browser.set_window_size(width, 900)
    browser.get(file.as_uri())
    wait_until(browser, "return document.body.dataset.drawn")


@SLOW
@pytest.mark.parametrize("name", ["one", "two"])
def test_its_charts_are_drawn_without_a_word(browser, pages, name):
    opened(browser, pages[name])
    script = "return [...document.querySelectorAll('.chart')].filter(at => !at.querySelector('svg')).map(at => at.id)"
    assert browser.execute_script(script) == []
    assert browser.execute_script("return document.querySelectorAll('.chart svg').length") >= 3
    assert browser.get_log("browser") == []
    requests = [json.loads(each["message"])["message"] for each in browser.get_log("performance")]
    urls = {each["params"]["request"]["url"] for each in requests if each["method"] == "Network.requestWillBeSent"}
    assert pages[name].as_uri() in urls
    assert not [url for url in urls if url.startswith(("http", "ws"))]


@SLOW
@pytest.mark.parametrize("width", [1280, 500])
def test_it_fits(browser, pages, width):
    opened(browser, pages["two"], width)
    wide, there = browser.execute_script(
        "return [document.documentElement.scrollWidth, document.documentElement.clientWidth]"
    )
    assert wide <= there


@SLOW
def test_it_is_usable_by_keyboard(browser, pages):
    from selenium.webdriver.common.keys import Keys

    opened(browser, pages["one"])
    body = browser.find_element("tag name", "body")
    body.send_keys(Keys.TAB)
    first = browser.switch_to.active_element
    assert first.text == "to the findings"
    first.send_keys(Keys.ENTER)
    assert browser.execute_script("return document.activeElement.id") == "main"
    summary = browser.find_element("css selector", "figure details summary")
    summary.send_keys(Keys.ENTER)
    wait_until(browser, "return document.querySelectorAll('[data-table] td').length > 10")
    # The slider and the choice of the mesh are elements of a form, with names.
    names = [each.text for each in browser.find_elements("css selector", ".vega-bind-name")]
    assert any("step of time" in name for name in names)
    unreachable = browser.execute_script(
        "return [...document.querySelectorAll('.wide, pre')].filter(at => at.tabIndex < 0).length"
    )
    assert unreachable == 0


@SLOW
def test_the_command(tmp_path, run):
    file, out = tmp_path / "run.json.gz", tmp_path / "report.html"
    made = call("run", "farm_convolution", "-q", "--json", file, "--", *ARGUMENTS)
    assert made.returncode == 0, made.stderr
    told = call("report", file, file, "-o", out)
    assert told.returncode == 0
    assert told.stderr == f"{out}: {out.stat().st_size / 1e6:.1f} MB\n"
    refused = call("report", file, "-o", tmp_path / "nodir" / "report.html")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "No such file or directory" in refused.stderr


@pytest.mark.parametrize(
    ("content", "out", "sentence"),
    [
        (
            "{}",
            "r.html",
            "that is no result of a run (it has no statistics); croft run PROGRAM --json run.json writes one",
        ),
        ('{"statistics": []}', "r.html", "it has no program"),
        (None, "r.html", "No such file"),
        ("{}", "r.txt", "its name ends in .html"),
    ],
)
def test_what_cannot_be_is_one_sentence(tmp_path, content, out, sentence):
    file = tmp_path / "run.json"
    if content is not None:
        file.write_text(content)
    told = call("report", file, "-o", tmp_path / out)
    assert (told.returncode, told.stderr.count("\n")) == (2, 1)
    assert sentence in told.stderr
