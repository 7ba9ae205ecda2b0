"""The lab's packages are floors, as pyproject.toml declares them: each knows those below it, in functions, too."""

import ast
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

from croft import _simulator

ROOT = Path(__file__).resolve().parents[2]
LAB = ROOT / "python" / "croft"
PAGE = ROOT / "docs" / "architecture.md"
LINT = "from importlinter.cli import lint_imports; sys.exit(lint_imports('pyproject.toml', no_cache=True))"


def lint(sources: Path) -> subprocess.CompletedProcess[str]:
    """Holds the package in ``sources`` to the contract."""
    # Without site's hooks, of which an editable installation's would find the package elsewhere.
    script = f"import sys; sys.path[:0] = [{str(sources)!r}, {sysconfig.get_path('purelib')!r}]; {LINT}"
    return subprocess.run([sys.executable, "-S", "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120)


def floors() -> list[str]:
    """The packages of the contract, from the highest down."""
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [package for floor in contract["contracts"][0]["layers"] for package in floor.split(" | ")]


def test_no_import_runs_up():
    done = lint(LAB.parent)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("planted", ["from croft.cli import outputs", "def f():\n    import croft.cli.outputs"])
def test_one_that_runs_up_is_seen(tmp_path, planted):
    shutil.copytree(LAB, tmp_path / "croft", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "croft" / "base" / "host.py").open("a", encoding="utf-8") as module:
        module.write(f"\n{planted}\n")
    done = lint(tmp_path)
    assert done.returncode == 1
    assert "croft.base is not allowed to import croft.cli" in done.stdout


def test_every_package_is_a_floor_and_says_what_it_is():
    packages = sorted(path.parent.name for path in LAB.glob("*/__init__.py"))
    assert sorted(floors()) == packages
    table = PAGE.read_text(encoding="utf-8").split("## Within the lab")[1]
    assert re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE) == floors()[::-1]
    for package in packages:
        assert "epends on" in (LAB / package / "__init__.py").read_text(encoding="utf-8")


def test_nothing_but_the_command_needs_the_public_names():
    needing = {
        path.relative_to(LAB).parts[0]
        for path in LAB.glob("*/**/*.py")
        if re.search(r"^\s*(import croft$|from croft import (?!_simulator$))", path.read_text("utf-8"), re.MULTILINE)
    }
    assert needing == {"cli"}


def test_the_stub_of_the_simulator_has_what_the_simulator_has():
    stub = ast.parse((LAB / "_simulator.pyi").read_text(encoding="utf-8"))
    said = {node.name for node in stub.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    said |= {node.target.id for node in stub.body if isinstance(node, ast.AnnAssign)}
    assert said == {name for name in dir(_simulator) if not name.startswith("__")}
    for node in stub.body:
        if isinstance(node, ast.ClassDef) and issubclass(getattr(_simulator, node.name), _simulator.HostSide):
            methods = {each.name for each in node.body if isinstance(each, ast.FunctionDef)} - {"__init__"}
            assert methods == {name for name in vars(getattr(_simulator, node.name)) if not name.startswith("__")}


@pytest.mark.parametrize("module", ["croft.programs.first_picture", "croft.programs.toolchain"])
def test_what_make_does_while_the_simulator_compiles_needs_no_simulator(module):
    alone = f"import sys; sys.modules['croft._simulator'] = None; import {module}"
    subprocess.run([sys.executable, "-c", alone], check=True)
