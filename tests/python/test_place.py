"""On which cores threads should run: `croft advise --place`."""

import itertools

import pytest

import croft
from commands import call
from croft.advice.distances import Distances, distances
from croft.advice.placement import Handed, Model, Tried, fastest, proposals, stalled, try_placements, usual
from croft.experiments.chips import cases, placements
from croft.experiments.conduct import EXPERIMENTS
from program_sources import PROGRAMS

MACHINES = PROGRAMS.parent / "machines"


def on_a_line(cores):
    """Cores side by side, two a chip, and homes that are the nearer the smaller a core's number is."""
    between = [[float(abs(one - other)) for other in range(cores)] for one in range(cores)]
    return Distances(between, [float(core) for core in range(cores)], [core // 2 for core in range(cores)], [0] * cores)


def test_a_search_ends_at_the_least_of_all_placements():
    """Of a ring of four threads on six cores, one of which uses homes a little: all placements are looked at."""
    handed = Handed({(0, 1): 9.0, (1, 2): 7.0, (2, 3): 5.0, (3, 0): 2.0}, {2: 0.5})
    far = on_a_line(6)
    model = Model(handed, far)
    least = min(map(model.cost, itertools.permutations(range(6), 4)))
    named = proposals(model, (5, 0, 4, 1), far)
    assert model.cost(named["model"]) == least < model.cost((0, 1, 2, 3))


def test_a_search_leaves_cores_among_those_of_their_kind():
    far = Distances([[abs(a - b) * 1.0 for a in range(4)] for b in range(4)], [0.0] * 4, [0] * 4, [0, 0, 1, 1])
    best = proposals(Model(Handed({(0, 2): 1.0}, {}), far), (0, 1, 3), far)
    assert best["model"] == (1, 0, 2)
    assert usual(3, far) == {"packed": (0, 1, 2)}


def test_the_usual_placements():
    assert usual(4, on_a_line(6)) == {"packed": (0, 1, 2, 3), "spread": (0, 2, 4, 1)}


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [("tilepro64", (0, 1), (0, 63)), ("xeon-e5-2650x2", (0, 7), (0, 8)), ("sg2042", (0, 3), (3, 4))],
)
def test_cores_are_nearer_in_a_cluster_and_on_a_chip(name, near, far):
    between = distances(croft.machine(name)).between
    assert between[near[0]][near[1]] < between[far[0]][far[1]]


def test_two_threads_that_send_each_other_messages_belong_on_one_chip():
    """The best is known: they share nothing else, and a line between chips takes longest of all."""
    arguments = ["--count", "50"]
    chip = croft.machine("xeon-e5-2650x2")

    def run(cores, **more):
        return croft.run("pingpong", chip, arguments=arguments, cores=cores, **more)

    before = run((0, 8), lines=1 << 30)
    placed = try_placements(before, lambda cores: (stalled(each := run(cores)), each.cycles), 2)
    best = fastest(placed)
    first, second = (core // 8 for core in best.placement)
    assert first == second
    assert best.time < before.cycles
    assert best.expected < placed[0].expected == placed[0].stalled
    assert [each.time is None for each in placed[:3]] == [False] * min(len(placed), 3)


def test_what_is_no_faster_is_not_advised():
    start = Tried("as it ran", (0, 1), 10.0, 10, 1000)
    assert fastest([start, Tried("a", (1, 0), 5.0, 5, 999.5), Tried("b", (2, 1), 1.0)]) is start
    assert fastest([start, better := Tried("a", (1, 0), 5.0, 5, 900)]) is better


def test_messages_of_the_user_network_count_as_handed():
    machine = croft.machine("tilepro64")
    arguments = ["--count", "50", "--channel", "udn"]
    before = croft.run("pingpong", machine, arguments=arguments, cores=(3, 40), lines=1 << 30)
    handed = Handed.of(before.lines, before.core_order, by_home=True)
    assert handed.pairs[0, 1] >= 25
    assert handed.pairs[1, 0] >= 25


def test_the_command_names_the_list_and_what_it_saves():
    command = ["advise", "pingpong", "-m", "xeon-e5-2650x2", "--cores", "0,8", "--place"]
    done = call(*command, "--runs", "1", "--", "--count", "50")
    assert done.returncode == 0, done.stderr
    last = done.stdout.splitlines()[-1]
    assert last.startswith("the run takes ")
    assert " shorter) with --cores " in last
    assert "not tried" in done.stdout
    refused = call(*command, "--homes", "x.toml")
    assert refused.returncode == 2
    assert "no homes" not in refused.stdout


def test_the_experiments_placements_are_lists_of_its_machines():
    for case in cases(False):
        for name, placement in placements(case).items():
            assert len(set(placement)) == case.workers + 2, (case, name)
            assert max(placement) < case.machine.cores
        if case.chips > 1:
            size = case.machine.cores // case.chips
            apart = placements(case)["apart"]
            assert {core // size for core in (apart[0], apart[-1])} == {0}
            assert 0 not in {core // size for core in apart[1:-1]}


@pytest.mark.slow("the tests of the advisor and of the placements stand for it")
def test_the_experiment_quick():
    report = croft.experiment("chips", quick=True, jobs=2)
    assert list(report.measured["placement"]) == ["packed", "spread", "apart", "parts", "advisor"]
    (cell,) = EXPERIMENTS["chips"].cells(report.measured)
    assert cell.ok
    worse = report.measured.assign(
        service_time_cycles=report.measured["service_time_cycles"].where(report.measured["placement"] != "advisor", 1e6)
    )
    assert not EXPERIMENTS["chips"].cells(worse)[0].ok
