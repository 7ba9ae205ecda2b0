"""Sweeps lose nothing: one point that fails, a kill, a call that is repeated; and those that a file describes."""

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

import croft
from commands import call
from croft.runs.spec import RunSpec
from croft.sweeps.columns import columns_on, matching
from croft.sweeps.dataset import SweepDataset
from croft.sweeps.file import read_sweep
from croft.sweeps.kept_runs import RunKey, packed, unpacked
from croft.sweeps.many_runs import How, Work, run_many
from croft.sweeps.memory_budget import MemoryBudget
from croft.sweeps.store import RunStore
from croft.sweeps.swept import draw, run_sweep

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** with) {
    int number = atoi(with[1]);
    if (number == 13) return fprintf(stderr, "thirteen\n"), 3;
    FILE* given = fopen("/given/file", "r");
    if (given) number = fgetc(given) - '0';
    if (getenv("NUMBER")) number = atoi(getenv("NUMBER"));
    for (volatile long i = 0; i < 1000L * number; ++i) {}
    printf("numbers number=%d square=%d\n", number, number * number);
    return 0;
}
"""


@pytest.fixture
def numbers(tmp_path, monkeypatch):
    """A program that prints a square; runs are kept in a folder of this test's."""
    monkeypatch.setenv("CROFT_STORE", str(tmp_path / "store"))
    monkeypatch.chdir(tmp_path)
    source = tmp_path / "numbers.c"
    source.write_text(PROGRAM)
    return str(source)


def points(program, *each):
    return [croft.Point(program, (str(number),), {"given": number}) for number in each]


def test_a_point_that_fails_is_a_row_and_the_others_are_there(numbers):
    said = []
    table = croft.sweep(points(numbers, 2, 13, 3), "io1", tell=said.append)
    assert table["given"].tolist() == [2, 13, 3]
    assert table["square"].tolist()[::2] == [4, 9]
    assert table["error"].tolist()[::2] == ["", ""]
    assert table["error"][1].endswith(": exited, status 3: thirteen")
    assert any("thirteen" in sentence for sentence in said)


def test_what_is_kept_is_not_done_again_and_a_failure_is(numbers):
    first = croft.sweep(points(numbers, 2, 13, 3), "io1")
    said = []
    again = croft.sweep(points(numbers, 2, 13, 3), "io1", tell=said.append)
    pd.testing.assert_frame_equal(first, again)
    assert "2 of 3 runs are kept from before" in said[0]
    assert "1 runs to do" in said[1]


def test_points_may_have_machines_of_their_own(numbers):
    chips = [croft.machine("io1", clock_mhz=mhz) for mhz in (1000, 2000)]
    table = croft.sweep([croft.Point(numbers, ("5",), {"mhz": chip.clock_mhz}, machine=chip) for chip in chips])
    assert table["mhz"].tolist() == [1000, 2000]
    assert len(table["run_cycles"].unique()) == 1


def test_an_interrupted_sweep_says_what_is_kept_and_goes_on(numbers, tmp_path):
    script = tmp_path / "sweep.py"
    script.write_text(
        # What a shell runs in the background, these tests perhaps, ignores SIGINT, and so would this.
        "import signal, croft\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        f"points = [croft.Point({numbers!r}, (str(n),)) for n in (1, 2, 2000000, 3000000)]\n"
        "croft.sweep(points, 'io1', jobs=2, tell=lambda text: print(text, flush=True))\n"
    )
    process = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    store = tmp_path / "store"
    deadline = time.monotonic() + 120
    while len(list(store.glob("*.json.gz"))) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, problems = process.communicate(timeout=60)
    assert "sweep: interrupted; 2 of 4 runs are kept, and the same again does the rest" in said, problems
    assert len(list(store.glob("*.json.gz"))) == 2
    said = []
    croft.sweep(points(numbers, 1, 2, 3), "io1", tell=said.append)
    assert "2 of 3 runs are kept" in said[0]


@pytest.mark.parametrize("address", ["memory://group/runs", "file://{}/deep/store", "{}/plain"])
def test_any_store_that_fsspec_knows(numbers, tmp_path, address):
    store = address.format(tmp_path)
    first = croft.sweep(points(numbers, 2, 3), "io1", store=store)
    said = []
    again = croft.sweep(points(numbers, 2, 3), "io1", store=store, tell=said.append)
    assert said == ["sweep: 2 of 2 runs are kept from before (--fresh: do all again)"]
    pd.testing.assert_frame_equal(first, again)
    entries = list(RunStore(store).entries())
    assert [entry.origin.arguments for entry in sorted(entries, key=lambda each: each.origin.arguments)] == [
        ("2",),
        ("3",),
    ]
    assert not list(tmp_path.rglob("*.partial"))


def test_stores_that_are_none(numbers, tmp_path):
    (tmp_path / "file").touch()
    for store in ("nothing://x", str(tmp_path / "file")):
        with pytest.raises(croft.UsageError, match=f"the store {store}: "):
            croft.sweep(points(numbers, 2), "io1", store=store)


def test_what_is_damaged_is_done_again(numbers, tmp_path):
    croft.sweep(points(numbers, 2), "io1")
    (file,) = (tmp_path / "store").iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:20], whole[:-9], b"x" + whole):
        file.write_bytes(damaged)
        assert not list(RunStore().entries())
        croft.sweep(points(numbers, 2), "io1")
        assert file.read_bytes()[:2] == b"\x1f\x8b"
        assert len(list(RunStore().entries())) == 1


def test_a_kept_run_comes_back_as_it_was(numbers):
    program = croft.build(numbers)
    (done,) = run_many("e", [Work(numbers, croft.machine("io1"), RunSpec(arguments=["4"]), part="core")], How())
    (entry,) = RunStore().entries()
    assert entry.kept == done.kept
    assert unpacked(packed(entry.kept, entry.origin)) == (entry.kept, entry.origin)
    key = RunKey.of(program, numbers, croft.machine("io1"), RunSpec(arguments=["4"]), part="core")
    assert entry.key == f"{key.label}-{key.content}"
    assert 0 in entry.kept.statistics["core"]["handlers"].values()  # of the part asked for zeros, too


def test_memory_is_waited_for():
    import threading

    budget, order = MemoryBudget(100), []
    first = threading.Event()

    def wait():
        with budget.taken(60):
            order.append("second")

    with budget.taken(1000):  # more than there is: alone
        thread = threading.Thread(target=wait)
        thread.start()
        first.wait(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


SWEEP = """
name = "squares"
programs = ["numbers.c"]
machines = ["io1"]
arguments = "{number}"
[keys]
clock_mhz = [1000, 2000]
[vary]
number = { from = 11, to = 14, step = 1 }
"""


def test_a_sweep_from_a_file(numbers, tmp_path):
    Path("squares.toml").write_text(SWEEP)
    sweep = read_sweep("squares.toml")
    assert sweep.axes == ["clock_mhz", "number"]
    first = run_sweep(sweep, tmp_path / "out", How())
    assert first.failed == 2
    good = first.rows[first.rows["error"] == ""]
    assert good["number"].tolist() == [11, 12, 14] * 2
    assert good["square"].tolist() == [121, 144, 196] * 2
    assert good["clock_mhz"].tolist() == [1000] * 3 + [2000] * 3
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "out"), first.rows)
    said = []
    second = run_sweep(sweep, tmp_path / "out", How(tell=said.append))
    assert said[0] == f"squares: 6 of 8 points are in {tmp_path / 'out'} already"
    pd.testing.assert_frame_equal(second.rows, first.rows)
    assert draw(sweep, second.rows).axes


def test_a_sweep_that_grows_keeps_what_it_has(numbers, tmp_path):
    Path("squares.toml").write_text(SWEEP.replace("1000, 2000", "1000"))
    run_sweep(read_sweep("squares.toml"), tmp_path / "out", How())
    Path("squares.toml").write_text(SWEEP)
    said = []
    rows = run_sweep(read_sweep("squares.toml"), tmp_path / "out", How(tell=said.append)).rows
    assert "3 of 8 points are" in said[0]
    assert rows["clock_mhz"].tolist() == [1000] * 4 + [2000] * 4


def test_a_sweep_goes_through_options_of_a_run(numbers, tmp_path):
    Path("given").mkdir()
    Path("given/file").write_text("7")
    more = """
[run]
seed = [1, 2]
cores = 1
memory = "500M"
environment = [{}, { NUMBER = "5" }]
directories = ["given::/given"]
"""
    Path("s.toml").write_text('programs = "numbers.c"\nmachines = "io1"\narguments = "2"\n' + more)
    sweep = read_sweep("s.toml")
    assert sweep.axes == ["seed", "environment"]
    rows = run_sweep(sweep, tmp_path / "out", How()).rows
    assert rows["seed"].tolist() == [1, 1, 2, 2]
    assert rows["number"].tolist() == [7, 5] * 2
    assert rows["memory"].tolist() == ["500M"] * 4
    Path("given/file").write_text("8")  # other contents make another run
    assert run_sweep(sweep, tmp_path / "other", How()).rows["number"].tolist() == [8, 5] * 2
    # What is kept is no answer to who asks for less.
    limited, whole = (croft.Point(numbers, ("2",), options={"max_cycles": most}) for most in (100, 10**9))
    errors = [croft.sweep(each, "io1")["error"].tolist() for each in ([whole, limited], [limited, whole])]
    assert errors[0] == errors[1][::-1]
    assert "cycle_limit, status 122" in errors[0][1] and errors[0][0] == ""


def test_a_point_may_only_read_its_directories(tmp_path, monkeypatch):
    monkeypatch.setenv("CROFT_STORE", str(tmp_path / "store"))
    source = tmp_path / "write.c"
    source.write_text(
        '#include <stdio.h>\nint main(void) { printf("write opened=%d\\n", fopen("/here/new", "w") != NULL); }\n'
    )
    table = croft.sweep([croft.Point(str(source), options={"directories": [f"{tmp_path}::/here"]})], "io1")
    assert table["opened"].tolist() == [0]
    assert not (tmp_path / "new").exists()


def test_statistics_are_columns(numbers, tmp_path):
    text = 'programs = "numbers.c"\narguments = "2"\nmachines = ["io1", "tilepro64"]\n'
    text += 'statistics = ["core.instructions", "core.instructions.0", "*_mesh.flits", "bank.reads"]\n'
    Path("s.toml").write_text(text + '[plot]\nx = "machine"\ny = "coherence_mesh.flits"\n')
    sweep = read_sweep("s.toml")
    rows = run_sweep(sweep, tmp_path / "out", How()).rows
    meshes = ["coherence_mesh.flits", "memory_mesh.flits", "user_mesh.flits"]
    assert {"core.instructions", "core.instructions.0", *meshes, "bank.reads"} <= {*rows.columns}
    whole = [croft.run(numbers, machine, arguments=["2"]) for machine in ("io1", "tilepro64")]
    for column in ("core.instructions", *meshes):
        assert rows[column].tolist() == [result.total(*column.split(".")) for result in whole]
    assert rows["core.instructions.0"].tolist() == rows["core.instructions"].tolist()
    assert rows["bank.reads"].isna().tolist() == [False, True]  # tilepro64 has no banks
    assert draw(sweep, rows).axes
    # Another statistic is a column of the same runs.
    Path("s.toml").write_text(text.replace("core.instructions.0", "l1d.load_misses"))
    said = []
    again = run_sweep(read_sweep("s.toml"), tmp_path / "out", How(tell=said.append)).rows
    assert "l1d.load_misses" in again and "2 of 2 runs are kept" in said[0]


def test_the_statistics_of_a_machine_are_known_before_a_run(numbers):
    for machine in ("io1", "tilepro64"):
        counted = croft.run(numbers, machine, arguments=["2"], links=True).statistics
        columns = columns_on(croft.machine(machine), links=True)
        assert {f"{each.part}.{each.name}.{each.index}" for each in counted} <= {*columns}
        assert {f"{each.part}.{each.name}" for each in counted} <= {*columns}
    assert matching(["region.*"], columns) == ["region.cycles", "region.regions"]
    with pytest.raises(croft.UsageError, match=r"no statistic is called 'core\.isue'; did you mean 'core\.issue'\?"):
        matching(["core.isue"], columns)


TRAFFIC = Path(__file__).resolve().parents[2] / "examples" / "sweeps" / "traffic.toml"


def test_the_example_goes_through_seven_machines_by_three_keys(tmp_path, monkeypatch):
    sweep = read_sweep(TRAFFIC)
    machines = {point.labels["machine"] for point in sweep.points}
    assert len(machines) == 7
    assert sum(axis.startswith(("network.", "memory.")) for axis in sweep.axes) == 3
    assert len({point.machine.model_dump_json() for point in sweep.points}) == len(sweep.points)


def test_the_example_draws_traffic_by_protocol(numbers, tmp_path):
    text = TRAFFIC.read_text().replace('programs = ["pingpong"]', 'programs = ["numbers.c"]')
    text = re.sub("(?m)^arguments = .*$", 'arguments = "2"', text)
    text = re.sub(r"= \[(\d+), .*\]", r"= [\1]", text)  # of each key the first value
    Path("traffic.toml").write_text(text)
    sweep = read_sweep("traffic.toml")
    assert len(sweep.points) == 7
    swept = run_sweep(sweep, tmp_path / "out", How())
    assert swept.failed == 0
    assert (swept.rows["coherence_mesh.flits"] > 0).all()
    (axes, *_) = draw(sweep, swept.rows).axes
    assert len(axes.lines) == 7


def test_what_has_ended_is_on_disk_when_the_sweep_is_not_over(tmp_path, monkeypatch):
    monkeypatch.setattr("croft.sweeps.dataset.EVERY", 0.0)
    dataset = SweepDataset(tmp_path)
    dataset.add("a", [{"x": 1, "error": ""}])
    dataset.add("b", [{"error": "no"}])
    assert pd.read_parquet(tmp_path / "part-000001.parquet")["x"].tolist() == [1]
    again = SweepDataset(tmp_path)  # the first one was killed
    assert again.done == {"a"}
    again.add("b", [{"x": 2, "y": "new", "error": ""}])
    rows = again.close(["b", "a"])
    assert rows["point"].tolist() == ["b", "a"]
    assert rows["x"].tolist() == [2, 1]
    assert len(list(tmp_path.iterdir())) == 1


def test_designs(numbers):
    Path("s.toml").write_text(SWEEP + "x = { from = 0.5, to = 1.5 }\n")
    with pytest.raises(croft.UsageError, match="`x` is a range: a grid needs its `step`"):
        read_sweep("s.toml")
    Path("s.toml").write_text('design = "random"\nsamples = 50\nseed = 3\n' + SWEEP + "x = { from = 0.5, to = 1.5 }\n")
    drawn = [point.labels for point in read_sweep("s.toml").points]
    assert len(drawn) == 50
    assert {each["number"] for each in drawn} == {11, 12, 13, 14}
    assert all(0.5 <= each["x"] <= 1.5 for each in drawn)
    assert drawn == [point.labels for point in read_sweep("s.toml").points]
    listed = (
        'programs = "numbers.c"\n[[point]]\narguments = "3"\n[[point]]\nmachine = "io1"\nkeys = { clock_mhz = 5 }\n'
    )
    Path("s.toml").write_text(listed)
    first, second = read_sweep("s.toml").points
    assert (first.arguments, first.machine.name) == (("3",), "tilepro64")
    assert (second.machine.name, second.machine.clock_mhz) == ("io1", 5)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("program = 3", "unknown key `program`; did you mean `programs`?"),
        ("machines = []", "`machines` should be a text, or a list of some"),
        ('machines = "io1"', "it names no program: `programs` is missing"),
        ('programs = "nowhere.c"', "nowhere.c: no such file"),
        ('programs = "numbers.c"\nmachines = "io"', "no machine is called 'io'"),
        ('programs = "numbers.c"\nkeys = { "network.hopp" = 1 }', r"unknown key `network.hopp`"),
        ('programs = "numbers.c"\nkeys = { "network.hop" = [1, -1] }', r"sweep s.toml, network.hop = -1"),
        ('programs = "numbers.c"\narguments = "{x}"', "`arguments` '{x}' name 'x', which is not in `vary`"),
        ('programs = "numbers.c"\narguments = "{"', "`arguments` '{': "),
        ('programs = "numbers.c"\narguments = "\'"', '`arguments` "\'": No closing quotation'),
        ('programs = "numbers.c"\nvary = { x = { from = 2, to = 1 } }', "`vary.x` goes from 2 to 1"),
        (
            'programs = "numbers.c"\nvary = { x = { from = 1, to = 2, step = 0 } }',
            "`vary.x` has `step` = 0: it should be above",
        ),
        ('programs = "numbers.c"\nvary = { x = { from = "a", to = 2 } }', "`vary.x.from` should be a number"),
        ('programs = "numbers.c"\nvary = { x = { from = 0, to = 2000000, step = 1 } }', "make at most 1,000,000 steps"),
        ('programs = "numbers.c"\nvary = { x = [] }', "`vary.x` has no value"),
        ('programs = "numbers.c"\ndesign = "spiral"', "`design` = 'spiral': it should be 'grid', 'list' or 'random'"),
        ('programs = "numbers.c"\ndesign = "random"', "`samples` is missing: a random design draws so many points"),
        ('programs = "numbers.c"\nsamples = 0', "`samples` = 0: it should be greater than or equal to 1"),
        ('programs = "numbers.c"\nseed = true', "`seed` = True: it should be a whole number"),
        ('programs = "numbers.c"\nkeys = 3', "`keys` = 3: it should be a table"),
        ('programs = "numbers.c"\nvary = { x = { fron = 1 } }', "unknown key `vary.x.fron`; did you mean `from`?"),
        ('programs = "numbers.c"\nplot = { y = "x" }', "`plot.x` is missing"),
        (
            'programs = "numbers.c"\nrun = { sed = 3 }',
            "sweep s.toml: a sweep has no option 'sed' of a run; did you mean 'seed'? (known: max_cycles, ",
        ),
        ('programs = "numbers.c"\nrun = { trace = 3 }', "a sweep has no option 'trace' of a run"),
        (
            'programs = "numbers.c"\nrun = { seed = [1, -1] }',
            "`run.seed` = -1: it should be greater than or equal to 0",
        ),
        ('programs = "numbers.c"\nrun = { check = "all" }', "`run.check` = 'all': it should be 'coherence' or 'races'"),
        ('programs = "numbers.c"\nrun = { memory = "4X" }', "`run.memory` = '4X': it should be a number of bytes"),
        ('programs = "numbers.c"\nrun = { max_seconds = 0 }', "`run.max_seconds` = 0: it should be greater than 0"),
        ('programs = "numbers.c"\nrun = 3', "`run` = 3: it should be a table"),
        (
            'programs = "numbers.c"\nrun = { seed = 1 }\nvary = { seed = [1, 2] }',
            "`vary.seed` would be two columns: give it another name",
        ),
        (
            'programs = "numbers.c"\nmachines = "io1"\nstatistics = "core.isue"',
            "sweep s.toml: no statistic is called 'core.isue'; did you mean 'core.issue'?",
        ),
        ('[[point]]\narguments = "1"', "it names no program"),
        ('[[point]]\n[[point]]\nprogam = "a.c"', "unknown key `point 2.progam`; did you mean `program`?"),
        ("x = ", "sweep s.toml: Invalid value"),
    ],
)
def test_a_wrong_sweep_is_one_sentence(numbers, text, sentence):
    Path("s.toml").write_text(text)
    with pytest.raises(croft.CroftError) as caught:
        read_sweep("s.toml")
    assert sentence in str(caught.value)


@pytest.mark.parametrize("path", ["/dev/zero", "nowhere.toml", "."])
def test_a_sweep_is_a_file(path):
    with pytest.raises(croft.UsageError, match=f"sweep {path}: no such file"):
        read_sweep(path)


@pytest.mark.slow("each command once more, as a process")
def test_the_commands(numbers, tmp_path):
    Path("squares.toml").write_text(SWEEP)
    listed = call("sweep", "squares.toml", "--dry-run")
    assert listed.returncode == 0 and "8 points" in listed.stdout
    answer = call("sweep", "squares.toml", "--plot", "squares.svg")
    assert (answer.returncode, answer.stdout) == (1, "squares: 8 points, 2 failed\n")
    assert Path("squares.svg").read_text().startswith("<?xml")
    shown = call("runs").stdout
    assert shown.count("numbers.c") == 6
    assert "io1 with clock_mhz = 2000" in shown
    key = next(line.split()[1] for line in shown.splitlines() if "numbers.c" in line)
    assert "instructions" in call("runs", "show", key).stdout
    assert call("runs", "show", "zzz").stderr.startswith("croft: no run of the store")
    for kind, read in (("parquet", pd.read_parquet), ("csv", pd.read_csv)):
        assert call("runs", "export", f"all.{kind}").returncode == 0
        assert sorted(read(f"all.{kind}")["square"]) == [121, 121, 144, 144, 196, 196]
    columns = ["--statistic", "core.instructions", "--statistic", "*_mesh.flits"]
    assert call("runs", "export", "all.csv", *columns).returncode == 0
    assert {"core.instructions", "coherence_mesh.flits"} <= {*pd.read_csv("all.csv").columns}
    assert (
        "no statistic is called 'core.nothing'" in call("runs", "export", "x.csv", "--statistic", "core.nothing").stderr
    )
    assert call("runs", "export", "all.json").returncode == 0
    assert len(json.loads(Path("all.json").read_text())) == 6
    assert call("runs", "export", "all.xyz").returncode == 2
    assert call("runs", "prune").returncode == 2
    assert "0 runs dropped" in call("runs", "prune", "--build", "other").stdout
    assert "0 runs dropped" in call("runs", "prune", "--older-than", "1h").stdout
    assert "6 runs to drop" in call("runs", "prune", "--program", "numbers.c", "--dry-run").stdout
    assert "6 runs dropped" in call("runs", "prune", "--program", "numbers.c").stdout
    assert "0 runs" in call("runs", "export", "all.csv").stdout
