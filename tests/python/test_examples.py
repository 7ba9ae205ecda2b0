"""The programs in examples/, and their oneTBB forms where that is installed, do what they say, on small inputs."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

import croft
from packages import ROOT, run

pytestmark = pytest.mark.slow("builds the examples and the forms of their peers")

EXAMPLES = ROOT / "examples"
BAD = 700
"""The number of the line that is none."""


@pytest.fixture(scope="module", params=["croft", "oneTBB"])
def built(request, tmp_path_factory):
    """The executable of an example, in this form."""
    prefix = Path(sys.prefix)  # where pip puts oneTBB
    if request.param == "oneTBB" and not (prefix / "include" / "oneapi" / "tbb").is_dir():
        pytest.skip("oneTBB is not installed (make .venv/.bench-tools)")
    folder = tmp_path_factory.mktemp("with_tbb")

    def build(name):
        if request.param == "croft":
            return croft.build(EXAMPLES / f"{name}.cpp", native=True, optimise="1")
        program = folder / name
        if not program.exists():
            library = [f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-ltbb", "-pthread"]
            source = EXAMPLES / "tbb" / f"{name}.cpp"
            run("c++", "-std=c++20", "-O1", f"-isystem{prefix / 'include'}", source, "-o", program, *library)
        return program

    return build


def line(number):
    level = "DEBUG" if number % 3 == 0 else "INFO"
    status = 404 if number % 10 == 0 else 200
    return f"2031-05-04T10:11:12 {level} 10.3.200.1 user{number % 97} GET /farm/{number} {status} {number * 7}\n"


def pseudonym(user):
    value = 0xCBF29CE484222325
    for letter in user.encode() * 256:
        value = (value ^ letter) * 0x100000001B3 % 2**64
    return f"{value:016x}"[::-1]


def written(number):
    """What is to be written of a line: nothing of one that is left out."""
    if number % 3 == 0:
        return ""
    name, outcome = pseudonym(f"user{number % 97}"), "failed" if number % 10 == 0 else "ok"
    return f"2031-05-04T10:11:12 INFO inside {name} GET /farm/{number} {outcome} {number * 7}\n"


def test_the_log_pipeline_writes_the_lines_in_their_order(built, tmp_path):
    (tmp_path / "in").write_text("".join(map(line, range(1, 3001))), encoding="utf-8")
    assert run(built("log_pipeline"), tmp_path / "in", tmp_path / "out") == "2000 lines written\n"
    assert (tmp_path / "out").read_text(encoding="utf-8") == "".join(map(written, range(1, 3001)))


def test_what_precedes_a_bad_line_is_written_and_main_is_told_which_it_is(built, tmp_path):
    lines = [line(number) if number != BAD else "no line\n" for number in range(1, 3001)]
    (tmp_path / "in").write_text("".join(lines), encoding="utf-8")
    finished = subprocess.run(
        [built("log_pipeline"), tmp_path / "in", tmp_path / "out"], capture_output=True, text=True, timeout=60
    )
    assert finished.returncode == 1
    assert finished.stdout == ""
    assert finished.stderr == f'log_pipeline: line {BAD}: there are fewer than eight fields in "no line"\n'
    assert (tmp_path / "out").read_text(encoding="utf-8") == "".join(map(written, range(1, BAD)))


def test_the_log_pipeline_stops_early_and_reads_no_further(built, tmp_path):
    program = subprocess.Popen(
        [built("log_pipeline"), "/dev/stdin", tmp_path / "out", "100"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with pytest.raises(BrokenPipeError):  # nobody reads any more
        for number in itertools.count(1):
            program.stdin.write(line(number))
    with pytest.raises(BrokenPipeError):
        program.stdin.close()  # tries to write what is left
    assert program.stdout.read() == "100 lines written\n"
    assert program.wait(timeout=60) == 0
    assert (tmp_path / "out").read_text(encoding="utf-8") == "".join(map(written, range(1, 151)))


def found_in(printed):
    workers, colon, found = printed.partition(" workers: ")
    assert colon
    return int(workers), found


def test_nested_loops_find_the_pair(built):
    arguments = ("60", "200")
    assert found_in(run(built("nested_loops"), *arguments))[1] == most_alike(60, 200)


def most_alike(count, steps):
    """The same, sequentially."""
    random, walks = 1, []
    for _ in range(count):
        at, walk = 0, []
        for _ in range(steps):
            random = (random * 6364136223846793005 + 1442695040888963407) % 2**64
            at += 1 if random >> 63 else -1
            walk.append(at)
        mean = sum(walk) / steps
        size = sum((value - mean) ** 2 for value in walk) ** 0.5
        walks.append([(value - mean) / size for value in walk])
    best = max(
        (sum(x * y for x, y in zip(walks[a], walks[b], strict=True)), b, a) for a in range(count) for b in range(a)
    )
    return f"of {count} series {best[1]} and {best[2]} are most alike, {best[0]:.6f}\n"


@pytest.fixture
def group_of_one_core():
    """The folder of a control group that may use one core's time, within the one that this process is in."""
    groups = dict(line.split(":", 2)[1:] for line in Path("/proc/self/cgroup").read_text("utf-8").splitlines())
    old = [mount for names, mount in groups.items() if "cpu" in names.split(",")]
    root = Path(f"/sys/fs/cgroup/cpu{old[0]}" if old else f"/sys/fs/cgroup{groups.get('', '/')}")
    group = root / "croft-test-of-examples"
    try:
        group.mkdir()
    except OSError as error:
        pytest.skip(f"this process may make no control group: {error}")
    try:
        try:
            if old:
                (group / "cpu.cfs_quota_us").write_text("100000", "utf-8")  # of a period of as many, if none is set
                (group / "cpu.cfs_period_us").write_text("100000", "utf-8")
            else:
                (group / "cpu.max").write_text("100000 100000", "utf-8")
        except OSError as error:
            pytest.skip(f"this process may set no quota: {error}")
        yield group
    finally:
        group.rmdir()


def test_nested_loops_have_no_more_workers_than_the_quota_of_their_control_group(group_of_one_core):
    program = croft.build(EXAMPLES / "nested_loops.cpp", native=True, optimise="1")
    # The shell moves itself there, and then is the program.
    enter = f'echo $$ > "{group_of_one_core}/cgroup.procs" && exec "$@"'
    workers, found = found_in(run("sh", "-c", enter, "sh", program, "60", "200"))
    assert workers == 1
    assert found == most_alike(60, 200)


def trades_in_all(exchanges, trades):
    volume = turnover = 0
    for exchange in range(exchanges):
        for number in range(trades):
            mixed = (exchange << 40 | number) * 0x9E3779B97F4A7C15 % 2**64
            size = (mixed >> 48 & 255) + 1
            volume += size
            turnover += size * ((mixed >> 32 & 1023) + 9500)
    return f"{exchanges * trades} trades, volume {volume}, turnover {turnover}"


@pytest.mark.parametrize(("exchanges", "trades"), [(1, 1), (4, 5000)])
def test_the_book_has_all_trades_and_answers_meanwhile(exchanges, trades, built):
    printed = run(built("market_data"), exchanges, trades)
    assert printed == f"{trades_in_all(exchanges, trades)}; 1000 questions answered, 0 went back in time\n"
