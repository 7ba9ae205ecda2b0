"""Without the packages that only some uses need, a sentence says what to install, before anything else is done."""

import re
import subprocess
import sys
import tomllib

import pytest

import croft
from croft.base.extras import EXTRAS
from packages import ROOT

HIDING = """
import importlib.abc, sys
class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *more: None if name in {names!r} else found(name, *more)
sys.meta_path.insert(0, Hidden())
from croft.cli.app import main
main()
"""


def call_without(names, *arguments, folder=None):
    """What the command does where the packages ``names`` are not installed."""
    command = [sys.executable, "-c", HIDING.format(names=sorted(names)), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=folder)


def test_a_ready_program_runs_without_any_extra(simulated, tmp_path):
    options = ["--stats", "--json", tmp_path / "a.json", "--csv", tmp_path / "a.csv"]
    answer = call_without(EXTRAS, "run", simulated("threads"), *options, "--", 3)
    result = croft.run(simulated("threads"), arguments=["3"])
    assert (answer.returncode, answer.stdout) == (0, result.text), answer.stderr
    assert (tmp_path / "a.csv").read_text() == result.to_csv()
    assert (tmp_path / "a.json").read_text() == result.to_json()
    assert call_without(EXTRAS, "machines", "tilepro64").returncode == 0


@pytest.mark.parametrize(
    ("arguments", "what", "extras"),
    [
        (["run", "pingpong"], "building a program needs ziglang", "build"),
        (["run", sys.executable, "--parquet", "a"], "--parquet needs pandas and pyarrow", "tables,parquet"),
        (["experiment"], "croft experiment needs numpy and pandas and PIL and matplotlib", "tables,experiments"),
        (["picture", "a.png", "b.pgm"], "croft picture needs PIL", "experiments"),
        (
            ["demo"],
            "croft demo needs numpy and pandas and PIL and matplotlib and ziglang",
            "tables,experiments,build",
        ),
    ],
)
def test_what_is_missing_is_told_in_one_sentence(arguments, what, extras, tmp_path):
    answer = call_without(EXTRAS, *arguments, folder=tmp_path)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.splitlines()[-1] == f"croft: {what}: pip install 'croft-manycore[{extras}]'"
    assert "Traceback" not in answer.stderr
    assert not list(tmp_path.iterdir())


def test_every_package_that_is_asked_for_is_in_its_extra():
    lists = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    names = {"PIL": "pillow", "google.protobuf": "protobuf", "vl_convert": "vl-convert-python"}
    for module, extra in EXTRAS.items():
        listed = [re.match(r"[\w-]+", each)[0] for each in lists["optional-dependencies"][extra]]
        assert names.get(module, module) in listed
    assert not set(EXTRAS) & {re.match(r"[\w-]+", each)[0] for each in lists["dependencies"]}
    assert set(re.findall(r"\w+", lists["optional-dependencies"]["all"][0])) == {
        "croft",
        "manycore",
        "build",
        "experiments",
        "parquet",
        "record",
        "report",
    }
