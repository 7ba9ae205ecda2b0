"""What starts the benchmarks, and the table of their aims; what they measure is no test's."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from bench import aims, peer_trees  # noqa: E402


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "bench", *arguments], cwd=ROOT, capture_output=True, text=True)


def test_help_names_every_program() -> None:
    help_text = bench("--help")
    assert help_text.returncode == 0
    for program in (ROOT / "bench").glob("*.cpp"):
        if "int main" in program.read_text(encoding="utf-8") and not program.stem.startswith(("simulator", "launch")):
            assert f"  {program.stem} " in help_text.stdout


def test_unknown_benchmark_is_one_sentence() -> None:
    refused = bench("chanel")
    assert refused.returncode == 1
    assert refused.stderr.startswith("bench: there is no benchmark chanel; there are ")
    assert refused.stderr.count("\n") == 1


def test_unknown_commit_is_one_sentence() -> None:
    command = [sys.executable, "-m", "bench.simulator_before", "no-such-commit"]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (refused.returncode, refused.stderr) == (1, "bench: there is no commit no-such-commit here\n")


def test_a_profile_needs_perf(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench.simulator_profile"]
    alone = subprocess.run(command, cwd=ROOT, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert alone.returncode == 1
    assert alone.stderr == "bench: perf is missing (Debian's linux-perf and binutils have it)\n"


def test_wrong_folder_of_peers_is_one_sentence(tmp_path: Path) -> None:
    nowhere = bench("--peers", str(tmp_path / "nowhere"), "channel")
    assert nowhere.returncode == 1
    assert nowhere.stderr == (
        f"bench: there is no folder {tmp_path / 'nowhere'}, in which other libraries are to be found\n"
    )
    empty = bench("--peers", str(tmp_path), "channel")
    assert empty.returncode == 1
    assert empty.stderr.startswith(f"bench: in {tmp_path} there is none of the libraries looked for: fastflow by ")
    assert empty.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("name", "header", "included_from"),
    [
        ("fastflow", "fastflow-3.1/ff/ff.hpp", "fastflow-3.1"),
        ("lace", "lace/src/lace.h", "lace/src"),
        ("libfork", "libfork/single_header/libfork.hpp", "libfork/single_header"),
        ("libfork", "libfork/include/libfork.hpp", "libfork/include"),
        ("fork_union", "fork_union/include/fork_union.hpp", "fork_union/include"),
        ("citor", "include/citor/thread_pool.h", "include"),  # the folder itself
    ],
)
def test_a_tree_is_found_by_its_header(tmp_path: Path, name: str, header: str, included_from: str) -> None:
    file = tmp_path / header
    file.parent.mkdir(parents=True)
    file.touch()
    assert peer_trees.find(tmp_path) == {name: tmp_path.resolve() / included_from}


def test_table_of_aims(tmp_path: Path) -> None:
    file = tmp_path / "results"
    rows = [
        ("a run of 100 items", "sequential loop", 60),
        ("a run of 100 items", "croft farm", 8_000),
        ("a run of 100 items", "FastFlow farm", 900_000),
        ("a run of 100 items", "oneTBB parallel_pipeline", 10_000),
        ("cores apart", aims.MANY, 26),
        (aims.MANY, "croft farm, 2 threads", 500),
        (aims.MANY, "croft farm, 8 threads", 600),
        (aims.MANY, "oneTBB parallel_pipeline, 2 threads", 1000),
        (aims.MANY, "oneTBB parallel_pipeline, 8 threads", 900),
        (aims.MANY, "oneTBB parallel_pipeline, three stages, 8 threads", 1),
        ("bounced", "one line", 60),
        ("bounced", "two lines", 100),
        ("latency", "8 bytes, croft (the default), K=1024", 90),
        ("latency", "8 bytes, rtrb, K=1024", 180),
        ("latency", "8 bytes, croft, request/reply, a hop", 60),
        (aims.CONVOLUTIONS, "sequential loop", 300),
        (aims.CONVOLUTIONS, "croft farm, as in the README", 165),
    ]
    file.write_text("".join(f"{table}\t{row}\t{value}\n" for table, row, value in rows), encoding="utf-8")
    table = aims.table(aims.read(file)).splitlines()[2:]
    assert table == [
        "| farm of convolutions, two workers, over half the plain loop | x | 1.1 | 1.05 | no | none has it |  |  |  |",
        "| farm, 1 us an item, 8 threads over 2 | x | 1.2 | 1.1 | no | oneTBB parallel_pipeline | 0.9 | 1.33 | 26 ns |",
        "| run of 100 items | us | 8 | 9 | yes | oneTBB parallel_pipeline | 10 | 0.80 |  |",
        "| channel, latency of 8 bytes, over two bounced lines | x | 0.9 | 0.85 | no | rtrb | 1.8 | 0.50 |  |",
        "| request and reply, a hop, over one bounced line | x | 1 | 1 | yes | none has it |  |  |  |",
    ]


def test_without_results_there_is_no_table() -> None:
    assert aims.table({}) == ""


def test_a_row_that_is_no_more_is_told() -> None:
    table = aims.table({("fib", "croft by its new name, threads: 1"): 2.0, ("fib", "Lace, threads: 1"): 2.4})
    assert table.splitlines()[2:] == [
        "| fib, a call, one worker | ns | not measured | 2.4 |  | Lace | 2.4 |  |  |",
        "| fib, a call, two workers | ns | not measured | 1.2 |  | none has it |  |  |  |",
    ]
