"""Every command and every number of docs/seeing.md."""

import json
import os
import re
import shlex
import shutil

import pandas as pd
import pytest

from code_blocks import ROOT
from commands import call
from croft.reports.findings import findings
from croft.reports.run_data import RunData

SLOW = pytest.mark.slow("every command of the page, and every cell of its table")

PAGE = (ROOT / "docs" / "seeing.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^    (croft .*)$", PAGE, re.MULTILINE)
ROWS = re.findall(r"^\| (\w+\.cpp) \| (.*) \|$", PAGE, re.MULTILINE)
WORKERS = (1, 2, 4, 8, 16, 32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    copy = tmp_path_factory.mktemp("seeing") / "seeing"
    shutil.copytree(ROOT / "docs" / "seeing", copy)
    return copy


@pytest.fixture(scope="module")
def printed(folder):
    """What each of the commands prints, carried out in the order of the page."""
    said = {}
    for command in COMMANDS:
        _, *arguments = shlex.split(command)
        ran = call(*arguments, cwd=folder, env=os.environ | {"CROFT_STORE": str(folder / "kept")})
        assert ran.returncode == 0, f"{command}: {ran.stderr}"
        said[command] = ran.stdout + ran.stderr
    return said


@SLOW
def test_every_command_runs(printed):
    assert len(printed) == len(COMMANDS) == 18


TABLE = {
    (program, workers): int(cycles.replace(",", ""))
    for program, row in ROWS
    for workers, cycles in zip(WORKERS, row.split(" | "), strict=True)
}


@SLOW
def test_the_sweep_comes_to_every_cycle_of_the_table(folder, printed):
    swept = pd.read_parquet(folder / "workers")
    assert dict(zip(zip(swept["program"], swept["workers"], strict=True), swept["run_cycles"], strict=True)) == TABLE
    assert (folder / "workers.svg").stat().st_size > 0


@SLOW
@pytest.mark.parametrize("program", ["packets.cpp", "batched.cpp"])
def test_longer_ways_cost_what_the_page_says(program, printed):
    (longer,) = re.findall(rf"`{program}`\s(?:takes )?(\d+%)", PAGE)
    cycles = re.search(r"after ([\d,]+) cycles", printed[f"croft run {program} -m far.toml -- 16"])[1]
    assert f"{int(cycles.replace(',', '')) / TABLE[program, 16] - 1:.0%}" == longer


@SLOW
def test_what_the_lines_say(printed):
    (said,) = (text for command, text in printed.items() if command.startswith("croft lines"))
    assert re.search(r"emitter to 16 workers.*wait_line 95%", said)
    assert " 0.04 " in said


@SLOW
def test_the_page_says_what_the_reports_say(folder, printed):
    said = {
        name: [each.sentence for each in findings(RunData(json.loads((folder / f"{name}.json").read_text())))]
        for name in ("packets", "checked", "batched")
    }
    (quoted,) = re.findall(r"^> (.*)$", PAGE, re.MULTILINE)
    assert said["packets"][0].startswith(quoted)
    (share,) = re.findall(r"The emitter limits again, with (\d+%) now", PAGE)
    assert f"The emitter (core 0) limits: 16 workers wait for it for {share}" in said["checked"][0]
    assert not any("limits" in sentence for sentence in said["batched"])
    assert "85% executing instructions" in said["batched"][-1]


@SLOW
def test_what_core_0_does(printed):
    of_packets, of_checked = (text for command, text in printed.items() if command.startswith("croft profile"))
    assert "is_intact" in of_packets
    assert "operator()" in of_packets
    assert "is_intact" not in of_checked


def test_the_pieces_are_those_of_the_files(folder):
    def bare(text):
        return "".join(text.split())

    blocks = re.findall(r"^```(?:cpp|toml)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    for block, name in zip(blocks, ("checked.cpp", "batched.cpp", "workers.toml", "far.toml"), strict=True):
        assert bare(block) in bare((folder / name).read_text())
