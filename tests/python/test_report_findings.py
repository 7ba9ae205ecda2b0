"""What a report says of a run: planted faults are found, and none where there is none."""

import json

import pytest

import croft
from croft.base.errors import UsageError
from croft.recording.roles import role_of
from croft.reports.findings import findings
from croft.reports.findings.bottleneck import LEAST_OF_ALL
from croft.reports.findings.busy_parts import LEAST_BUSY
from croft.reports.findings.false_sharing import LEAST_INVALIDATIONS
from croft.reports.run_data import RunData
from program_sources import PROGRAMS

PLANTED = PROGRAMS / "planted_faults.cpp"
SERIOUS = {"limits", "costs", "broken"}


def said(program, *arguments, machine="tilepro64", **options):
    result = croft.run(program, machine, arguments=arguments, profile=True, lines=1 << 30, **options)
    found = findings(RunData(json.loads(result.to_json())))
    return {each.kind: each for each in found if each.severity in SERIOUS}


@pytest.mark.slow("the page of a run with lines")
def test_two_counters_in_one_line():
    (found,) = said(PLANTED, "counters").values()
    assert found.kind == "false_sharing"
    assert "cores 1 and 2 use different bytes of one line (core 1 bytes 0 to 7, core 2 bytes 8 to 15)" in found.sentence


@pytest.mark.slow("a large run with lines")
def test_a_queue_homed_at_its_writer():
    (found,) = said(PLANTED, "written").values()
    assert found.kind == "home_at_writer"
    assert "is homed at its writer, core 1: core 2, which reads it next, waits for it" in found.sentence
    assert "Home it at core 2" in found.sentence


def test_an_emitter_that_is_the_bottleneck():
    (found,) = said(PLANTED, "emitter").values()
    assert found.kind == "bottleneck"
    assert found.sentence.startswith("The emitter (core 0) limits: 3 workers wait for it for 8")


@pytest.mark.parametrize("program", ["padded", "read", "balanced"])
def test_the_same_without_the_fault(program):
    assert not said(PLANTED, program)


@pytest.mark.slow_cases(r"^(farm|map|cilk5)", "croft's own programs; smaller ones stay")
@pytest.mark.parametrize(
    ("program", "arguments"),
    [
        ("farm_convolution", ("--size", "32", "--count", "60", "--workers", "3")),
        ("map_matvec", ("--count", "60", "--workers", "4")),
        ("pingpong", ("--count", "200")),
        ("cilk5/queens", ("--size", "6")),
        (PROGRAMS / "mutex.cpp", ("8",)),
    ],
)
def test_clean_programs(program, arguments):
    assert not said(program, *arguments)


def test_a_run_that_did_not_end_says_so():
    found = said(PROGRAMS / "forever.cpp", max_cycles=100_000)
    assert "stopped at its limit of cycles" in found["ended"].sentence
    assert "until then" in found["ended"].sentence


# ---- the edges, on results that nothing has run ----


def result(active, lines=None, **more):
    """A run of 1,000 cycles; ``active``: of each core."""
    statistics = [
        {"part": "core", "index": core, "name": name, "unit": "cycles", "value": value}
        for core, cycles in enumerate(active)
        for name, value in (("active", cycles), ("issue", cycles))
    ]
    content = {
        "program": {"name": "made"},
        "arguments": [],
        "machine": croft.machine("tilepro64").model_dump(),
        "cores": 64,
        "seed": 1,
        "ending": "exited",
        "exit_code": 0,
        "message": "",
        "cycles": 1000,
        "seconds": 1e-6,
        "instructions": 1,
        "statistics": statistics + more.pop("statistics", []),
        "output": "",
    }
    return RunData(content | ({"lines": lines} if lines else {}) | more)


def kinds(run):
    return {each.kind for each in findings(run) if each.severity in SERIOUS}


def memory(lines=(), waits=()):
    return {
        "line_bytes": 64,
        "totals": {},
        "objects": [],
        "lines": list(lines),
        "waits": [list(each) for each in waits],
    }


@pytest.mark.parametrize(("waited", "is_found"), [(LEAST_OF_ALL * 4000, True), (LEAST_OF_ALL * 4000 - 4, False)])
def test_from_when_on_a_core_limits(waited, is_found):
    waits = [(core, 0, waited / 4) for core in (1, 2, 3, 4)]
    assert ("bottleneck" in kinds(result([1000] * 5, memory(waits=waits)))) == is_found


def test_one_that_waits_itself_does_not_limit():
    waits = [(1, 0, 900), (0, 2, 501)]
    assert "bottleneck" not in kinds(result([1000, 1000, 1000], memory(waits=waits)))


def use(core, **more):
    return {
        "core": core,
        "reads": 500,
        "writes": 500,
        "next": 0,
        "true_sharing": 0,
        "false_sharing": 100,
        "waits": 100,
        "read_bytes": [[8 * core, 8 * core + 7]],
        "write_bytes": [[8 * core, 8 * core + 7]],
        "read_at": "",
        "write_at": "",
        **more,
    }


def line(**more):
    return {
        "address": 4096,
        "object": None,
        "offset": 0,
        "home": 9,
        "reads": 1000,
        "writes": 1000,
        "misses": 9,
        "invalidations": 100,
        "messages": 1,
        "hops": 1,
        "waits": {"stall_home": 200},
        "false_sharing": True,
        "uses": [use(0), use(1)],
        **more,
    }


@pytest.mark.parametrize(
    ("one", "is_found"),
    [
        (line(), True),
        (line(invalidations=LEAST_INVALIDATIONS), True),
        (line(invalidations=LEAST_INVALIDATIONS - 1), False),
        (line(uses=[use(0, waits=19), use(1, waits=20)]), False),
        (line(uses=[use(0, waits=20), use(1, waits=20)]), True),
        (line(false_sharing=False), False),
    ],
)
def test_from_when_on_false_sharing_is_worth_a_word(one, is_found):
    assert ("false_sharing" in kinds(result([1000, 1000], memory([one])))) == is_found


@pytest.mark.parametrize(("busy", "is_found"), [(LEAST_BUSY, True), (LEAST_BUSY - 0.001, False)])
def test_from_when_on_a_link_is_too_busy(busy, is_found):
    row = {"part": "link", "index": 5, "name": "coherence_busy", "unit": "cycles", "value": round(busy * 1000)}
    found = [each for each in findings(result([1000], statistics=[row])) if each.kind == "busy_part"]
    assert bool(found) == is_found
    if found:
        assert "The link from router 1 to router 0 (coherence mesh) was busy for 70%" in found[0].sentence


@pytest.mark.parametrize(
    ("functions", "role"),
    [
        ([("main", 100), ("croft::farm_emitter::run", 90)], "emitter"),
        ([("main", 100), ("croft::farm_emitter::run", 40)], None),
        ([("main", 100), ("Workers::step", 95)], "worker"),
        ([("main", 100), ("serve<emitter>", 95)], None),
        ([("main", 100), ("worker_collector", 95)], None),
    ],
)
def test_roles_are_known_by_names(functions, role):
    assert role_of("main", functions) == role


def test_what_is_no_result_is_refused():
    with pytest.raises(UsageError, match="it has no program"):
        RunData({"statistics": []}, "other.json")
