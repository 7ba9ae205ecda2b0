"""Hierarchies of caches that a machine file alone describes."""

import pytest
from typer.testing import CliRunner

import croft
from croft.base.errors import MachineError
from croft.cli.app import app
from mixed_machines import runs_alike

CLUSTERS = """\
based_on = "tiny-64-mesi"
name = "clusters"
cores = 16
shared = false
[tiny]
count = 16
[network]
columns = 4
rows = 4
[[level]]
name = "l2"
shared_by = 4
size = 16384
ways = 4
service = 6
[[level]]
name = "l3"
shared_by = "all"
size = 65536
ways = 8
slices = 4
service = 10
"""
OWN_AND_SHARED = """\
based_on = "big-tiny-64-gwb"
name = "own-and-shared"
shared = false
[[level]]
name = "l2"
shared_by = 1
size = 8192
ways = 4
service = 4
[[level]]
name = "l3"
shared_by = "all"
size = 65536
ways = 8
slices = 8
service = 10
"""
BEFORE_BANKS = """\
based_on = "big-tiny-64-dnv"
name = "before-banks"
[tiny.l2]
size = 4096
line = 64
ways = 2
hit = 5
store = 2
[[level]]
name = "cluster"
shared_by = 8
size = 65536
ways = 8
service = 6
"""


@pytest.fixture
def machine(tmp_path):
    def made(text):
        path = tmp_path / "levels.toml"
        path.write_text(text)
        return croft.machine(path)

    return made


@pytest.mark.slow_cases(r"coherence_stress|-before", "the same under another load; the first of each stays")
@pytest.mark.parametrize("text", [CLUSTERS, OWN_AND_SHARED, BEFORE_BANKS], ids=("clusters", "own", "before"))
@pytest.mark.parametrize(
    ("program", "arguments", "cores"),
    [("tasks", ["default"], 8), ("mutex", ["7"], 8), ("coherence_stress", ["16", "20", "2"], 16)],
)
def test_programs_run_alike_however_far_cores_run_ahead(program, arguments, cores, text, machine, simulated):
    chip = machine(text)
    runs = runs_alike(simulated(program), chip, arguments, cores)
    assert {run.exit_code for run in runs} == {0}
    assert {run.text for run in runs} == {runs[0].text}


def test_each_level_has_statistics_of_its_name(machine, simulated):
    result = croft.run(simulated("mutex"), machine(CLUSTERS), arguments=["7"], cores=8)
    frame = result.frame
    assert {row.part: frame[frame.part == row.part]["index"].nunique() for row in frame.itertuples()}["l2"] == 4
    assert set(frame[frame.part == "l3"]["index"]) == {0, 1, 2, 3}
    # A level asks the next for each line that misses, and for each copy that is to be written.
    assert result.total("l2", "misses") == result.total("l3", "reads") + result.total("l3", "owns")
    assert result.total("l3", "memory_reads") == result.total("l3", "misses") == result.total("memory", "reads")


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (
            CLUSTERS,
            ["l1d 4 KiB (mesi) -> l2 16 KiB, one for 4 tiles -> l3 4 x 64 KiB for all -> memory behind 4 controllers"],
        ),
        (
            BEFORE_BANKS,
            [
                "big: l1d 64 KiB (mesi) -> cluster 64 KiB, one for 8 tiles -> 8 banks of 512 KiB for all -> memory ",
                "tiny: l1d 4 KiB (denovo_line) -> l2 4 KiB, one for each tile -> cluster 64 KiB, one for 8 tiles -> 8 ",
            ],
        ),
        ('based_on = "tilepro64"\n', ["l1d 8 KiB (ddc) -> l2 64 KiB, the home of its share of the lines -> memory"]),
    ],
    ids=("clusters", "before", "tiles"),
)
def test_the_check_tells_what_an_access_meets_on_its_way(text, ways, tmp_path):
    (tmp_path / "mine.toml").write_text(text)
    shown = CliRunner().invoke(app, ["machines", "--check", str(tmp_path / "mine.toml")])
    assert shown.exit_code == 0
    for way, line in zip(ways, shown.output.splitlines()[1:], strict=True):
        assert way in line


def test_owners_answer_requests_themselves_where_the_file_says_so(machine, simulated):
    runs = [
        croft.run(simulated("mutex"), machine(CLUSTERS.replace("service", who + "service")), arguments=["7"], cores=8)
        for who in ("", 'answers = "owner"\n')
    ]
    assert runs[1].cycles < runs[0].cycles
    assert runs[1].total("l2", "by_owners") + runs[1].total("l3", "by_owners") > 100
    assert "by_owners" not in set(runs[0].frame["name"])


def test_a_store_at_the_last_level_takes_as_long_as_the_file_says(machine, simulated):
    text = 'based_on = "tiny-64-gwt"\nshared = false\n' + LAST.format("l2")
    cycles = {
        store: croft.run(simulated("mutex"), machine(text + f"store = {store}\n"), arguments=["7"], cores=1).cycles
        for store in (0, 50)
    }
    assert cycles[50] > cycles[0]


LEVEL = '[[level]]\nname = "l2"\nshared_by = {}\nsize = 16384\nways = 4\nservice = 6\n'
LAST = '[[level]]\nname = "{}"\nshared_by = "all"\nsize = 65536\nways = 8\nservice = 10\n'


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LEVEL.format(4), '`level` needs a last one with shared_by = "all", or `shared` behind it'),
        (LEVEL.format(3) + LAST.format("l3"), "`level[0].shared_by` (3) must divide the 64 tiles"),
        (
            LEVEL.format(8) + LEVEL.format(4).replace("l2", "l3") + LAST.format("l4"),
            "`level[1].shared_by` (4) must be a multiple of the 8 of the level before it, so that each cache has one",
        ),
        (LAST.format("l2") + LAST.format("l3"), '`level[0].shared_by` = "all" is for the last level alone'),
        (LEVEL.format(4) + LAST.format("l2"), "`level[1].name` ('l2') is taken: its statistics could not be told"),
        (LAST.format("core"), "`level[0].name` ('core') is taken: its statistics could not be told from others"),
        (LAST.format("window"), "`level[0].name` ('window') is taken: its statistics could not be told from others"),
        (LAST.format("l2") + 'protocol = "moesi"\n', "`level[0].protocol` has no meaning for the last level"),
        (LAST.format("l2") + 'slices = 4\nat = "corners"\n', "`level[0].slices` has no meaning beside `at`, which"),
        (
            LEVEL.format(4) + "slices = 5\n" + LAST.format("l3"),
            "`level[0].slices` (5) are more than the 4 tiles at which",
        ),
        (LEVEL.format(4) + 'at = "top"\n' + LAST.format("l3"), '`level[0].at` needs shared_by = "all": a cache'),
        (
            LEVEL.format(4) + 'sliced_by = "controller"\n' + LAST.format("l3"),
            '`level[0].sliced_by` = "controller" needs shared_by = "all": memory is behind the last level',
        ),
        (
            LAST.format("l2") + 'slices = 4\nsliced_by = "controller"\n',
            '`level[0].sliced_by` = "controller" says how many slices there are and where: `slices` has no meaning',
        ),
        (LAST.format("l2") + 'memory = "first"\n', '`level[0].memory` = "first" needs inclusion = "filter"'),
        (
            LEVEL.format('"most"') + LAST.format("l3"),
            "`level[0].shared_by` = 'most': it should be an integer from 1 to 1,024, or \"all\"",
        ),
        (
            LAST.format("l2").replace("ways = 8", "ways = 5"),
            "`level[0].size` (65536) must be a multiple of line x ways",
        ),
        (LAST.format("l2") + "at = [{ column = 8, row = 0 }]\n", "(column 8, row 0) is outside the 8 x 8 mesh"),
    ],
)
def test_what_is_impossible_is_told_in_one_sentence(text, sentence, machine):
    with pytest.raises(MachineError) as error:
        machine('based_on = "tiny-64-mesi"\nshared = false\n' + text)
    assert sentence in str(error.value).splitlines()[0]


def test_owners_can_answer_only_where_there_are_owners(machine):
    with pytest.raises(MachineError) as error:
        machine('based_on = "tiny-64-gwt"\n[shared]\nanswers = "owner"\n')
    assert '`shared.answers` = "owner" has no meaning: none of the L1s before it owns' in str(error.value)


@pytest.mark.parametrize("base", ["tilepro64", "big-tiny-64-mesi"])
def test_levels_need_a_home_that_they_can_stand_before(base, machine):
    with pytest.raises(MachineError) as error:
        machine(f'based_on = "{base}"\n' + LEVEL.format(4) + LAST.format("l3"))
    expected = {
        "tilepro64": "`level` has no meaning beside protocol 'ddc'",
        "big-tiny-64-mesi": '`level[1].shared_by` = "all" is for the last level alone, which is `shared`',
    }
    assert expected[base] in str(error.value)
