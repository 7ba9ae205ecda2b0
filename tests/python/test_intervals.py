"""Statistics over time: every so many cycles, and of each occurrence of a region."""

import json

import pandas as pd
import pytest

import croft
from commands import call

KEYS = ["part", "index", "name", "unit"]
RUNS = [
    ("cilk5/queens", "o3x4", ["--size", "6", "--grain", "2"]),
    ("threads", "tilepro64", ["9"]),
    ("tasks", "big-tiny-64-gwb", ["default"]),
]


def summed(frame):
    total = frame.groupby(KEYS, sort=True)["value"].sum()
    return total[total != 0].astype("int64")


@pytest.mark.parametrize(("program", "machine", "arguments"), RUNS)
def test_intervals_change_nothing_and_add_up(program, machine, arguments, simulated):
    path = program if "/" in program else simulated(program)
    what = {"arguments": arguments, "cores": min(croft.machine(machine).cores, 16)}
    whole = croft.run(path, machine, **what)
    result = croft.run(path, machine, interval=7_001, **what)
    assert result.frame.equals(whole.frame)
    assert (result.cycles, result.output) == (whole.cycles, whole.output)
    intervals = result.intervals
    counts = pd.DataFrame(result._counts, columns=[*KEYS, "value"])  # of the whole run, whatever its regions
    assert summed(intervals).equals(summed(counts))
    if whole.total("region", "regions") == 0:
        assert summed(counts).equals(summed(whole.frame))
    ends = intervals.drop_duplicates("interval")[["begin", "end"]].to_numpy().tolist()
    assert ends[0] == [0, 7_001]
    assert ends[1] == [7_001, 14_002]
    assert ends[-1][1] == whole.cycles
    assert intervals["interval"].max() == (whole.cycles - 1) // 7_001
    # Nothing is counted twice, and next to nothing taken back.
    steady = intervals[intervals["name"].isin(["instructions", "loads", "messages", "active"])]
    assert (steady["value"] > 0).all()


def test_what_was_not_asked_for_is_not_in_the_result(simulated):
    result = croft.run(simulated("regions"), "tilepro64", arguments=["two"], cores=3)
    assert result.intervals.empty
    assert result.regions.empty
    assert not {"intervals", "regions"} & set(json.loads(result.to_json()))


@pytest.mark.parametrize(("regions", "count"), [("none", 0), ("one", 1), ("two", 2), ("open", 1)])
def test_each_occurrence_of_a_region_is_counted(regions, count, simulated):
    what = {"arguments": [regions], "cores": 3}
    whole = croft.run(simulated("regions"), "tilepro64", **what)
    result = croft.run(simulated("regions"), "tilepro64", regions=True, **what)
    assert result.frame.equals(whole.frame)
    frame = result.regions
    assert len(frame.drop_duplicates(["region", "occurrence"])) == count
    if count == 0:
        return
    assert frame["region"].str.startswith("main:").all()
    assert sorted(frame["occurrence"].unique()) == list(range(count))
    spans = frame.drop_duplicates("occurrence")
    assert int((spans["end"] - spans["begin"]).sum()) == result.total("region", "cycles")
    stores = frame[(frame["part"] == "core") & (frame["name"] == "stores")]
    assert int(stores["value"].sum()) == result.total("core", "stores")


def test_the_command_writes_them_beside_the_statistics(tmp_path, simulated):
    csv, file = tmp_path / "stats.csv", tmp_path / "result.json"
    options = ["-q", "--cores", "3", "--interval", "20000", "--regions", "--csv", csv, "--json", file]
    assert call("run", *options, simulated("regions"), "two").returncode == 0
    assert list(pd.read_csv(csv)) == [*KEYS, "value"]
    intervals, regions = (pd.read_csv(tmp_path / f"stats.{table}.csv") for table in ("intervals", "regions"))
    assert list(intervals) == ["interval", "begin", "end", *KEYS, "value"]
    assert list(regions) == ["region", "occurrence", "begin", "end", *KEYS, "value"]
    content = json.loads(file.read_text())
    assert len(content["intervals"]) == len(intervals)
    assert len(content["regions"]) == len(regions)
