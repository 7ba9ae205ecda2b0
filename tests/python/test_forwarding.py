"""Home-forwarding on chips that people have: items arrive as they were sent, and what the experiment makes of them."""

import pandas as pd
import pytest

import croft
from croft import build
from croft.advice.forwarding import forwarded, own_l2_hit
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.forwarding import (
    GRAINS,
    ITEMS,
    LONG,
    SHORT,
    against_slots,
    chip_with,
    grain_that_matters_not,
    messages,
)
from croft.machines.file import machine_names
from croft.results import fields
from mixed_machines import DESCRIBED
from program_sources import PROGRAMS


@pytest.mark.slow("the program is built with each channel and size")
@pytest.mark.parametrize("size", [64, 1024])
@pytest.mark.parametrize("channel", ["turns", "ra-hf", "ra-udn"])
@pytest.mark.parametrize("chip", ["xeon-e5-2650", "sg2042"])
def test_no_item_is_lost_however_it_is_sent(chip, channel, size):
    """Items so small that a line is forwarded while its last reader asks for it (home_forwarding.cpp)."""
    asked = ["--bytes", size, "--multiplications", 0, "--workers", 6, "--count", 200, "--channel", channel]
    result = croft.run("item_grain", chip_with(chip, True), arguments=list(map(str, asked)), check="coherence")
    assert (result.ending, result.exit_status, result.errors, result.coherence) == ("exited", 0, b"", []), (
        result.message
    )
    (line,) = fields.lines_of(result.text, "item_grain")
    assert (line["bytes"], line["channel"], line["count"]) == (size, channel, 200)


def test_loads_behind_a_line_that_leaves_are_in_order_where_loads_are():
    """A core that forwards a line hears nothing of another's write to it."""
    result = croft.run(build(PROGRAMS / "forwarded_order.cpp"), "xeon-e5-2650-hfwd", arguments=["3000"])
    (line,) = fields.lines_of(result.text, "forwarded_order")
    assert line["first"] == 0
    assert min(line["neither"], line["second"], line["both"]) > 0
    assert line["neither"] + line["second"] + line["both"] == 3000


def test_a_line_passes_the_window_as_a_store_does():
    """What a sender does alone does not grow with its lines (of one more item, 112 of them)."""

    def alone(size):
        asked = ["--bytes", str(size), "--multiplications", "0", "--count", "60", "--channel", "ra-hf"]
        statistics = croft.run("item_grain", "xeon-e5-2650-hfwd", arguments=asked).statistics
        return max(one.value for one in statistics if (one.part, one.name) == ("window", "serial"))

    assert abs(alone(8192) - alone(1024)) < 60 * 112 / 10


def test_a_chip_without_forwarding_is_the_chip_itself():
    assert chip_with("sg2042", False) == croft.machine("sg2042")
    assert chip_with("sg2042", True).forwarding == croft.machine("xeon-e5-2650-hfwd").forwarding
    assert chip_with("xeon-e5-2650", True).name == "xeon-e5-2650-hfwd"


def test_a_message_is_what_the_longer_run_has_more():
    row = {"what": "message", "chip": "a", "cores": "0,1", "by": "ra"}
    rows = [row | {"count": SHORT, "cycles": 9.0, "coherence_mesh.flits": 100}]
    rows += [row | {"count": LONG, "cycles": 8.0, "coherence_mesh.flits": 100 + 6 * (LONG - SHORT)}]
    (made,) = messages(pd.DataFrame(rows)).to_dict("records")
    assert (made["cycles"], made["flits"]) == (8.0, 3.0)


def test_the_grain_matters_not_from_the_last_one_on_that_changes_anything():
    rows = []
    for grain, ratio in zip(GRAINS, (0.5, 1.0, 1.1, 1.01, 1.0, 1.0, 1.0), strict=True):
        item = {"what": "items", "chip": "a", "bytes": ITEMS[0], "multiplications": grain, "coherence_mesh.flits": 10}
        rows.append(item | {"by": "turns", "service_time_cycles": grain + 100})
        rows.append(item | {"by": "ra-hf", "service_time_cycles": ratio * (grain + 100)})
    compared = against_slots(pd.DataFrame(rows))
    assert compared["time"].round(9).tolist() == [0.5, 1.0, 1.1, 1.01, 1.0, 1.0, 1.0]
    (found,) = grain_that_matters_not(compared).to_dict("records")
    assert found["cycles"] == GRAINS[3] + 100


def test_a_quick_run_is_a_part_of_the_whole():
    experiment = EXPERIMENTS["forwarding"]
    quick, whole = ({point.arguments for point in experiment.points(quick)} for quick in (True, False))
    assert quick < whole


@pytest.mark.slow("a farm on a Xeon, twice, with a record of its lines")
def test_the_advisor_says_what_forwarding_would_save():
    asked = ["--size", "32", "--workers", "6", "--count", "60", "--channel"]
    before = croft.run("farm_convolution", "xeon-e5-2650", arguments=[*asked, "turns"], lines=1 << 30)
    after = croft.run("farm_convolution", "xeon-e5-2650-hfwd", arguments=[*asked, "ra-hf"])
    found = forwarded(before.lines, before.machine)
    assert len(found) == 2 and all(one.what.identity.channel for one in found)
    waits, then = (
        sum(one.value for one in result.statistics if (one.part, one.name) == ("core", "stall_home"))
        for result in (before, after)
    )
    assert sum(one.saves for one in found) == pytest.approx(waits - then, rel=0.25)
    assert forwarded(before.lines, croft.machine("tilepro64")) == []


def test_every_machine_says_what_a_hit_in_a_cores_own_l2_takes_or_that_it_has_none():
    """Also one whose keys of cores are those of a kind."""
    chips = {name: croft.machine(name) for name in machine_names()}
    chips |= {name: croft.machine(path) for name, path in DESCRIBED.items()}
    hits = {name: own_l2_hit(chip) for name, chip in chips.items()}
    assert {name: hit for name, hit in hits.items() if hit is not None} == {
        **dict.fromkeys(("xeon-e5-2650", "xeon-e5-2650-hfwd", "xeon-e5-2650x2"), 11),
        **dict.fromkeys(("big-little-ring", "ring", "two-chips-mesif"), 9),
        "gpu-wb-levels": 6,
    }
