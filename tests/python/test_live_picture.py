"""What `croft run --live` draws: views of two samples, and pictures of views, without a run."""

from array import array
from dataclasses import replace

import pytest

import croft
from croft import _simulator
from croft.machines.floor_plan import FloorPlan
from croft.watching.live_picture import ACTIVITIES, picture, sparkline
from croft.watching.live_view import Setting, View, view
from croft.watching.sample import MESHES, Sample

SIZES = [(80, 24), (40, 10), (200, 60), (20, 5), (1, 1)]
MACHINES = {1: (1, 1), 64: (8, 8), 256: (32, 8), 1024: (32, 32), 60: (60, 1)}
"""Columns and rows, by cores."""
STATES = tuple(ACTIVITIES)


def setting(cores: int, program: str = "program") -> Setting:
    columns, rows = MACHINES[cores]
    mesh = croft.machine("tilepro64", network={"columns": columns, "rows": rows}, cores=cores)
    return Setting(program, f"chip-{cores}", FloorPlan(mesh), 1000.0)


def sample(cores: int, host: float, cycles: int, each: int, busy: dict[int, int] | None = None) -> Sample:
    """Each core has executed ``each`` instructions; links of the coherence mesh were busy for so many cycles."""
    links = {mesh: array("Q", bytes(8 * 4 * cores)) for mesh in MESHES}
    for link, count in (busy or {}).items():
        links["coherence"][link] = count
    activities = tuple(STATES[core % len(STATES)] for core in range(cores))
    spent = {cause: cycles * index for index, cause in enumerate(("issue", "stall_home", "wait_line"))}
    return Sample(host, cycles, activities, array("Q", [each] * cores), spent, links)


def a_view(cores: int, **more: object) -> View:
    busy = {4 * router + (router % 2): 10 + router for router in range(3, cores, 3)}
    before, after = sample(cores, 74.5, 1000, 100), sample(cores, 75.0, 3000, 700, busy)
    return view(setting(cores), before, after, (1.0, 2.0, 0.5), **more)


def test_every_activity_of_the_simulator_is_drawn_and_none_else():
    assert sorted(ACTIVITIES) == sorted(_simulator.ACTIVITIES)
    letters = [letter for letter, _, _ in ACTIVITIES.values()]
    assert len(set(letters)) == len(letters)


def test_a_view_is_the_difference_of_two_samples():
    # Router 9 of 8 x 8 is (1, 1). Its links: 36 east, 37 west, 38 north, 39 south.
    before = sample(64, 6.5, 1000, 100, {36: 50})
    after = sample(64, 7.0, 3000, 350, {36: 1050, 37: 1500, 38: 20, 39: 10_000})
    seen = view(setting(64), before, after, (1.5,))
    assert seen.instructions_per_cycle == 64 * 250 / 2000
    assert seen.recent == (1.5, 8.0)
    assert seen.instructions_per_second == 64 * 250 / 0.5
    assert seen.cycles_per_second == 4000
    assert seen.seconds == 3e-6
    assert [(use.mesh, use.begin, use.end) for use in seen.links] == [
        ("coherence", (1, 1), (1, 2)),
        ("coherence", (1, 1), (0, 1)),
        ("coherence", (1, 1), (2, 1)),
        ("coherence", (1, 1), (1, 0)),
    ]
    assert [use.share for use in seen.links] == [1.0, 0.75, 0.5, 0.01]  # what was sent before its time is not over all
    assert seen.spent == [("wait_line", pytest.approx(2 / 3)), ("stall_home", pytest.approx(1 / 3))]


def test_the_first_view_is_from_the_beginning_and_no_time_has_no_rates():
    seen = view(setting(64), None, sample(64, 1.0, 500, 10, {36: 5}))
    assert (seen.instructions_per_cycle, seen.cycles_per_second, seen.links[0].share) == (64 * 10 / 500, 500, 0.01)
    still = view(setting(64), sample(64, 1.0, 500, 10), sample(64, 1.0, 500, 10))
    assert (still.instructions_per_cycle, still.cycles_per_second, still.links, still.spent) == (0, 0, [], [])


def test_instructions_that_are_taken_back_are_none():
    back = view(setting(64), sample(64, 1.0, 500, 10), sample(64, 2.0, 501, 9))
    assert (back.instructions_per_cycle, back.instructions_per_second, back.recent) == (0, 0, (0,))


def test_a_run_with_a_limit_says_how_long_it_takes_to_get_there():
    limited = replace(setting(64), max_cycles=11_000)
    before, after = sample(64, 1.0, 0, 0), sample(64, 2.0, 1000, 100)
    assert view(limited, before, after).seconds_left == 10.0
    assert "0:02 here, 0:10 left" in picture(view(limited, before, after), 80, 24)[1].plain
    assert view(limited, before, after, has_ended=True).seconds_left is None
    assert view(setting(64), before, after).seconds_left is None


@pytest.mark.parametrize("has_ended", [False, True])
@pytest.mark.parametrize("cores", MACHINES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_a_picture_keeps_within_its_terminal(width, height, cores, has_ended):
    lines = picture(a_view(cores, has_ended=has_ended), width, height)
    assert 0 < len(lines) <= height
    assert max(line.cell_len for line in lines) <= width


@pytest.mark.parametrize("cores", MACHINES)
@pytest.mark.parametrize(("width", "height"), [(80, 24), (200, 60)])
def test_all_is_there_where_there_is_room(width, height, cores):
    text = "\n".join(line.plain for line in picture(a_view(cores), width, height))
    for words in (
        "program on chip-",
        "cycle 3,000 (3 us)",
        "1:15 here",
        "instructions a cycle",
        "cores' cycles",
        "runs",
    ):
        assert words in text
    assert ("busiest links" in text) == (cores > 1)
    assert f"{sum(each == 'runs' for each in a_view(cores).activities)} runs" in text


def grid_of(cores: int, width: int, height: int) -> list[str]:
    """The lines of letters of a picture without links, which are beside them."""
    lines = [line.plain for line in picture(view(setting(cores), None, sample(cores, 1, 1, 1)), width, height)]
    first = next(index for index, line in enumerate(lines) if line.startswith("cores ("))
    return lines[first : first + 1] + [line for line in lines[first + 1 :] if not line.startswith(" R ")]


def test_every_core_has_its_letter_at_its_place():
    title, *rows = grid_of(64, 80, 24)
    assert title == "cores (8 x 8)"
    letters = [ACTIVITIES[STATES[core % len(STATES)]][0] for core in range(64)]
    assert [row[::2] for row in rows[:8]] == ["".join(letters[8 * row : 8 * row + 8]) for row in range(8)]


def test_where_cores_share_a_letter_it_is_what_most_of_them_do():
    activities = [*["futex"] * 700, *["runs"] * 324]
    crowd = Sample(1, 1, tuple(activities), array("Q", [1] * 1024), {}, {mesh: array("Q") for mesh in MESHES})
    lines = [line.plain for line in picture(view(setting(1024), None, crowd), 80, 24)]
    title = next(index for index, line in enumerate(lines) if line.startswith("cores ("))
    assert lines[title] == "cores (32 x 32), 1 x 2 a letter"
    # Rows 0 to 20 wait; of row 21, 28 do, and those above its last four: of two that differ the one that runs is drawn.
    grid = [line[::2] for line in lines[title + 1 : title + 17]]
    assert grid == ["F" * 32] * 10 + ["F" * 28 + "R" * 4] + ["R" * 32] * 5
    assert " R  324 runs   F  700 futex" in lines[-1]


def test_links_have_their_ends_and_their_mesh_and_ascii_where_there_is_no_more():
    text = "\n".join(line.plain for line in picture(a_view(64), 80, 24))
    assert "(7,7)→(6,7) coherence" in text
    plain = picture(a_view(64), 80, 24, ascii_only=True)
    assert "(7,7)->(6,7) coherence" in "\n".join(line.plain for line in plain)
    assert all(line.plain.isascii() for line in plain)


def test_a_sparkline_is_as_high_as_its_values():
    assert sparkline([0, 1, 2, 4, 8]) == " ▁▂▄█"
    assert sparkline([0, 0]) == "  "
    assert sparkline([]) == ""
    assert sparkline([8, 0], ascii_only=True) == "@ "
