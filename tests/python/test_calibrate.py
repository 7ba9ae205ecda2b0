"""`croft calibrate`: a simulated machine plays the host, and the fit finds its keys again; refusals; the file."""

import sys

import pytest

import croft
from conftest import QUICKLY
from croft.base.errors import CroftError, UsageError
from croft.base.host import host_cores
from croft.calibration import calibration
from croft.calibration import measured as measured_host
from croft.calibration import predicted as predicted_patterns
from croft.calibration.calibration import EFFORT, Measurement, calibrate, pairs_of
from croft.calibration.compared import compare, summary
from croft.calibration.described import described
from croft.calibration.fit import WAY, Free, fit, free_keys, solve
from croft.calibration.host import Cache, Host, Level, this_host
from croft.calibration.measured import Figure, check_noise, measure, noisy
from croft.calibration.rows import Call, Effort, Row, Sizes, calls, rows_of
from croft.calibration.sharing import as_measured
from croft.calibration.simulated import simulate, smaller, with_value
from croft.cli import app
from croft.machines.keys import source_of
from croft.programs.builder import build
from croft.sweeps.many_runs import How

CLOCK = 3.1
"""GHz of the host that is played. Its times are those of the simulator's cycles."""
HOST = Host(
    "a processor",
    (0, 1),
    Cache(8192, 4),
    Cache(16384, 4),
    (Level("l2", Cache(32768, 8), ((0,), (1,))), Level("l3", Cache(131072, 16), ((0, 1),))),
    stores_in_order=True,
)
KNOWN_WAY = 8
KNOWN = {
    "big.out_of_order.fetch_width": 3,
    "big.l1d.hit": 5,
    "level.0.service": 9,
    "level.1.service": 15,
    "memory.latency": 217,
    "memory.occupancy": 23,
    "level.1.drop": 14,
    "big.core.cost.fence": 41,
    "level.1.directory": 11,
    "big.core.cost.atomic": 19,
}
"""What the fit has to find. Its own beginning has other values for all of them."""


def rows():
    return rows_of(len(HOST.levels), pairs_of(HOST, 28), len(HOST.cores))


def played():
    chip = with_value(described(HOST, "played", 1000 * CLOCK).machine(), (WAY,), KNOWN_WAY)
    for each in free_keys(HOST, pairs_of(HOST, 28), rows()):
        assert value(chip, each.keys[0]) != KNOWN[each.keys[0]]
        chip = with_value(chip, each.keys, KNOWN[each.keys[0]])
    return chip


def value(chip, key):
    if key.startswith("level."):
        _, number, last = key.split(".")
        return getattr(chip.level[int(number)], last)
    for part in key.split("."):
        chip = getattr(chip, part)
    return chip


@pytest.fixture(scope="module")
def measured():
    """What the played host takes, without noise; its clock is exact."""
    found = simulate(played(), rows())
    figures = {row: Figure(cycles / CLOCK, cycles / CLOCK, cycles / CLOCK) for row, cycles in found.items()}
    figures |= {row: Figure(1 / CLOCK, 1 / CLOCK, 1 / CLOCK) for row in figures if row.what == "add"}
    found = Measurement(HOST, pairs_of(HOST, 28), figures)
    assert found.way() == KNOWN_WAY
    return found


@pytest.fixture(scope="module")
def made(measured):
    return calibrate(measured, "mine")


def test_the_fit_finds_the_keys_of_a_known_machine(made):
    assert {each.free.keys[0]: each.value for each in made.fitted} == KNOWN
    assert [each.at_bound for each in made.fitted] == [""] * len(KNOWN)
    assert made.machine.model_copy({"name": "played"}) == played()
    assert all(row.ratio == pytest.approx(1, abs=2e-3) for row in made.compared if row.ratio is not None)
    kinds = [row.kind for row in made.compared]
    assert kinds.count("fitted") == len(KNOWN)
    assert kinds.count("predicted") > 2 * len(KNOWN)
    assert summary(made.compared)[1].startswith(
        f"predicted: {sum(r.ratio is not None for r in predicted(made))} rows, "
    )


def predicted(made):
    return [row for row in made.compared if row.kind == "predicted"]


def test_every_key_of_the_file_says_where_it_is_from(made, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(made.to_toml(["2 cores of a processor."]), encoding="utf-8")
    again = croft.machine(file)
    assert again == made.machine
    for each in made.fitted:
        for key in each.free.keys:
            said = source_of(key, again.sources)
            assert said.startswith(f"calibrated on this host: {each.free.row.name} ")
            assert said.endswith(" ns")
    assert again.sources["big.l1d.size"] == "this host"
    for key in (
        "big.core.cost.divide",
        "memory.stripe",
        "level.1.name",
        "network.hop",
        "big.out_of_order.reorder_buffer",
    ):
        assert source_of(key, again.sources).startswith(("assumed: ", "this host"))
    lines = file.read_text(encoding="utf-8").splitlines()
    assert all(" # " in line for line in lines if " = " in line and not line.startswith("#"))


def test_a_key_that_no_value_suits_is_said_to_be_at_its_bound():
    free = Free(("memory.latency",), Row(what="add"), 0, 100)
    assert solve(free, lambda key: 50 + 2 * key, 250, 10).value == 100
    assert solve(free, lambda key: 50 + 2 * key, 250, 10).at_bound == ""
    assert "too much" in solve(free, lambda key: 50 + 2 * key, 20, 10).at_bound
    assert "too little" in solve(free, lambda key: 50 + 2 * key, 300, 10).at_bound
    assert solve(free, lambda key: 50 + 2 * key, 141, 10).value in (45, 46)  # 140 and 142 are as near
    assert solve(free, lambda key: max(50, 2 * key), 180, 1).value == 90  # flat at first
    rate = Free(("core.width",), Row(what="adds"), 1, 8, is_rate=True)
    assert solve(rate, lambda key: rate.measure(1 / key), rate.measure(0.24), 7).value == 4


def test_keys_that_are_in_each_others_rows_are_fitted_again():
    one, other = Row(what="one"), Row(what="other")
    keys = [Free(("memory.latency",), one, 0, 1000), Free(("memory.occupancy",), other, 0, 1000)]

    def simulated(chip, wanted):
        takes = {one: chip.memory.latency + chip.memory.occupancy, other: 3 * chip.memory.occupancy}
        return {row: float(takes[row]) for row in wanted}

    chip, fitted = fit(played(), keys, {one: 200.0, other: 90.0}, simulated)
    assert (chip.memory.latency, chip.memory.occupancy) == (170, 30)
    assert [each.value for each in fitted] == [170, 30]


def test_noise_is_refused_in_a_sentence_with_the_spread_and_the_bound():
    quiet, loud = Row(what="atomic"), Row("", "read", "own", "modified", "L1")
    figures = {quiet: Figure.of([4.0, 4.1, 4.2]), loud: Figure.of([1.0, 2.0, 1.5, 1.4, 3.0])}
    assert figures[loud] == Figure(1.5, 1.4, 2.0)
    assert noisy(figures) == [loud]
    check_noise({quiet: figures[quiet]})
    with pytest.raises(UsageError) as raised:
        check_noise(figures)
    assert str(raised.value) == (
        "this host is too noisy: in 1 of 2 rows that keys are fitted to, the quartiles of the rounds are further apart "
        "than 25% of the median; read own modified L1: 1.5 ns, 1.4 to 2.0, which is 40%. Stop what else runs here, or "
        "take the medians all the same with --accept-noise, and the file says so"
    )


def test_a_noisy_host_is_fitted_only_if_that_is_accepted_and_the_file_says_so(measured):
    row = next(row for row in measured.figures if row.what == "atomic")
    ns = measured.figures[row].ns
    figures = measured.figures | {row: Figure(ns, 0.5 * ns, 2 * ns)}
    loud = Measurement(measured.host, measured.pairs, figures)
    with pytest.raises(UsageError, match="this host is too noisy: in 1 of 10 rows"):
        calibrate(loud, "mine")
    accepted = calibrate(loud, "mine", accept_noise=True)
    assert accepted.noise == [row]
    assert "# Noisy: the rounds disagreed about atomic.\n" in accepted.to_toml([])


def test_writes_are_compared_by_what_they_take_beside_a_fence():
    fence, short, long = Row(what="fence"), *(Row("", "write", "own", "modified", level) for level in ("L1", "L2"))
    figures = {row: Figure.of([ns]) for row, ns in ((fence, 20.0), (short, 19.0), (long, 30.0))}
    compared = compare(figures, {fence: 5.0, short: 6.0, long: 45.0}, [], 2.0)
    assert [(row.kind, row.cycles, row.simulated, row.ratio) for row in compared] == [
        ("given", 40.0, 5.0, None),
        ("predicted", -2.0, 1.0, None),
        ("predicted", 20.0, 40.0, 2.0),
    ]


def test_a_call_measures_all_rows_of_a_level_and_state_at_once():
    sizes = Sizes.of(32768, [524288, 33554432], 2)
    assert sizes == Sizes(8, 32, 512, 32768, 65536, 32768)
    wanted = [row for row in rows() if row.level == "L2" and row.state == "shared"]
    (call,) = calls(wanted, sizes, EFFORT, (4, 6))
    assert len(call.rows) == 4
    said = dict(zip(call.arguments[::2], call.arguments[1::2], strict=True))
    assert (said["--here"], said["--there"], said["--l2"], said["--access"]) == ("4", "6", "32", "all")
    printed = "native_latency access=read state=shared place=own level=L2 lines=9 ns=1.5 low=1 high=2 cycles=4.5\n"
    one = Call(call.program, call.arguments, tuple(row for row in wanted if (row.access, row.place) == ("read", "own")))
    assert one.read(printed, "cycles") == {one.rows[0]: 4.5}
    with pytest.raises(CroftError, match="native_latency printed no line for read other shared L2"):
        call.read(printed, "ns")


def test_cores_that_share_nothing_near_have_a_row_and_a_key_of_their_own():
    levels = (Level("l2", Cache(32768, 8), ((0, 1), (2, 3))),)
    host = Host("a processor", (0, 1, 2, 3), HOST.l1d, HOST.l1i, levels)
    pairs = pairs_of(host, 28)
    found = rows_of(1, pairs, 4)
    assert [row.pair for row in found if row.is_read("other", "L1")] == [
        (0, 1),
        (2, 3),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
    ]
    chip = described(host, "mine", 3000).machine()
    keys = {each.keys[0]: each.row for each in free_keys(host, pairs, found)}
    assert keys["level.0.drop"].pair == (0, 1)
    assert keys["level.1.drop"].pair == (0, 2)
    assert keys["level.1.drop"].name == "read other modified L1 across no cache"
    figures = {row: Figure.of([10.0 * sum(row.pair) + 10]) for row in found}
    targets = Measurement(host, pairs, figures).cycles()
    assert targets[keys["level.1.drop"]] == pytest.approx(
        2.0
    )  # 40 ns, the median of 30, 40, 40 and 50, beside an addition of 20 ns
    one = simulate(chip, [keys["level.0.drop"], keys["level.1.drop"]])
    two = simulate(with_value(chip, ["level.1.drop"], 41), [keys["level.0.drop"], keys["level.1.drop"]])
    assert two[keys["level.1.drop"]] == one[keys["level.1.drop"]] + 40
    assert two[keys["level.0.drop"]] == one[keys["level.0.drop"]]


def read_ns(own, other):
    """Rows of caches that a core hits, and in which it finds what another has left."""
    places = {"own": own, "other": other}
    return {
        Row("", "read", place, "modified", level): ns
        for place, by_level in places.items()
        for level, ns in by_level.items()
    }


OWN = {"L1": 1.4, "L2": 3.7, "L3": 17.0, "memory": 184.0}


def test_a_cache_from_which_no_line_comes_fast_is_not_shared_whatever_linux_says():
    apart = as_measured(HOST, (0, 1), read_ns(OWN, {"L1": 145.0, "L2": 141.0, "L3": 173.0}))
    assert [level.sharers for level in apart.levels] == [1, 1]
    assert apart.common_level(0, 1) == 2
    assert apart.notes == (
        "Linux says that cores share an L3, but a line that another core has left there takes 173 ns, and an own one "
        "17: the file gives each core its own.",
    )
    assert as_measured(HOST, (0, 1), read_ns(OWN, {"L1": 30.0, "L2": 30.0, "L3": 17.0})) == HOST


def test_the_way_between_cores_that_share_no_cache_is_fitted():
    apart = as_measured(HOST, (0, 1), read_ns(OWN, {"L1": 145.0, "L2": 141.0, "L3": 173.0}))
    pairs = pairs_of(apart, 28)
    assert list(pairs) == ["no cache"]
    chip = described(apart, "mine", 3000).machine()
    assert chip.level[2].inclusion == "filter"
    keys = {each.keys[0]: each.row for each in free_keys(apart, pairs, rows())}
    assert not any(key.endswith(".drop") for key in keys)
    before, after = (simulate(with_value(chip, (WAY,), way), [keys[WAY]])[keys[WAY]] for way in (0, 100))
    assert after == before + 300  # a request, a recall, and the line from the other core


def test_runs_that_measure_have_smaller_caches_with_the_same_ways():
    levels = (Level("l2", Cache(2 << 20, 16), ((0,), (1,))), Level("l3", Cache(36 << 20, 12), ((0, 1),)))
    chip = described(Host("", (0, 1), Cache(49152, 12), None, levels), "mine", 3000).machine()
    small = smaller(chip)
    assert [(level.size, level.ways) for level in small.level] == [(524288, 16), (2359296, 9)]
    assert small.level[0].service == chip.level[0].service


def call(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["croft", "calibrate", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        app.main()
    return ended.value.code


def test_the_command_writes_the_file_the_table_and_the_figure(monkeypatch, capsys, tmp_path, measured):
    monkeypatch.setattr("croft.calibration.host.this_host", lambda cores: HOST)
    monkeypatch.setattr(calibration, "measure_host", lambda host, **how: measured)
    file, table, figure = (tmp_path / name for name in ("mine.toml", "rows.csv", "rows.png"))
    assert not call(monkeypatch, "-o", file, "--table", table, "--figure", figure)
    said = capsys.readouterr().out
    assert f"wrote {file}" in said
    assert "predicted: " in said
    assert croft.machine(file).name == "mine"
    assert len(table.read_text(encoding="utf-8").splitlines()) == len(rows()) + 1
    assert figure.read_bytes().startswith(b"\x89PNG")
    before = file.read_bytes()
    assert call(monkeypatch, "-o", file) == 2
    assert "is there already; name another file, or replace it with --force" in capsys.readouterr().err
    assert file.read_bytes() == before
    file.write_text("old", encoding="utf-8")
    assert not call(monkeypatch, "-o", file, "--force")
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("-o", "mine.txt"), "mine.txt: a machine file ends in .toml"),
        (("-o", "my own.toml"), "the machine is called 'my own', which is no name of a machine"),
        (("-o", "no/such/mine.toml"), "make the folder no/such first"),
        (("--cores", "x"), "--cores x: it must be a list of cores, 0-3,8 for instance"),
        (("--figure", "rows.pdf"), "--figure rows.pdf: it ends in .svg or .png"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_measured(monkeypatch, capsys, tmp_path, arguments, said):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("croft.calibration.host.this_host", lambda cores: HOST)
    monkeypatch.setattr(calibration, "measure_host", None)
    assert call(monkeypatch, *arguments) == 2
    assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_patterns_are_run_alike_here_and_simulated():
    one = predicted_patterns._pattern("a message", "pingpong --channel turns --count 20")
    (row,) = predicted_patterns.predict({one: Figure(2.0, 1.9, 2.1)}, 3.0, played(), How(jobs=1))
    assert (row.name, row.kind, row.ns, row.cycles) == ("a message", "predicted", 2.0, 6.0)
    assert row.simulated > 1
    assert row.ratio == row.simulated / 6.0


@pytest.mark.skipif(host_cores() < 2, reason="croft calibrate measures what goes on between two cores")
def test_programs_print_what_is_read_of_them_on_this_host(monkeypatch):
    """Times are not looked at: they depend on the host. So the programs may be built quickly."""
    monkeypatch.setattr("croft.calibration.measured.build", lambda name, **how: build(name, **how | QUICKLY))
    figures = measure(this_host(), few_calls(), 1, lambda sentence: None)
    assert set(figures) == {row for call in few_calls() for row in call.rows}
    assert all(figure.low <= figure.ns <= figure.high for figure in figures.values())


def few_calls():
    sizes, effort = Sizes(1, 2, 4, 8, 16, 8), Effort(1, 1, 10)
    return calls([row for row in rows() if not row.what.startswith("bounce")], sizes, effort, this_host().cores[:2])


class Moved:
    """A host whose probe finds its cores apart from the second call on, for ``times`` probes."""

    def __init__(self, times):
        self.probes, self.times = 0, times

    def __call__(self, call):
        if call != "probe":
            return {call: 7.0}
        self.probes += 1
        first = measured_host.FIRST_PROBES + 1
        return {"line": 150.0 if first < self.probes <= first + self.times else 30.0}


def test_a_call_counts_only_if_its_cores_were_where_they_are_otherwise():
    host = Moved(times=3)
    steady = measured_host._Steady(host, "probe")
    assert [steady.run(call) for call in ("one", "other")] == [{"one": 7.0}, {"other": 7.0}]
    assert host.probes == measured_host.FIRST_PROBES + 1 + 3 + 2  # one call; three differ; the other call
    away = measured_host._Steady(Moved(times=100), "probe")
    assert [away.run(call) for call in ("one", "other", "other")] == [{"one": 7.0}, None, None]
    assert away.complaint() == (
        "this host's cores seem to be moved while croft measures: a line that another core has modified took 30.0 to "
        "150.0 ns to read, 30.0 at first. Try again, or take what there is with --accept-noise"
    )
