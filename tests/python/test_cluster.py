"""Runs on a Dask cluster of two worker processes: what they come to is what they come to here, whoever is killed."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest

import croft
from commands import CROFT
from croft.sweeps.executors import MEMORY, pool_on

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.xdist_group("cluster"), pytest.mark.slow("starts the processes of a cluster")]

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>
int main(int count, char** with) {
    long sum = 0;
    for (volatile long i = 0; i < 1000L * atoi(with[1]); ++i) sum += i;
    return printf("sums sum=%ld\n", sum) < 0;
}
"""


@pytest.fixture(scope="module")
def cluster():
    options = {"threads_per_worker": 1, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=2, **options) as running:
        yield running


@pytest.fixture
def sums(tmp_path, monkeypatch):
    monkeypatch.setenv("CROFT_STORE", str(tmp_path / "store"))
    source = tmp_path / "sums.c"
    source.write_text(PROGRAM)
    return lambda *each: [croft.Point(str(source), (str(number),), {"given": number}) for number in each]


def test_workers_come_to_what_this_process_comes_to(cluster, sums, tmp_path):
    points = sums(1, 2, 3, 40)
    there = croft.sweep(points, "io1", on=cluster.scheduler_address, store=str(tmp_path / "there"))
    pd.testing.assert_frame_equal(there, croft.sweep(points, "io1"))


def test_a_worker_that_is_killed_costs_nothing_but_time(cluster, sums):
    points = sums(*range(20_000, 20_006))
    address = cluster.scheduler_address

    def kill():
        time.sleep(1.0)
        with distributed.Client(address) as client:
            pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    there = croft.sweep(points, "io1", on=address)
    killer.join()
    assert there["error"].eq("").all()
    pd.testing.assert_frame_equal(there, croft.sweep(points, "io1", store="memory://here"))


def test_an_experiment_goes_on_after_its_client_was_killed(cluster, tmp_path):
    store = tmp_path / "store"
    command = [*CROFT, "experiment", "pingpong", "--quick", "--store", store]
    remote = [*command, "--on", cluster.scheduler_address]
    client = subprocess.Popen(remote, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while client.poll() is None and len(list(store.glob("*.gz"))) < 3:
        time.sleep(0.01)
    client.kill()
    client.wait()
    kept = len(list(store.glob("*.gz")))
    assert 3 <= kept < 38
    again = subprocess.run([*remote, "--out", tmp_path / "there"], capture_output=True, text=True)
    assert f"pingpong: {kept} of 38 runs are kept from before" in again.stderr
    assert f"pingpong: {38 - kept} runs to do" in again.stderr
    command[-1] = tmp_path / "other"
    assert subprocess.run([*command, "--out", tmp_path / "here"], capture_output=True).returncode == 0
    for file in ("pingpong.csv", "pingpong-runs.csv"):
        assert (tmp_path / "there" / file).read_text() == (tmp_path / "here" / file).read_text()


def test_a_failure_there_is_a_row_here(cluster, sums, tmp_path):
    source = tmp_path / "fails.c"
    source.write_text('#include <stdio.h>\nint main() { fputs("no\\n", stderr); return 4; }\n')
    table = croft.sweep([croft.Point(str(source)), *sums(1)], "io1", on=cluster.scheduler_address)
    assert table["error"][0].endswith("status 4: no")
    assert table["error"][1] == ""


def test_a_worker_of_another_build_is_refused(cluster, sums):
    address = cluster.scheduler_address

    def another():
        from croft.sweeps import kept_runs

        kept_runs.true_digest = kept_runs.simulator_digest
        kept_runs.simulator_digest = lambda: "f" * 64

    def back():
        from croft.sweeps import kept_runs

        kept_runs.simulator_digest = kept_runs.true_digest

    with distributed.Client(address) as client:
        client.run(another)
        try:
            with pytest.raises(
                croft.UsageError, match=r"the worker tcp.* has the build ffffffffffff of the simulator, "
            ):
                croft.sweep(sums(1), "io1", on=address)
        finally:
            client.run(back)


@pytest.mark.parametrize(
    ("on", "sentence"),
    [
        ("tcp://127.0.0.1:9", "--on tcp://127.0.0.1:9: no Dask scheduler answers there ("),
        ("nowhere.json", "--on nowhere.json: no such scheduler file"),
        ("nowhere", "--on nowhere: it should be dask, a scheduler's address"),
    ],
)
def test_no_scheduler_is_one_sentence(on, sentence, sums, monkeypatch):
    monkeypatch.setattr("croft.sweeps.executors.ANSWER", 2)
    with pytest.raises(croft.UsageError) as caught:
        croft.sweep(sums(1), "io1", on=on)
    assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize(
    ("kind", "words"), [("slurm", ("#SBATCH -A lab", "--mem=15G")), ("pbs", ("#PBS -A lab", "ncpus=4"))]
)
def test_the_example_asks_a_batch_system_for_workers(kind, words, tmp_path):
    example = Path(croft.__file__).resolve().parents[2] / "examples" / "cluster" / "jobs.py"
    options = ["--cores", "4", "--memory", "16GB", "--account", "lab", "--queue", "short", "--dry-run"]
    answer = subprocess.run([sys.executable, example, kind, *options], capture_output=True, text=True, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    for word in (*words, "--nthreads 1", "--nworkers 4", "--resources croft_memory=3814"):
        assert word in answer.stdout


def test_workers_of_this_host_declare_their_memory():
    with pool_on("dask", jobs=1) as pool:
        (worker,) = pool.client.scheduler_info()["workers"].values()
        assert worker["resources"][MEMORY] > 100
        assert pool.jobs == 1
        assert pool.submit(1 << 20, os.getpid).result() != os.getpid()
