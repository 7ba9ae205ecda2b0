"""``--check races`` tells races of the program from what the C library does not order, which it names."""

import json
import re
import shutil
import subprocess

import pytest

import croft
from commands import call
from croft.symbols.library_names import Site, said_by_names
from croft.symbols.race_sites import race_sites
from croft.symbols.symbols import Symbols
from program_sources import PROGRAMS
from stripped import stripped

UNRELEASED = {"semaphore": ["sem_post"], "barrier": [], "strange": [], "fenced": []}
WAYS = ("semaphore", "barrier", "condition", "read_write", "spinning", "initialised", "allocated", "printed")
LINES = (PROGRAMS / "c_library.c").read_text(encoding="utf-8").splitlines()


def unreleased():
    return croft.build(PROGRAMS / "unreleased_library.cpp", optimise="1")


def checked(program, *arguments):
    result = croft.run(program, "tilepro64", cores=5, arguments=arguments, check="races", max_cycles=20_000_000)
    assert (result.ending, result.exit_code) == ("exited", 0)
    assert "?" not in result.text
    return result


@pytest.mark.parametrize(("case", "functions"), UNRELEASED.items())
def test_what_the_library_does_not_order_is_no_race_of_the_program(case, functions):
    result = checked(unreleased(), case, "right")
    assert [str(race) for race in result.races] == []
    assert (result.race_count, result.exit_status) == (0, 0)
    assert [race.function for race in result.library_races] == functions


def test_it_is_told_once_with_an_example():
    (found,) = checked(unreleased(), "semaphore", "right").library_races
    assert found.count == 1
    (line,) = {place.line for place in found.first.second.places if place.file.endswith("unreleased_library.cpp")}
    assert "result = get(data)" in (PROGRAMS / "unreleased_library.cpp").read_text().splitlines()[line - 1]
    assert re.fullmatch(
        r"the C library's sem_post has to release, but its atomic operation \(0x\w+\) has no \.rl and no fence before "
        r"it: nothing else orders 1 pair of accesses: core \d wrote at .*, then core \d read at .*",
        str(found),
    )


@pytest.mark.parametrize("options", [(), ("-q",)])
def test_croft_run_tells_it_apart_from_races(options, tmp_path):
    file = tmp_path / "result.json"
    command = ["run", *options, "-m", "tilepro64", "--cores", "4", "--check", "races", "--json", file]
    answer = call(*command, unreleased(), "--", "semaphore", "right")
    assert answer.returncode == 0
    said = answer.stderr.splitlines()
    assert said.count("races: 0") == 1
    assert sum("the C library's sem_post has to release" in line for line in said) == (0 if options else 1)
    assert len(said) == (1 if options else 3)
    races = json.loads(file.read_text())["races"]
    assert (races["count"], races["findings"]) == (0, [])
    assert [race["function"] for race in races["library"]] == ["sem_post"]


def test_without_symbols_nobody_knows_whose_it_is(tmp_path):
    result = checked(stripped(unreleased(), tmp_path), "semaphore", "right")
    assert result.race_count > 0
    assert result.library_races == []


class Named(Symbols):
    """Functions of 16 bytes, by their names; only those of `known` have debug information."""

    def __init__(self, *functions, known=()):
        super().__init__(b"")
        self._all, self._known = functions, known

    def functions(self):
        return iter([(16 * n, 16, name) for n, names in enumerate(self._all) for name in names.split()])

    def is_covered(self, address):
        return address // 16 in self._known


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ("__new_sem_post sem_post", Site.RELEASING),
        ("___pthread_rwlock_unlock __pthread_rwlock_unlock pthread_rwlock_unlock", Site.RELEASING),
        ("_int_free", Site.RELEASING),
        ("__new_sem_wait sem_wait", Site.LIBRARY),
        ("_IO_puts puts", Site.LIBRARY),
        ("malloc_consolidate", Site.LIBRARY),
        ("unlink_chunk.constprop.0", Site.LIBRARY),
        ("__atomic_exchange_1 libat_exchange_1", Site.LIBRARY),
        ("_ZNSt6thread4joinEv", Site.UNSURE),
        ("_ZNKSt6locale4nameB5cxx11Ev", Site.UNSURE),
        ("_ZN4mine4workEv", None),
        ("_ZN3std2io5StdinE", None),
        ("_RNvCs1_4mine4work", None),
        ("_GLOBAL__sub_I_main", None),
        ("sem_poster", None),
        ("work", None),
        ("memcpy __memcpy", None),
        ("strlen", None),
        ("__strdup strdup", None),
        ("qsort __qsort", None),
    ],
)
def test_names_say_whose_a_function_is(names, kind):
    assert list(said_by_names(Named("main", names))) == ([(16, 32, kind)] if kind else [])
    assert list(said_by_names(Named("main", names, known=[1]))) == []


def test_programs_of_croft_have_all_their_functions_in_debug_information():
    """But few: names say nothing of a program for which debug information does."""
    elf = croft.build(PROGRAMS / "races.cpp", optimise="1").read_bytes()
    assert Site.RELEASING not in {kind for _, _, kind in race_sites(elf)}


# ---- of a real glibc, where there is a compiler that has one ----


def with_glibc(compiler, source, folder, *options):
    if not shutil.which(compiler):
        pytest.skip(f"no {compiler}")
    program = folder / "program"
    options = [*options, "-O1", "-g", "-static", "-pthread"]
    subprocess.run([compiler, *options, PROGRAMS / source, "-o", program], check=True)
    return program


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    return with_glibc("riscv64-linux-gnu-gcc", "c_library.c", tmp_path_factory.mktemp("glibc"))


@pytest.mark.parametrize("way", WAYS)
def test_a_program_with_glibc_has_no_races_of_glibc(program, way):
    result = checked(program, way, "right")
    assert [str(race) for race in result.races] == []
    assert {race.function for race in result.library_races} <= {"sem_post", "pthread_rwlock_unlock", "_int_free"}


@pytest.mark.parametrize("way", [way for way in WAYS if any(line.endswith(f"// {way}") for line in LINES)])
def test_its_own_races_are_found(program, way):
    result = checked(program, way, "wrong")
    found = {
        place.line
        for race in result.races
        for side in (race.first, race.second)
        for place in side.places
        if place.file.endswith("c_library.c")
    }
    marked = {number for number, line in enumerate(LINES, 1) if line.endswith(f"// {way}")}
    assert result.race_count > 0
    assert marked <= found
    for race in result.races:
        for side in (race.first, race.second):
            assert marked & {place.line for place in side.places}, str(race)


def test_operations_on_bytes_of_libatomic_are_no_accesses_of_their_neighbours(tmp_path):
    program = with_glibc("riscv64-linux-gnu-g++", "own_synchronisation.cpp", tmp_path, "-std=c++20")
    assert [str(race) for race in checked(program, "byte_lock", "right").races] == []
