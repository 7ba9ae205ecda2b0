"""Runs of paper 002's kernels are done once and kept; experiments share them."""

import gzip
import json
from pathlib import Path

import pytest

import croft
from croft.base.digest import digest_of
from croft.base.durations import duration_to_wait
from croft.experiments.big_tiny import CONFIGURATIONS, by_kernel
from croft.experiments.bigtiny_speedup import speedups
from croft.experiments.graph_inputs import GraphInput
from croft.experiments.kernel_runs import KernelRun, run_all
from croft.runs.homes import Home
from croft.runs.host_script import HostScript
from croft.runs.spec import OPTIONS, Changes, RunSpec
from croft.sweeps.kept_runs import RunKey, file_digest, program_digest, simulator_digest
from croft.sweeps.many_runs import How
from croft.sweeps.store import RunStore

# A program that does next to nothing stands for a kernel.
PROGRAM = r"""
#include <cstdio>
#include <cstdlib>
#include <cstring>
int main(int argc, char** argv) {
    if (argc > 1 && std::strcmp(argv[1], "fail") == 0) return std::fprintf(stderr, "it will not\n"), 3;
    if (argc > 1 && std::strcmp(argv[1], "silent") == 0) return 0;
    std::FILE* file = argc > 1 ? std::fopen(argv[1], "r") : nullptr;
    std::printf("tiny cycles=%d ok\n", file ? std::fgetc(file) : 42);
}
"""


class Given(GraphInput):
    """A file that is there."""

    def __init__(self, path):
        super().__init__("tiny", str(path))

    def file(self, tell):
        return Path(self.name)


@pytest.fixture
def tiny(tmp_path, monkeypatch):
    """Makes runs of the program above, whose results are kept in a folder of this test's."""
    monkeypatch.setattr("croft.sweeps.store.cache_folder", lambda: tmp_path / "cache")
    source = tmp_path / "tiny.cpp"
    source.write_text(PROGRAM)

    def make(*arguments, **options):
        return KernelRun("tiny", "serial", "quick", str(source), "io1", arguments, **options)

    return make


def test_a_run_is_done_once(tiny):
    said = []
    first = run_all("e", [tiny(), tiny()], How(jobs=1, tell=said.append))
    assert [outcome.line["cycles"] for outcome in first] == [42, 42]
    assert first[0].kept is first[1].kept
    assert not first[0].again
    built, plan = said
    assert built.startswith("building ")
    assert plan == "e: 1 runs to do, 1 at a time, in about 10 s"
    said.clear()
    (again,) = run_all("e", [tiny()], How(tell=said.append))
    assert again.again
    assert again.kept == first[0].kept
    assert again.kept.total("core", "instructions") > 1000
    assert said == ["e: 1 of 1 runs are kept from before (--fresh: do all again)"]
    (fresh,) = run_all("e", [tiny()], How(fresh=True))
    assert not fresh.again
    assert fresh.kept.statistics == again.kept.statistics


def test_what_a_run_depends_on_makes_it_another_one(tiny, tmp_path, monkeypatch):
    text = tmp_path / "data" / "text"
    text.parent.mkdir()
    text.write_text("A")
    run = tiny("/graphs/text", graph=Given(text))
    assert run_all("e", [run], How())[0].line["cycles"] == ord("A")
    text.write_text("B")
    (changed,) = run_all("e", [run], How())
    assert (changed.again, changed.line["cycles"]) == (False, ord("B"))
    program, chip = croft.build(tmp_path / "tiny.cpp"), croft.machine("io1")

    def place(machine=chip, **options):
        return RunKey.of(program, run.program, machine, RunSpec(**{"arguments": ["/graphs/text"]} | options), [text])

    store = RunStore()
    assert store.find(place())
    assert not store.find(place(arguments=["other"]))
    assert not store.find(place(chip.model_copy(update={"clock_mhz": 3000})))
    # Nor is it the run of another simulator; but how long it takes is known.
    monkeypatch.setattr("croft.sweeps.kept_runs.simulator_digest", lambda: "another")
    assert not store.find(place())
    assert store.seconds(place(), store.names()) > 0
    assert store.seconds(place(arguments=["other"]), store.names()) is None


OTHER = {
    "name": "other",
    "arguments": ["other"],
    "cores": 1,
    "directories": ["."],
    "sysroot": ".",
    "strict_system_calls": True,
    "environment": {"A": "1"},
    "seed": 2,
    "max_output": 9,
    "perturb": 3,
    "check": "races",
    "interval": 100,
    "regions": True,
    "links": True,
    "profile": True,
    "trace": 100,
    "trace_from": 1,
    "trace_to": 9,
    "lines": 100,
    "homes": [Home(0, variable="x")],
    "fast_forward": True,
    "host": HostScript([b"x"]),
    "standard_input": 0,
}
"""A value of each option that changes a run's result or its record."""


def test_an_option_is_in_the_key_if_it_changes_what_is_kept(tiny, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = tiny()
    program, chip = croft.build(run.program), croft.machine("io1")

    def key(**options):
        return RunKey.of(program, run.program, chip, RunSpec(**options))

    changing = {name for name, option in OPTIONS.items() if option.changes in (Changes.RESULT, Changes.RECORD)}
    assert changing - {"analyze"} == OTHER.keys()
    assert len({key(), *(key(**{name: value}) for name, value in OTHER.items())}) == len(OTHER) + 1
    others = {"max_cycles": 5, "max_seconds": 5, "memory": 500, "window": 1, "run_ahead": 0}
    for name, value in others.items():
        assert key(**{name: value}).name == key().name
    # What is built here is built to be analyzed, so the program says it; an executable may be run either way.
    assert key(analyze=True) == key() == key(tell=print)
    assert key(max_cycles=5) != key()  # which may end early
    assert RunKey.of(program, str(program), chip, RunSpec(analyze=True)) != RunKey.of(
        program, str(program), chip, RunSpec()
    )


def test_the_keys_of_runs_that_are_kept_stay(tiny, tmp_path):
    """Researchers keep hours of runs: as long as an option is as by default, it leaves the key as it was before it."""
    run = tiny()
    text = tmp_path / "text"
    text.write_text("A")
    program, chip = croft.build(run.program), croft.machine("io1")
    label = json.dumps([run.program, "io1", ["a"]])
    content = [label, program_digest(program), chip.model_dump_json(), [file_digest(text)], simulator_digest()]
    key = RunKey.of(program, run.program, chip, RunSpec(arguments=["a"]), [text])
    assert key.label == digest_of(label.encode())[:16]
    assert key.content == digest_of(json.dumps(content).encode())[:32]


def test_what_is_damaged_is_done_again(tiny, tmp_path):
    run_all("e", [tiny()], How())
    (file,) = (tmp_path / "cache" / "runs").glob("*.json.gz")
    for damaged in (b"", b"no gzip", gzip.compress(b'{"text": 1}'), file.read_bytes()[:100]):
        file.write_bytes(damaged)
        assert not run_all("e", [tiny()], How())[0].again
        assert run_all("e", [tiny()], How())[0].again


def test_one_that_fails_leaves_the_others_alone_and_is_not_kept(tiny):
    said = []
    good, failed, silent = run_all("e", [tiny(), tiny("fail"), tiny("silent")], How(tell=said.append))
    assert good.kept and not good.failed
    assert "status 3: it will not" in failed.failed
    assert "printed no line" in silent.failed
    assert sum("it will not" in sentence for sentence in said) == 1
    assert not run_all("e", [tiny("fail")], How())[0].again


def test_waiting_times_are_round():
    assert [duration_to_wait(seconds) for seconds in (0.2, 61, 600, 7200)] == [
        "1 s",
        "61 s",
        "10 min",
        "2.0 h",
    ]


@pytest.mark.slow("every experiment, with small inputs")
def test_experiments_with_small_inputs_run_and_share_their_runs(monkeypatch, tmp_path):
    monkeypatch.setattr("croft.sweeps.store.cache_folder", lambda: tmp_path)
    few = ("cilk5-mt", "cilk5-nq", "ligra-bfs")
    for module in ("big_tiny", "bigtiny_speedup", "coherence_operations", "time_breakdown"):
        monkeypatch.setattr(f"croft.experiments.{module}.KERNELS", few)
    said = []
    report = croft.experiment("bigtiny_speedup", quick=True, tell=said.append)
    assert report.verdict == "verdict: bigtiny_speedup unscored 0/0 worst=1.000"
    assert not report.measured["failed"].any()
    assert len(report.measured) == len(few) * len(CONFIGURATIONS)
    ours = speedups(report.measured).dropna()
    assert set(ours.index) == set(few)
    assert (ours > 0).all(axis=None)
    assert len(report.write(tmp_path / "out")) == 4
    said.clear()
    for name in ("coherence_operations", "time_breakdown"):
        report = croft.experiment(name, quick=True, tell=said.append)
        assert not report.measured["failed"].any()
    assert all("21 of 21 runs are kept" in sentence for sentence in said)
    assert by_kernel(report.measured, "region_cycles").loc[list(few)].gt(0).all(axis=None)
