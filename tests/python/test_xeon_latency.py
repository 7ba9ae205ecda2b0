"""The Xeons of paper 000: what is compared with its tables 1 and 3, and that the machine file meets them."""

import pandas as pd
import pytest

import croft
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.xeon_latency import Span, spans


def rows_of(span: Span, ends: dict[str, float]) -> list[dict[str, object]]:
    state = "none" if span.levels == ("memory",) else span.state
    where = {"access": span.access, "source": span.source, "state": state}
    return [where | {"level": level} | ends for level in span.levels]


def test_a_range_is_one_span_of_levels_and_memory_has_no_state():
    found = {span.label: span for span in spans()}
    assert len(found) == len(spans()) == 33
    assert found["read other chip modified l1-l2-l3"] == Span(
        "read", "other_chip", "modified", ("l1", "l2", "l3"), 304, 312
    )
    assert found["read local memory"].low == 185
    assert [label for label in found if label.endswith("memory")] == [
        "read local memory",
        "read other chip memory",
        "write local memory",
        "write other chip memory",
    ]


def test_tables_that_are_met_exactly_and_one_end_that_is_not():
    each = EXPERIMENTS["xeon_latency"]
    rows = [
        row
        for span in spans()
        for row in rows_of(span, {"least": span.low, "cycles": (span.low + span.high) / 2, "most": span.high})
    ]
    cells = each.cells(pd.DataFrame(rows))
    assert len(cells) == 38
    assert all(cell.ratio == 1 and cell.kind == "calibrated" for cell in cells)
    rows[0]["cycles"] *= 2
    assert [cell.name for cell in each.cells(pd.DataFrame(rows)) if not cell.ok] == ["read local l1"]


@pytest.mark.slow("some hundred thousand simulated accesses")
def test_the_machine_file_meets_the_tables():
    report = croft.experiment("xeon_latency", quick=True)
    assert [cell.name for cell in report.cells if not cell.ok] == []
    own = report.measured.set_index(["access", "source", "state", "level"])["cycles"]
    assert own["read", "local", "any", "l1"] == 6
    assert own["read", "local", "any", "l2"] == 12
    assert own["write", "local", "modified_or_exclusive", "l2"] == 16


@pytest.mark.parametrize("name", ["xeon-e5-2650", "xeon-e5-2650-hfwd", "xeon-e5-2650x2"])
def test_the_machines_can_be_built(name):
    chip = croft.machine(name)
    assert chip.name == name
    assert chip.cores == (16 if name.endswith("x2") else 8)


@pytest.mark.slow("a run on each of two machines")
def test_forwarding_and_user_messages_make_a_message_faster():
    """Ready and ack with home-forwarding and notifications, beside the same slots in plain shared memory."""

    def cycles(machine: str, channel: str) -> float:
        arguments = ["--channel", channel, "--cores", "0,3", "--count", "300"]
        printed = croft.run("pingpong", machine, arguments=arguments).text
        return float(printed.partition("cycles=")[2].split()[0])

    plain = cycles("xeon-e5-2650", "ra")
    forwarded = cycles("xeon-e5-2650-hfwd", "ra-udn")
    assert (plain, forwarded) == (294.10, 153.11)
