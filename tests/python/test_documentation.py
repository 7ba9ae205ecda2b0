"""What the documentation says of statistics is what a run counts."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import croft
from conftest import QUICKLY
from croft.machines.file import machine_from, machine_values

PAGE = Path(__file__).resolve().parents[2] / "docs" / "statistics.md"


def documented():
    """The (part, name) pairs of the page's table, kinds of message included."""
    text = PAGE.read_text(encoding="utf-8")
    kinds = re.findall(r"`(\w+)`", text[text.index("The kinds of message") :])
    pairs = set()
    for parts, names in re.findall(r"^\| ([\w, ]+) \| ([\w, ]+) \|", text, re.MULTILINE):
        for part in parts.split(", "):
            for name in names.split(", "):
                expanded = [name.replace("KIND", kind) for kind in kinds] if "KIND" in name else [name]
                pairs |= {(part, each) for each in expanded}
    return pairs - {("part", "name")}


def test_every_statistic_is_documented_and_every_documented_one_exists(simulated):
    counted = set()
    for machine in ("tilepro64", "big-tiny-64-mesi"):  # tiles that are alike; L1s at a shared L2, out of order
        frame = croft.run(simulated("threads"), machine, cores=2, arguments=["1"]).frame
        counted |= set(zip(frame["part"], frame["name"], strict=True))
    frame = croft.run(simulated("regions"), cores=3, arguments=["one"], links=True).frame
    counted |= set(zip(frame["part"], frame["name"], strict=True))
    values = machine_values("tiny-64-gwb")
    values["tiny"]["l2"] = {"size": 16384, "line": 64, "ways": 4, "hit": 6, "store": 2}
    values["tiny"]["prefetch"] = {"policy": "next_line"}
    frame = croft.run(simulated("threads"), machine_from(values), cores=2, arguments=["1"]).frame
    counted |= set(zip(frame["part"], frame["name"], strict=True))
    assert counted == documented()


@pytest.fixture
def readme_farm(tmp_path):
    readme = (PAGE.parents[1] / "README.md").read_text(encoding="utf-8")
    source = tmp_path / "farm.cpp"
    source.write_text(re.search(r"^```cpp\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL)[1], encoding="utf-8")
    return source


SQUARES = f"the sum of the first 1000 squares is {sum(i * i for i in range(1000))}\n"


@pytest.mark.slow_cases(r"clang", "g++ stands for it")
@pytest.mark.parametrize("compiler", [None, "clang++"], ids=str)
def test_the_farm_of_the_readme_runs_here(compiler, readme_farm):
    if compiler and shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    program = croft.build(readme_farm, compiler=compiler, **QUICKLY)
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == SQUARES


@pytest.mark.slow("the compiler takes a quarter of a minute for another farm; those of planted_faults.cpp stay")
def test_the_farm_of_the_readme_runs_on_the_simulated_machine(readme_farm):
    assert croft.run(readme_farm, "tilepro64").text == SQUARES


def test_nobody_is_told_to_install_the_other_croft():
    root = PAGE.parents[1]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, text=True, check=True)
    files = [root / name for name in listed.stdout.split("\0") if name and not name.startswith("third_party/")]
    for file in files:
        if file.suffix in (".md", ".ipynb", ".py", ".toml", ".hpp", ".cpp", "") and file.is_file():
            text = file.read_text(encoding="utf-8", errors="replace")
            told = re.search(r"""pip install [^\n`;]*?(?<![\w./-])croft(?![\w-])|["'`(]croft\[[a-z]""", text)
            assert not told, f"{file}: {told[0]}"


PATTERNS = PAGE.parent / "patterns"


def test_every_pattern_has_a_page():
    index = (PATTERNS / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\(([a-z_]+\.md)\)", index))
    assert linked <= {page.name for page in PATTERNS.glob("*.md")}
