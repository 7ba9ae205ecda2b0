"""The kernels of paper 002, table III, on small inputs: what they make, on every machine and by every run-time."""

import subprocess

import pytest

import croft
from conftest import QUICKLY
from croft.results.fields import find

# Name in the table, and arguments for which a run takes a fraction of a second.
CILK5 = {
    "cilk5/sort": ("cilk5-cs", ["--size", "3000", "--grain", "100"]),
    "cilk5/lu": ("cilk5-lu", ["--size", "32", "--block", "4"]),
    "cilk5/matmul": ("cilk5-mm", ["--size", "24", "--grain", "8"]),
    "cilk5/transpose": ("cilk5-mt", ["--size", "50", "--grain", "7"]),
    "cilk5/queens": ("cilk5-nq", ["--size", "5", "--grain", "2"]),
}
# Figure 3a where hardware keeps all caches coherent, 3b where it does not, 3c everywhere.
ON = [
    ("shared_deques", "big-tiny-64-mesi"),
    ("direct_stealing", "big-tiny-64-mesi"),
    *[
        (f"{runtime}", f"big-tiny-64-{l1}")
        for l1 in ("dnv", "gwt", "gwb")
        for runtime in ("shared_deques_flushed", "direct_stealing")
    ],
]


def run(kernel, *more, arguments=(), **options):
    name, small = CILK5[kernel]
    line = [*small, *more, *arguments]
    result = croft.run(kernel, arguments=line, max_cycles=300_000_000, **options)
    assert (result.ending, result.exit_status, result.errors) == ("exited", 0, b""), result.message
    return find(result.text, name), result


LONGEST = pytest.mark.slow_cases(r"cilk5/(lu|sort)", "the two whose runs take longest, of the same kind as the others")


@pytest.mark.slow_cases(r"lu|sort|matmul|queens", "transpose stands for them")
@LONGEST
@pytest.mark.parametrize("kernel", CILK5)
@pytest.mark.parametrize(("runtime", "machine"), ON)
@pytest.mark.parametrize("cores", [1, 4, 64])
def test_cilk5_by_the_papers_run_times(kernel, runtime, machine, cores):
    check = "coherence" if machine.endswith("gwb") else None
    numbers, result = run(kernel, "--runtime", runtime, "--verify", "full", machine=machine, cores=cores, check=check)
    assert result.text.endswith(" ok\n")
    assert result.coherence_count == 0
    assert numbers["workers"] == cores
    assert numbers["tasks"] > 10
    assert numbers["cycles"] > 0
    assert (numbers["steals"] == 0) == (cores == 1)


@pytest.mark.slow_cases(r"matmul", "transpose and queens, which other tests build, stand for it")
@LONGEST
@pytest.mark.parametrize("kernel", CILK5)
def test_cilk5_in_sequence_and_by_default(kernel):
    numbers, serial = run(kernel, "--runtime", "serial", "--verify", "full", machine="io1")
    assert "steals" not in numbers
    assert serial.text.endswith(" ok\n")
    _, result = run(kernel, "--verify", "full", machine="big-tiny-64-mesi", cores=4)
    assert result.text.endswith(" ok\n")


@pytest.mark.slow("builds for this host what the same file runs simulated")
@pytest.mark.parametrize("kernel", CILK5)
def test_cilk5_natively(kernel):
    program = croft.build(kernel, **QUICKLY)
    name, small = CILK5[kernel]
    for runtime in ("default", "serial", "shared_deques", "shared_deques_flushed", "chase_lev", "direct"):
        command = [program, *small, "--runtime", runtime, "--workers", "3", "--verify", "full"]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert (answer.returncode, answer.stderr) == (0, "")
        assert find(answer.stdout, name)["runtime"] == runtime
    answer = subprocess.run([program, "--runtime", "direct_stealing"], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2
    assert answer.stderr == f"{name}: --runtime direct_stealing takes a many-core whose cores interrupt each other\n"


@pytest.mark.slow("one of the two whose runs take longest")
def test_the_same_tasks_whoever_runs_them():
    counts = {
        run("cilk5/sort", "--runtime", runtime, machine=machine, cores=cores)[0]["tasks"]
        for runtime, machine in ON[::3]
        for cores in (1, 8)
    }
    assert len(counts) == 1


@pytest.mark.slow("the two that take longest are among them")
def test_other_sizes_and_grains():
    for kernel, arguments in [
        ("cilk5/sort", ["--size", "1", "--grain", "4"]),
        ("cilk5/sort", ["--size", "777", "--grain", "4", "--seed", "7"]),
        ("cilk5/lu", ["--size", "16", "--block", "16"]),
        ("cilk5/lu", ["--size", "64", "--block", "8", "--grain", "4"]),
        ("cilk5/matmul", ["--size", "13", "--grain", "3"]),
        ("cilk5/transpose", ["--size", "1", "--grain", "1"]),
        ("cilk5/queens", ["--size", "6", "--grain", "0"]),
        ("cilk5/queens", ["--size", "1", "--grain", "16"]),
    ]:
        _, result = run(kernel, "--verify", "full", arguments=arguments, machine="big-tiny-64-mesi", cores=2)
        assert result.text.endswith(" ok\n")
    result = croft.run("cilk5/lu", arguments=["--size", "48"], machine="io1")
    assert result.exit_code == 2
    assert result.errors == b"cilk5-lu: --size has to be --block (16) times a power of two, not 48\n"
    assert (
        b"unverified" in croft.run("cilk5/queens", arguments=["--size", "4", "--verify", "none"], machine="io1").output
    )


def test_programs_in_folders_have_names():
    with pytest.raises(croft.UsageError, match="no program of croft is called so; did you mean 'cilk5/matmul'"):
        croft.build("cilk5/mutmal")
    assert croft.build("cilk5/queens").is_file()


@pytest.mark.parametrize("machine", ["tiny-64-mesi", "tiny-64-dnv", "tiny-64-gwt", "tiny-64-gwb", "big-tiny-64-mesi"])
def test_looking_for_stale_loads_changes_no_cycle(machine):
    arguments = ["--size", "7", "--runtime", "shared_deques_flushed"]
    plain, checked = (
        croft.run("cilk5/queens", machine, arguments=arguments, cores=4, check=check) for check in (None, "coherence")
    )
    assert (checked.text, checked.cycles) == (plain.text, plain.cycles)
    assert checked.frame.equals(plain.frame)
