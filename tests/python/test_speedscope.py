"""speedscope itself, the program, opens what `croft run --profile F.speedscope.json` writes, and has it all."""

import json
import os
import re
import shutil
import subprocess
from collections import Counter

import pytest

import croft
from chromium import chromium, wait_until
from croft.recording.profile import CAUSES
from croft.recording.profile_files import format_of
from recorded_runs import whole

pytestmark = pytest.mark.slow("installs speedscope, and opens whole profiles in it")

PACKAGE = "speedscope@1.25.0"
"""Of npm."""
ALONE = ("--no-save", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
"""The package and what it needs in a folder, and nothing else."""
EXPORT = """
const done = arguments[0], made = URL.createObjectURL;
URL.createObjectURL = (blob) => { blob.text().then(done); return made.call(URL, blob); };
[...document.querySelectorAll("div")].findLast((at) => /Export$/.test(at.textContent)).click();
"""


@pytest.fixture(scope="module")
def speedscope(tmp_path_factory):
    """The command's file."""
    npm = shutil.which("npm")
    if not npm:
        pytest.skip("npm, which installs speedscope, is missing (apt-get install npm)")
    folder = tmp_path_factory.mktemp("speedscope")
    command = [npm, "install", *ALONE, "--prefix", folder, PACKAGE]
    installed = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert installed.returncode == 0, installed.stderr
    package = folder / "node_modules" / "speedscope"
    return package / json.loads((package / "package.json").read_text())["bin"]["speedscope"]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = chromium(tmp_path_factory.mktemp("browser"))
    yield driver
    driver.quit()


@pytest.fixture
def opened(speedscope, browser, tmp_path):
    """What `speedscope FILE` opens in a browser, opened in this one."""

    def there(file):
        # The command writes a script with the profile in it among the temporary files, and calls $BROWSER.
        surroundings = os.environ | {"TMPDIR": str(tmp_path), "BROWSER": "true"}
        told = subprocess.run(["node", speedscope, file], capture_output=True, text=True, timeout=60, env=surroundings)
        assert told.returncode == 0, told.stdout + told.stderr
        address = re.search(r"^Opening (file://\S+#localProfilePath=\S+) in", told.stdout, re.MULTILINE)[1]
        browser.get("about:blank")  # another fragment alone would not load anything
        browser.get(f"{address}&view=sandwich")
        wait_until(browser, "return /Something went wrong|Symbol Name/.test(document.body.innerText)")
        return browser

    return there


def self_weights(exported):
    """For each profile that speedscope has, what it puts down to each frame itself, and to each in all."""
    names = [frame["name"] for frame in exported["shared"]["frames"]]
    found = {}
    for one in exported["profiles"]:
        own, total, stack, before = Counter(), Counter(), [], 0
        for event in one["events"]:
            if stack:
                own[stack[-1]] += event["at"] - before
            for name in set(stack):
                total[name] += event["at"] - before
            before = event["at"]
            if event["type"] == "O":
                stack.append(names[event["frame"]])
            else:
                assert stack.pop() == names[event["frame"]]
        assert not stack
        found[one["name"]] = own, total
    return found


@pytest.mark.parametrize(
    ("program", "machine", "arguments"),
    [
        ("farm_convolution", "tilepro64", ("--size", "32", "--count", "30", "--workers", "8")),
        ("cilk5/queens", "big-tiny-64-gwb", ("--size", "6", "--grain", "2", "--runtime", "interrupt_stealing")),
    ],
)
def test_it_has_every_cycle_of_every_core(opened, tmp_path, program, machine, arguments):
    result = croft.run(program, machine, arguments=arguments, interval=2**62, profile=True)
    profile = result.profile
    file = tmp_path / "run.speedscope.json"
    file.write_bytes(format_of(file).write(profile))
    shown = opened(file)
    assert shown.title == f"{profile.title} (cycles) - speedscope"
    exported = self_weights(json.loads(shown.execute_async_script(EXPORT)))

    counted = {}
    for (part, core, name), cycles in whole(result).items():
        if part == "core" and name in CAUSES and cycles:
            counted.setdefault(f"core {core}", Counter())[f"[{name}]"] = cycles
    assert {core: +own for core, (own, _) in exported.items()} == counted
    assert sum(own.total() for own, _ in exported.values()) == profile.cycles

    expected = Counter()
    for sample in profile.samples:
        expected.update(dict.fromkeys({place.function for place in sample.stack}, sample.cycles))
    # It demangles what croft has left.
    names = {name for name in expected if not name.startswith("_Z")}
    in_all = Counter()
    for _, total in exported.values():
        in_all.update({name: cycles for name, cycles in total.items() if name in names})
    assert +in_all == Counter({name: expected[name] for name in names if expected[name]})

    # And what a reader sees of the first core.
    first = min(counted, key=lambda core: int(core.removeprefix("core ")))
    text = shown.execute_script("return document.body.innerText")
    assert f"{first} (1/{len(counted)})" in text
    rows = re.findall(r"^([\d,]+) \([^)]*\)\n\t([\d,]+) \([^)]*\)\n\t(.+)$", text, re.MULTILINE)
    own = {name: int(cycles.replace(",", "")) for _, cycles, name in rows if name.strip("[]") in CAUSES}
    assert own == counted[first]
    assert names & {name for *_, name in rows}
    errors = [each["message"] for each in shown.get_log("browser") if each["level"] == "SEVERE"]
    assert errors == []


def test_what_it_does_not_take_is_seen(opened, tmp_path):
    """That the test above would see it."""
    file = tmp_path / "other.speedscope.json"
    file.write_text('{"exporter": "croft"}')
    assert "Something went wrong" in opened(file).execute_script("return document.body.innerText")
