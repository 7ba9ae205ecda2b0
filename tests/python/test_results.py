"""What a run gives back: text, frames, JSON."""

import json

import pytest

import croft
from croft.results.tables import headline, statistics_tables, threads_table, totals


def test_surroundings(simulated, tmp_path):
    given = tmp_path / "input"
    given.write_text("one\ntwo\n")
    with given.open() as file:
        result = croft.run(
            simulated("surroundings"),
            name="surroundings",
            cores=8,
            arguments=["a b", ""],
            environment={"COLOUR": "green"},
            standard_input=file.fileno(),
        )
    lines = result.text.splitlines()
    assert lines[:3] == ["argument surroundings", "argument a b", "argument "]
    assert lines[3:6] == ["COLOUR green, HOME unset", "input one", "input two"]
    assert lines[7] == "cores 8"
    assert result.errors == b"this goes to standard error\n"
    assert (result.ending, result.exit_code, result.exit_status) == ("exited", 7, 7)


def test_the_frame_adds_up(simulated):
    result = croft.run(simulated("threads"), cores=4, arguments=["3"])
    frame = result.frame
    assert list(frame.columns) == ["part", "index", "name", "unit", "value"]
    assert not frame.duplicated(["part", "index", "name"]).any()
    assert result.total("core", "instructions") == result.instructions > 3000
    assert result.total("nothing", "instructions") == 0
    assert set(frame.loc[frame["part"] == "core", "index"]) == {0, 1, 2, 3}
    busy = frame[(frame["part"] == "core") & (frame["name"] == "active")]
    assert busy["value"].max() <= result.cycles
    assert result.seconds == result.cycles / 866e6


def test_json_is_the_frame_and_the_machine(simulated):
    result = croft.run(simulated("threads"), cores=4, arguments=["3"])
    content = json.loads(result.to_json())
    assert content["cycles"] == result.cycles
    assert content["machine"]["name"] == "tilepro64"
    assert content["arguments"] == ["3"]
    assert len(content["statistics"]) == len(result.frame)
    assert croft.Machine.model_validate(content["machine"]) == result.machine
    assert content["output"] == result.text
    assert content["errors"] == ""
    assert "coherence" not in content


@pytest.mark.slow("builds a co-processor")
def test_json_holds_what_was_printed_found_and_given_back(simulated):
    host = croft.HostScript([number.to_bytes(4, "little") for number in range(4)], input_slots=4, output_slots=4)
    heard = []
    result = croft.run(
        simulated("coprocessor"),
        cores=8,
        arguments=["copies"],
        host=host,
        check="coherence",
        output=lambda stream, text: heard.append((stream, text)),
    )
    content = json.loads(result.to_json())
    assert [bytes.fromhex(each["bytes"]) for each in content["host_results"]] == [
        what for _, what in result.host_results
    ]
    assert (content["coherence"]["count"], content["coherence"]["findings"]) == (0, [])
    assert content["output"].encode() == result.output == b"".join(text for stream, text in heard if stream == 1)


def test_reports(simulated):
    result = croft.run(simulated("threads"), cores=4, arguments=["3"])
    assert headline(result).startswith(f"tilepro64: exit status 0 after {result.cycles:,} cycles")
    assert headline(result).endswith("million instructions/s")
    assert headline(result, 1.5).endswith("million instructions/s, and 1.5 s for what else was asked for")
    did_anything = result.frame.loc[result.frame["value"] > 0, "part"].unique()
    assert [table.title.split()[0] for table in statistics_tables(result)] == list(did_anything)
    assert len(did_anything) < result.frame["part"].nunique()
    assert (result.frame["value"] - result.cycles).min() < 0  # signed
    parts = result.frame.groupby(["part", "name"], sort=False)["value"]
    found = {(part, each.name): each for part, rows in totals(result).items() for each in rows}
    assert found["core", "instructions"].total == result.instructions
    assert list(found) == list(parts.groups)
    for key, values in parts:
        each = found[key]
        assert (each.total, each.least, each.most) == (values.sum(), values.min(), values.max())
        assert each.busiest == result.frame["index"][values.idxmax()]
        assert each.mean == pytest.approx(values.mean())
    assert result.to_csv() == result.frame.to_csv(index=False)
    assert threads_table(result).row_count == 0


def test_a_small_machine_runs_too(simulated, small):
    result = croft.run(simulated("threads"), small, arguments=["3"])
    assert result.text.startswith("threads count=3 ")
    assert result.frame.query("part == 'memory'")["index"].nunique() == 2
