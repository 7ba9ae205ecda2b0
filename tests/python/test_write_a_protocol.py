"""Every step of docs/write-a-protocol.md on a copy of the tree: the protocol compiles, and a program runs under it.

The page marks its C++ as ``c++``, so that test_code_blocks.py, which compiles code for users, leaves it alone.
"""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter

import nanobind
import pytest

from packages import ROOT, cmake, run

pytestmark = pytest.mark.slow("compiles the simulator, without optimisation")

PAGE = (ROOT / "docs" / "write-a-protocol.md").read_text(encoding="utf-8")
FOLDERS = ("cmake", "host", "include", "machines", "many_core", "programs", "python", "simulator", "src")
COMMANDS = re.findall(r"^    croft (.*)$", PAGE, re.MULTILINE)
# The finder of an editable installation would find the croft of this tree.
IN_THE_COPY = """
import sys
sys.meta_path[:] = [each for each in sys.meta_path if "ScikitBuild" not in type(each).__name__]
from croft.cli.app import main
main()
"""


def block(language):
    (found,) = re.findall(rf"^```{re.escape(language)}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return found


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the tree after the page's edits, with its simulator compiled."""
    copy = tmp_path_factory.mktemp("protocol") / "croft"
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", copy)
    (copy / "simulator" / "coherence" / "vi.hpp").write_text(block("c++"), encoding="utf-8")
    (copy / "tiny-64-vi.toml").write_text(block("toml"), encoding="utf-8")
    (copy / "histogram.cpp").write_text(block("cpp"), encoding="utf-8")
    subprocess.run(["git", "apply", "-"], input=block("diff"), text=True, check=True, cwd=copy)
    settings = {
        "CROFT_PYTHON": "ON",
        "CMAKE_CXX_FLAGS_RELEASE": "-O0 -DNDEBUG",
        "Python_EXECUTABLE": sys.executable,
        "nanobind_DIR": nanobind.cmake_dir(),
    }
    build = copy / "build"
    cmake("-S", copy, "-B", build, "-G", "Ninja", *(f"-D{key}={value}" for key, value in settings.items()))
    cmake("--build", build, "--target", "_simulator")
    (module,) = build.rglob("_simulator*.so")
    shutil.copy(module, copy / "python" / "croft")
    return copy


@pytest.fixture(scope="module")
def printed(tree):
    """What each of the page's commands prints."""
    python = str(tree / "python")
    return {
        command: run("env", "-C", tree, sys.executable, "-c", IN_THE_COPY, *shlex.split(command), PYTHONPATH=python)
        for command in COMMANDS
    }


def test_every_command_runs(printed):
    assert len(printed) == 4
    assert all("4000 numbers counted" in text for command, text in printed.items() if command.startswith("run"))


def test_its_traffic_is_what_the_page_says(tree, printed):
    under_vi, under_gpu_wt = (totals(json.loads((tree / f"{name}.json").read_text())) for name in ("vi", "gwt"))
    grown = {
        statistic: under_vi[statistic] / under_gpu_wt[statistic] for statistic in under_gpu_wt if under_vi[statistic]
    }
    assert under_vi["l1d", "load_misses"] > 4000  # nearly every count
    assert grown["l1d", "load_misses"] == pytest.approx(5, rel=0.1)
    assert 3 < grown["bank", "reads"] < 4
    assert grown["bank", "writes"] == pytest.approx(1, rel=0.1)
    assert grown["coherence_mesh", "messages"] == pytest.approx(1.5, rel=0.1)
    assert grown["run", "cycles"] == pytest.approx(1.25, rel=0.1)
    assert "load_misses" in printed["compare vi.json gwt.json"]


def totals(result):
    found = Counter({("run", "cycles"): result["cycles"]})
    for each in result["statistics"]:
        found[each["part"], each["name"]] += each["value"]
    return found
