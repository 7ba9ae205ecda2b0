"""The simulator's folders are floors: each knows those below it, and what they have in common lies in contract/."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SIMULATOR = ROOT / "simulator"
PAGE = ROOT / "docs" / "architecture.md"


def floors():
    """The folders of the table under "Floors", from the lowest up."""
    table = PAGE.read_text(encoding="utf-8").split("### Floors")[1].split("\n\n")[2]
    return re.findall(r"^\| `(\w+)/` \|", table, re.MULTILINE)


def sources(folder):
    return sorted(path for path in folder.rglob("*") if path.suffix in (".hpp", ".cpp", ".inc"))


def upward():
    """The arrows that run up."""
    order = {folder: floor for floor, folder in enumerate(floors())}
    found = set()
    for path in sources(SIMULATOR):
        here = path.relative_to(SIMULATOR).parts[0]
        for there in re.findall(r'#include "(\w+)/', path.read_text(encoding="utf-8")):
            if order[there] > order[here]:
                found.add((here, there))
    return found


def test_every_folder_is_a_floor():
    assert sorted(floors()) == sorted(path.name for path in SIMULATOR.iterdir() if path.is_dir())


def test_one_arrow_runs_up_with_its_reason():
    page = PAGE.read_text(encoding="utf-8")
    assert upward() == {("core", "device")}
    for here, there in upward():
        assert f"- `{here}/` knows `{there}/`: " in page


def naming(name):
    """The files of the simulator that use ``name``, comments and includes aside."""
    found = set()
    for path in sources(SIMULATOR):
        code = re.sub(r"//.*|#include.*", "", path.read_text(encoding="utf-8"))
        if re.search(rf"\b{name}\b", code):
            found.add(str(path.relative_to(SIMULATOR)))
    return found


def test_a_protocol_or_a_model_of_cores_is_named_where_the_page_says():
    protocol = {"coherence/gpu_wt.hpp", "coherence/gpu_wt.cpp", "coherence/protocols.cpp"}
    assert naming("GpuWt") == protocol
    assert naming("gpu_wt") == {"contract/protocol.hpp", "coherence/protocols.cpp"}
    named = naming("OutOfOrder|OutOfOrderDescription|out_of_order")
    beside = {path for path in named if not path.startswith("core/")}
    edited = {"contract/description.hpp", "description/kind.hpp", "description/kind.cpp"}
    edited |= {"machine/machine.cpp", "machine/fast_forward.cpp"}
    assert beside == edited | {"description/out_of_order.hpp"}
    page = PAGE.read_text(encoding="utf-8")
    lines = sum(
        len((SIMULATOR / "coherence" / f"gpu_wt.{ending}").read_text().splitlines()) for ending in ("hpp", "cpp")
    )
    assert f"2 + 2 (GPU-WT, {lines} lines)" in page


def test_one_class_is_every_level_and_only_the_memory_system_knows_it():
    own = {"coherence/cache_level.hpp", "coherence/cache_level.cpp", "coherence/home_forwarding.cpp"}
    assert naming("CacheLevel") == own | {
        f"coherence/{file}" for file in ("level_system.hpp", "level_system.cpp", "level_invariants.cpp")
    }


def test_a_topology_is_named_where_the_page_says():
    assert naming("Ring") == {"network/ring.cpp"}
    assert naming("Crossbar") == {"network/crossbar.cpp"}
    lines = len((SIMULATOR / "network" / "ring.cpp").read_text().splitlines())
    assert f"1 + 0 (a ring: `ring.cpp`, {lines} lines)" in PAGE.read_text(encoding="utf-8")


def test_lists_of_nodes_at_routers_are_named_once():
    lists = {"contract/description.hpp", "description/memory.hpp", "description/shared.hpp"}
    lists |= {"description/level.hpp", "description/machine.cpp"}  # a last level, which becomes `shared`
    assert naming("placement") == lists


def test_comments_name_files_that_are_there():
    made = {".git", ".venv", "build"}
    names = {path.name for path in ROOT.rglob("*.*") if path.relative_to(ROOT).parts[0] not in made}
    missing = []
    for path in sources(SIMULATOR) + sources(ROOT / "include") + sources(ROOT / "many_core"):
        for line in path.read_text(encoding="utf-8").splitlines():
            comment = line.partition("//")[2]
            for name in re.findall(r"(?<![\w-])([\w-]+\.(?:hpp|cpp|md|inc|py|toml))\b", comment):
                if name not in names:
                    missing.append(f"{path.relative_to(ROOT)}: {name}")
    assert not missing, "\n".join(missing)
