"""Where memory controllers and banks stand: by a rule on a mesh of any size, or as a machine file lists it."""

import pytest

import croft
from croft.machines.file import machine_values

AS_LISTED_BEFORE = {8: [(column, 0) for column in range(8)], 32: [(column, 0) for column in range(32)]}


@pytest.mark.parametrize("name", croft.machine_names())
def test_every_machine_has_its_papers_places(name):
    chip = croft.machine(name)
    if name == "tilepro64":
        assert chip.positions == {"memory.controllers": [(2, 0), (5, 0), (2, 7), (5, 7)]}
    elif name == "sg2042":
        slices = [(column, row) for row in range(4) for column in range(4)]
        assert chip.positions == {"memory.controllers": [(1, 0), (2, 0), (1, 3), (2, 3)], "shared.banks": slices}
    elif name.startswith("xeon-e5-2650"):  # the channels of a chip are at one stop of its ring, each with its agent
        stops = [(0, 0)] * 4 + [(8, 0)] * 4 * name.endswith("x2")
        assert chip.positions == {"memory.controllers": stops, "shared.banks": stops}
    elif name == "manycore-1024":  # controllers at two edges, and a slice beside each of 64 clusters
        edges = [(column, row) for row in (0, 7) for column in range(8)]
        slices = [(column, row) for row in range(8) for column in range(8)]
        assert chip.positions == {"memory.controllers": edges, "shared.banks": slices}
    else:
        a_column = AS_LISTED_BEFORE[32 if name in ("big-tiny-256-gwb", "big-tiny-256-mesi", "big-tiny-1024-gwb") else 8]
        assert chip.positions == {"memory.controllers": a_column, "shared.banks": a_column}


def test_a_list_is_the_machine_that_its_rule_is(simulated):
    chip = croft.machine("tilepro64")
    positions = [{"column": column, "row": row} for column, row in chip.positions["memory.controllers"]]
    listed = croft.machine("tilepro64", memory={"controllers": positions})
    assert listed.positions == chip.positions
    program = simulated("threads")
    by_rule, by_list = (croft.run(program, each, arguments=["3"]) for each in (chip, listed))
    assert by_rule.cycles == by_list.cycles
    assert by_rule.frame.equals(by_list.frame)


@pytest.mark.parametrize(
    ("columns", "rows", "rule", "expected"),
    [
        (4, 4, "top_and_bottom", [(1, 0), (2, 0), (1, 3), (2, 3)]),
        (16, 3, "top_and_bottom", [(4, 0), (11, 0), (4, 2), (11, 2)]),
        (1, 2, "top_and_bottom", [(0, 0), (0, 0), (0, 1), (0, 1)]),
        (3, 2, "top", [(0, 0), (1, 0), (2, 0)]),
        (5, 4, "corners", [(0, 0), (4, 0), (0, 3), (4, 3)]),
    ],
)
def test_a_rule_holds_for_every_mesh(columns, rows, rule, expected):
    mesh = {"columns": columns, "rows": rows}
    chip = croft.machine("tilepro64", network=mesh, cores=columns * rows, memory={"controllers": rule})
    assert chip.positions["memory.controllers"] == expected


@pytest.mark.parametrize(("columns", "rows"), [(1, 1), (3, 2), (5, 5), (16, 4), (64, 16)])
def test_programs_run_on_a_mesh_of_any_size(columns, rows, simulated):
    cores = min(columns * rows, 4)
    mesh = {"network": {"columns": columns, "rows": rows}, "cores": columns * rows}
    tiny = {"count": columns * rows}
    for name, keys in (("tilepro64", mesh), ("tiny-64-gwb", mesh | {"tiny": tiny})):
        result = croft.run(simulated("threads"), croft.machine(name, **keys), cores=cores, arguments=[str(cores - 1)])
        assert result.exit_status == 0, result.message


def test_no_machine_of_croft_lists_places_where_a_rule_says_them():
    for name in croft.machine_names():
        if name.startswith("xeon-e5-2650"):
            continue  # no rule puts all controllers at one router
        if name == "manycore-1024":
            continue  # nor two in each column
        values = machine_values(name)
        assert isinstance(values["memory"]["controllers"], str)
        assert isinstance(values.get("shared", {"banks": ""})["banks"], str)


def test_a_rule_that_is_none():
    said = (
        r"`memory\.controllers` = 'edges': it should be 'top', 'top_and_bottom', 'corners', or a list of 1 to 64 tables"
    )
    with pytest.raises(croft.MachineError, match=said):
        croft.machine("tilepro64", memory={"controllers": "edges"})
    with pytest.raises(
        croft.MachineError, match=r"`memory\.controllers\[0\]` \(column 8, row 0\) is outside the 8 x 8"
    ):
        croft.machine("tilepro64", memory={"controllers": [{"column": 8, "row": 0}]})
