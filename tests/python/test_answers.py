"""Wrong command lines are answered by one sentence with a way out, and soon."""

import itertools
import resource
import subprocess
import sys

import pytest

import command_lines
from command_lines import MOST_SECONDS, Right
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.names import NAMES

OWN = "a program's own, which stands behind --: croft run PROGRAM --"
ANSWERS = {
    "run pingpong --hops 3": f"croft run has no option --hops; did you mean '--homes', or {OWN} --hops?",
    "run pingpng": "pingpng: no such file, and no program of croft is called so; did you mean 'pingpong'?",
    "run queens": "queens: no such file, and no program of croft is called so; did you mean 'cilk5/queens'?",
    "run tezt.cpp": "tezt.cpp: no such file, and no program of croft is called so; did you mean 'text.cpp'?",
    "run .": ".: that is a directory; name a source file or a program in it",
    "run pingpong -m tilepro46": "no machine is called 'tilepro46'; did you mean 'tilepro64'?",
    "run pingpong -m text": "no machine is called 'text'; did you mean the file 'text.toml'?",
    "run pingpong --machin io1": f"croft run has no option --machin; did you mean '--machine', or {OWN} --machin?",
    "run pingpong --seed x": "croft run, --seed: it should be a valid integer, unable to parse string as an integer; "
    "croft run --help says what it takes",
    "run pingpong --seed": "option '--seed' requires an argument; croft run --help says what it takes",
    "run tiny --max-seconds 0": "--max-seconds 0.0: it should be greater than 0",
    "run tiny --lines l.txt": "l.txt: its name should end in .json, .json.gz or .json.zst",
    "run tiny --json gone/r.json": "gone/r.json: No such file or directory; make the folder gone first",
    "run text.json": "text.json: the program is not an ELF file; croft build SOURCE -o PROGRAM makes one that runs",
    "run cut.elf": "cut.elf: the program is truncated: segment 0 is incomplete; croft build SOURCE -o PROGRAM makes "
    "one that runs",
    "run --restore text.json": "text.json: that is no checkpoint of croft; croft run PROGRAM --checkpoint FILE writes "
    "one",
    "experiment pingpng": "no experiment is called 'pingpng'; did you mean 'pingpong'?",
    "profile pingpong": "pingpong: by its ending that is no profile; croft run PROGRAM --profile pingpong.pb.gz writes "
    "one",
    "report text.cpp": "text.cpp: that is no result of a run; croft run PROGRAM --json text.cpp.json writes one",
    "report gone.json": "gone.json: No such file or directory; croft run PROGRAM --json gone.json writes one",
    "compare text.json": "croft compare needs BEFORE (the same of an earlier run); croft compare --help says what it "
    "takes",
    "build text.cpp": "croft build needs --output (where to write the program); croft build --help says what it takes",
    "machines o3x1 --set network.hopp=3": "o3x1 with --set network.hopp=3: unknown key `network.hopp`; did you mean "
    "`hop`?",
    "machines io1 --set zzz=3": "io1 with --set zzz=3: unknown key `zzz`; `croft machines tilepro64` lists the keys",
    "rnu pingpong": "no such command 'rnu'; did you mean 'run'?",
    "zzz": "no such command 'zzz'; croft --help says what it takes",
    "runs shwo": "no such command 'shwo'; did you mean 'show'?",
}
SWEEPS = {
    "colour = [2, 4]": "unknown key `colour` (known: name, ",
    "design = 'random'\nvary = { x = [1, 2] }": "`samples` is missing: a random design draws so many points",
    "design = 'random'\nsamples = 0": "`samples` = 0: it should be greater than or equal to 1",
    "vary = { hops = [1] }\nplot = { x = 'hop' }": "`plot.x` is 'hop', and there is no such column; did you mean",
    "plot = { xx = 'hop' }": "unknown key `plot.xx` (known: x, y, by)",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    command_lines.prepare(tmp_path, monkeypatch)
    return tmp_path


@pytest.mark.parametrize("line", ANSWERS)
def test_the_answer_says_what_and_where_and_a_way_out(line, folder):
    answer = command_lines.answer(line.split())
    assert (answer.wrong, answer.status) == ("", 2)
    assert answer.text.splitlines()[-1] == f"croft: {ANSWERS[line]}"


def test_a_key_of_kept_runs_that_nothing_begins_with(folder):
    answer = command_lines.answer(["runs", "show", "deadbeef"])
    assert (
        answer.text
        == f"croft: no run of the store {folder}/cache/croft/runs begins with 'deadbeef'; croft runs lists them\n"
    )


@pytest.mark.parametrize("said", SWEEPS)
def test_a_wrong_sweep_is_refused_before_any_run(said, folder):
    (folder / "s.toml").write_text(f"programs = 'pingpong'\n{said}\n")
    answer = command_lines.answer(["sweep", "s.toml", "--plot", "s.svg"])
    assert (answer.wrong, answer.status) == ("", 2)
    assert SWEEPS[said] in answer.text


@pytest.mark.slow("starts Python for each command")
def test_a_wrong_name_takes_no_import_of_what_draws(tmp_path):
    ask = "import sys; from croft.cli.app import main; sys.argv[0] = 'croft'\ntry: main()\nfinally: print(*sys.modules)"
    for line in ("experiment pingpng", "run pingpng", "sweep gone.toml", "--help", "report gone.json"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        command = [sys.executable, "-c", ask, *line.split()]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert not {"matplotlib", "pandas", "numpy"} & set(done.stdout.split()), line
        assert after.ru_utime - before.ru_utime < MOST_SECONDS, line


def test_experiments_are_known_by_name_without_importing_them():
    assert tuple(EXPERIMENTS) == NAMES


@pytest.mark.parametrize("count", [150, pytest.param(2000, marks=pytest.mark.slow("the same at greater length"))])
def test_mutants_of_the_documented_lines(count, folder):
    wrong = []
    for words in command_lines.mutants(seed=count):
        try:
            answer = command_lines.answer(words)
        except Right:
            continue
        wrong.append((answer.wrong, words, answer.text))
        if len(wrong) == count:
            break
    assert not [each for each in wrong if each[0]]


def test_mutants_go_on_for_ever_and_are_the_same_for_a_seed():
    first, second = (list(itertools.islice(command_lines.mutants(3), 50)) for _ in range(2))
    assert first == second
