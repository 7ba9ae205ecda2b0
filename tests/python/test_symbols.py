"""From addresses to names, lines and callers."""

import pickle
import subprocess

import pytest
from elftools.elf.elffile import ELFFile

import croft
from croft.programs import toolchain
from croft.symbols import allocators as allocator_names
from croft.symbols.backtrace import where
from croft.symbols.demangle import demangle, elided, elided_place, without_parameters
from croft.symbols.symbols import Place, Symbols
from program_sources import PROGRAMS, line_of


@pytest.mark.parametrize(
    ("name", "readable"),
    [
        ("main", "main"),
        ("_Z3fooi", "foo"),
        ("_ZN5croft4farm3runEv", "croft::farm::run"),
        ("_ZNK5croft4farm4sizeEv", "croft::farm::size"),
        ("_ZZ4mainENK3$_0clEv", "main::$_0::operator()"),
        ("_Znwm", "operator new"),
        ("_Znonsense", "_Znonsense"),
    ],
)
def test_demangling(name, readable):
    assert demangle(name) == readable


def test_parameters_are_left_out_and_nothing_else():
    assert without_parameters("a::f(int (*)(char), b<c>) const") == "a::f"
    assert without_parameters("a::(anonymous namespace)::f()") == "a::(anonymous namespace)::f"
    assert without_parameters("x::operator()()") == "x::operator()"
    assert without_parameters("plain") == "plain"


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("basic_farm<int, std::vector<int>>::run", "basic_farm<…>::run"),
        ("void croft::run<(lambda at /a/b.hpp:3:4)>", "croft::run<…>"),
        ("croft::x<a>& croft::builder<int>::make<b>", "croft::builder<…>::make<…>"),
        ("(anonymous namespace)::body", "(anonymous namespace)::body"),
        ("f<(croft::a)0>(b<int> const&)::{lambda(x<y>&)#3}::operator()", "f<…>(…)::{lambda(…)#3}::operator()"),
        ("std::optional<int> foo<&S::operator->>", "foo<…>"),
        ("std::operator<<<char>", "std::operator<<<…>"),
        ("x::operator<=><int>", "x::operator<=><…>"),
        ("x<int>::operator bool", "x<…>::operator bool"),
        ("operator new", "operator new"),
        ("main::$_0", "main::$_0"),
        ("_ZZN5croft6detail4lookINS_8policiesEEC1INS", "croft::detail::look<…>"),
        ("_Znonsense", "_Znonsense"),
        ("", ""),
    ],
)
def test_template_arguments_are_elided(name, short):
    assert elided(name) == short


def test_places_are_shortened():
    assert elided_place("slots<int> (/src/include/croft/channel/slot.hpp:103)") == "slots<…> (slot.hpp:103)"
    assert elided_place("(anonymous namespace)::f<int>") == "(anonymous namespace)::f<…>"
    assert elided_place("main (a.cpp:3)") == "main (a.cpp:3)"


@pytest.fixture(scope="module")
def program():
    return croft.build(PROGRAMS / "deadlock.cpp").read_bytes()


def address_of(program, name):
    import io

    table = ELFFile(io.BytesIO(program)).get_section_by_name(".symtab")
    return next(symbol["st_value"] for symbol in table.iter_symbols() if symbol.name == name)


def test_functions_and_lines(program):
    symbols = Symbols(program)
    main = address_of(program, "main")
    assert symbols.function(main) == "main"
    (place,) = symbols.places(main)
    assert symbols.places_of([main, 0x10, main]) == {main: (place,), 0x10: (Place("0x10"),)}
    assert pickle.loads(pickle.dumps(symbols)).places(main) == (place,)
    assert (place.function, place.line) == ("main", line_of("deadlock.cpp", r"^int main"))
    assert place.file.endswith("tests/programs/deadlock.cpp")
    assert not place.of_toolchain
    assert symbols.function(0x10) == "0x10"
    assert symbols.places(0x10) == (Place("0x10"),)


def test_the_librarys_allocators_have_the_names_that_the_recorder_looks_for(tmp_path):
    source = tmp_path / "allocates.cpp"
    source.write_text("""#include <croft/memory/homed_lines.hpp>
        void* (*volatile of_lines)(std::size_t, int) = &croft::detail::allocate_lines;
        int main() { return of_lines(1, 0) == nullptr; }""")
    there = {name for _, _, name in Symbols.of(croft.build(source).read_bytes()).functions()}
    of_croft = {name for name in allocator_names._NAMES if name.startswith("_ZN5croft")}
    assert len(of_croft) == 2
    assert of_croft <= there


def test_a_static_pie_has_names_lines_and_callers(tmp_path):
    source = tmp_path / "trap.c"
    source.write_text(
        'void inner(int *at) { *at = 1; __asm__ volatile("unimp"); }\n'
        "void outer(int *at) { inner(at); ++*at; }\n"
        "void _start(void) { int here; outer(&here); }\n"
    )
    tools = toolchain.simulated("c")
    flags = [flag for flag in tools.flags if flag != "-static"]
    command = [
        *tools.command,
        *flags,
        "-O0",
        "-fPIE",
        "-static-pie",
        "-fno-sanitize=undefined",
        "-nostdlib",
        "-Wl,--eh-frame-hdr",
    ]
    program = tmp_path / "trap"
    subprocess.run([*command, source, "-o", program], cwd=tools.folder, env=tools.environment, check=True)
    elf = program.read_bytes()
    symbols = Symbols(elf)
    assert symbols.moved == 1 << 30
    result = croft.run(program)
    assert result.ending == "fault"
    (thread,) = result.threads
    places = thread.calls
    assert [(place.function, place.line) for place in places] == [("inner", 1), ("outer", 2), ("_start", 3)]
    assert symbols.function(0x10) == "0x10"


def test_a_program_without_symbols_still_gets_addresses():
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00\xf3\x00\x01\x00\x00\x00" + bytes(28)
    symbols = Symbols(header + b"\x40\x00\x38\x00\x00\x00\x40\x00\x00\x00\x00\x00")
    assert symbols.places(0x1234) == (Place("0x1234"),)


def test_a_deadlock_has_its_whole_chain_of_calls(program):
    result = croft.run(PROGRAMS / "deadlock.cpp", cores=3)
    calls = {thread.thread: [place.function for place in thread.calls] for thread in result.threads}
    assert calls[1][-1] == "_start" or "main" in calls[1]
    for thread in (2, 3):
        assert "take_both" in calls[thread]
        assert calls[thread].index("take_both") > 1


def test_the_users_code_is_preferred():
    library = Place("futex", "/x/ziglang/lib/libc/musl/futex.c", 3)
    mine = Place("work", "/home/me/work.cpp", 4)
    assert where([library, mine]) == mine
    assert where([library]) == library
    assert where([Place("0x10"), library]) == Place("0x10")
