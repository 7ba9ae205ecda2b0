"""Machines with other networks than one mesh: a ring, a crossbar, several chips, several tiles a router."""

import json
import re
from array import array

import pytest

import croft
from croft import _simulator
from croft.machines.floor_plan import FloorPlan
from croft.machines.reference import reference
from croft.reports.findings.busy_parts import link_name
from croft.reports.mesh import mesh_over_time
from croft.reports.mesh_panels import mesh_panels
from croft.reports.over_time import OverTime
from croft.reports.run_data import RunData
from croft.watching.live_picture import picture
from croft.watching.live_view import Setting, view

LINK = {"column": 7, "row": 4, "latency": 40, "cycles_per_flit": 4}
NETWORKS = {
    "ring": {"topology": "ring"},
    "crossbar": {"topology": "crossbar"},
    "clusters": {"columns": 4, "rows": 4, "tiles_per_router": 4},
    "chips": {"chips": 2, "chip_link": LINK},
    "rings": {"topology": "ring", "columns": 4, "rows": 2, "chips": 3, "chip_link": LINK | {"column": 0, "row": 1}},
}


def chip(name: str) -> croft.Machine:
    """A TILEPro64 with that network."""
    network = NETWORKS[name]
    columns, rows = network.get("columns", 8), network.get("rows", 8)
    tiles = columns * rows * network.get("tiles_per_router", 1) * network.get("chips", 1)
    return croft.machine("tilepro64", network=network, cores=tiles)


def pingpong(machine: croft.Machine, *cores: int) -> float:
    """Cycles of a message there, one way."""
    arguments = ["--count", "200", "--cores", ",".join(map(str, cores)), "--channel", "udn"]
    result = croft.run("pingpong", machine, arguments=arguments)
    assert result.exit_status == 0, result.message
    return float(re.search(r"cycles=([\d.]+)", result.output.decode())[1])


def test_two_chips_share_their_lines_and_a_way_to_the_other_one_is_longer(simulated):
    two = chip("chips")
    assert two.tiles == 128
    # A chip's rule places each chip's controllers; chips are beside each other.
    one = [(2, 0), (5, 0), (2, 7), (5, 7)]
    assert two.positions["memory.controllers"] == one + [(column + 8, row) for column, row in one]
    result = croft.run(simulated("threads"), two, arguments=["100"])
    assert result.exit_status == 0, result.message
    homes = {each.index for each in result.statistics if each.part == "home" and each.name == "busy" and each.value}
    assert min(homes) < 64 <= max(homes)
    # Tiles 39 and 103 have the routers with the link. A message of a word has two flits, the second of which comes four
    # cycles behind the first for one. From tile 0 to 39 there are 11 hops, and from 103 to 127 three.
    beside = pingpong(two, 39, 38)
    assert pingpong(two, 39, 103) - beside == pytest.approx(LINK["latency"] + 3 - 1)
    assert pingpong(two, 0, 127) - beside == pytest.approx(11 + LINK["latency"] + 3 + 3 - 1)


@pytest.mark.parametrize("name", NETWORKS)
def test_no_cycle_depends_on_how_far_cores_run_on(name, simulated):
    machine, program = chip(name), simulated("threads")
    runs = [
        croft.run(program, machine, arguments=["12"], window=window, run_ahead=ahead)
        for window, ahead in ((None, 64), (1, 0))
    ]
    assert runs[0].exit_status == 0, runs[0].message
    assert runs[0].cycles == runs[1].cycles
    assert runs[0].statistics == runs[1].statistics


@pytest.mark.parametrize("name", NETWORKS)
def test_links_of_every_network_are_drawn_and_named(name):
    machine, samples = chip(name), []
    result = croft.run(
        "pingpong",
        machine,
        arguments=["--count", "50", "--cores", f"0,{machine.tiles - 1}"],
        links=True,
        sample=samples.append,
    )
    assert result.total("link", "coherence_busy") == result.total("coherence_mesh", "busy") > 0
    run = RunData(json.loads(result.to_json()))
    busy = [index for index, cycles in run.part("link", "coherence_busy").items() if cycles]
    for index in busy:
        begin, end = run.plan.links[index]
        assert begin != end
        assert link_name(run, index, "coherence") == f"the link from router {begin} to router {end} (coherence mesh)"
    for chart in (mesh_over_time(run, OverTime(run), "mesh"), mesh_panels(run, "mesh")):
        assert chart is not None
        for _, x, y, *_ in chart.tables["tiles"][1]:
            assert 0 <= x < run.plan.columns and 0 <= y < run.plan.rows
        assert chart.tables["links"][1]
    lines = picture(view(Setting.of("pingpong", machine), None, samples[-1], has_ended=True), 200, 60)
    assert "busiest links" in "\n".join(line.plain for line in lines)


def test_the_page_of_machine_files_has_a_machine_of_two_chips(tmp_path):
    file = tmp_path / "two.toml"
    file.write_text(reference().split("```toml\n")[1].split("```")[0])
    assert croft.machine(file).network == chip("chips").network


def test_a_floor_plan_has_a_cell_for_each_tile():
    plan = FloorPlan(chip("clusters"))
    assert (plan.columns, plan.rows, len(plan.cells)) == (8, 8, 64)
    assert [plan.cell(tile) for tile in range(5)] == [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0)]
    assert plan.centre(plan.place(5)) == (2.5, 2.5)
    assert plan.title == "mesh of 4 by 4 routers with 4 tiles each"
    plan = FloorPlan(chip("chips"))
    assert (plan.columns, plan.rows, len(plan.cells)) == (17, 8, 128)
    assert [plan.cell(tile) for tile in (7, 63, 64)] == [(7, 0), (7, 7), (9, 0)]
    assert plan.place(64) == (8, 0)
    assert plan.links[2 * 256 + 1] == (39, 64 + 39)
    assert plan.title == "mesh of 8 by 8 tiles on each of 2 chips"
    assert FloorPlan(chip("ring")).links[127] == (63, 62)


def test_ways_between_tiles_are_those_of_idle_links():
    ways = array("Q", _simulator.machine_ways(chip("chips").model_dump()))
    assert (ways[0], ways[7], ways[63]) == (0, 7, 14)
    assert ways[39 * 128 + 64 + 39] == LINK["latency"]
    assert ways[127] == 11 + LINK["latency"] + 3


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"topology": "torus"}, "`network.topology` = 'torus': it should be 'crossbar', 'mesh' or 'ring'"),
        ({"chips": 2}, "`network.chip_link` is missing, which 2 chips need"),
        ({"chips": 2, "chip_link": LINK | {"column": 8}}, "(column 8, row 4) is outside the 8 x 8 mesh of each chip"),
        ({"chips": 17, "chip_link": LINK}, "x rows (8 x 8) x chips (17) make more than 1024 tiles"),
        ({"tiles_per_router": 17}, "x rows (8 x 8) x tiles_per_router (17) make more than 1024 tiles"),
        (
            {"columns": 1, "rows": 1, "chips": 64, "chip_link": LINK | {"column": 0, "row": 0}},
            "`memory.controllers` are 256 on 64 chips by their rule, and there may be 64 at most",
        ),
    ],
)
def test_a_network_that_cannot_be_is_refused(keys, sentence):
    with pytest.raises(croft.MachineError) as refused:
        croft.machine("tilepro64", network=keys, cores=1)
    assert sentence in str(refused.value)


def test_a_place_on_no_chip_is_refused():
    with pytest.raises(
        croft.MachineError, match=r"`memory\.controllers\[0\]` \(chip 1\) is not there: the last chip is 0"
    ):
        croft.machine("tilepro64", memory={"controllers": [{"column": 0, "row": 0, "chip": 1}]})
