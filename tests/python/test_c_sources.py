"""Programs in C, and in C and C++ together."""

import subprocess

import pytest

import croft
from commands import call
from croft.programs import toolchain

HELLO = r"""
#define _GNU_SOURCE
#include <stdio.h>
#include <time.h>
#include <pthread.h>
static void *work(void *value) { *(int *)value *= 2; return NULL; }
int main(int argc, char **argv) {
    int class = 21;                       // no C++
    int *new = &class;
    struct timespec at;
    pthread_t thread;
    clock_gettime(CLOCK_MONOTONIC, &at);  // hidden by plain C17
    pthread_create(&thread, NULL, work, new);
    pthread_join(thread, NULL);
    printf("%d %ld %d\n", class, __STDC_VERSION__, argc);
    return argc > 1 ? 3 : 0;
}
"""


@pytest.fixture
def hello(tmp_path):
    source = tmp_path / "hello.c"
    source.write_text(HELLO, encoding="utf-8")
    return source


def test_a_c_program_runs_on_a_simulated_machine(hello, tmp_path):
    answer = call("run", hello, "--", "more")
    assert (answer.returncode, answer.stdout) == (3, "42 201710 2\n"), answer.stderr
    assert call("build", hello, "-o", tmp_path / "hello").returncode == 0
    assert croft.run(tmp_path / "hello", "io1", cores=1).text == "42 201710 1\n"  # main lends its core
    assert croft.run(hello, name="hello").text == "42 201710 1\n"


def test_a_c_program_runs_here(hello, tmp_path):
    program = croft.build(hello, native=True, output=tmp_path / "hello")
    assert subprocess.run([program], capture_output=True, text=True).stdout == "42 201710 1\n"
    program = croft.build(hello, native=True, compiler="c++")  # which would take it for C++
    assert subprocess.run([program], capture_output=True, text=True).stdout == "42 201710 1\n"


def test_c_and_cpp_in_one_program(tmp_path):
    (tmp_path / "half.c").write_text("int half(int number) { int class = number; return class / 2; }\n")
    main = '#include <iostream>\nextern "C" int half(int);\nint main() { std::cout << half(42) << "\\n"; }\n'
    (tmp_path / "main.cpp").write_text(main)
    sources = [tmp_path / "half.c", tmp_path / "main.cpp"]
    assert croft.run(croft.build(sources, optimise="1"), name="both").text == "21\n"
    native = croft.build(sources, native=True)
    assert subprocess.run([native], capture_output=True, text=True).stdout == "21\n"


def test_what_is_wrong_with_a_c_program_is_told(tmp_path):
    wrong = tmp_path / "wrong.c"
    wrong.write_text("int main(void) { return missing; }\n")
    answer = call("run", wrong)
    assert answer.returncode == 2
    assert answer.stderr.startswith("croft: the compiler failed:\n") or "croft: the compiler failed:" in answer.stderr
    assert "wrong.c:1" in answer.stderr and "missing" in answer.stderr and "Traceback" not in answer.stderr
    with pytest.raises(croft.BuildError, match=r"the native compiler 'no-such-cc' does not run"):
        croft.build(wrong, native=True, compiler="no-such-cc")


def test_the_variable_of_each_language_names_its_compiler(monkeypatch):
    monkeypatch.setenv("CC", "no-such-cc")
    monkeypatch.setenv("CXX", "c++ -v")
    assert toolchain.native().command == ("c++", "-v")
    with pytest.raises(croft.BuildError, match="'no-such-cc' does not run"):
        toolchain.native(language="c")


REGION = r"""
#include <croft/region.h>
#include <stdio.h>
static volatile double sum;
int main(void) {
    for (int i = 0; i < 5000; i++) sum += i;
    long results[4] = {croft_region_begin(), croft_region_begin(), 0, 0};
    for (int i = 0; i < 1000; i++) sum += i;
    results[2] = croft_region_end();
    results[3] = croft_region_end();
    for (int k = 0; k < 4; k++) printf("%d ", results[k] == 0);
    return 0;
}
"""


def test_a_c_program_names_a_region(tmp_path):
    source = tmp_path / "region.c"
    source.write_text(REGION, encoding="utf-8")
    result = croft.run(source, "io1")
    assert (result.text, result.total("region", "regions")) == ("1 0 1 0 ", 1)
    assert 1000 < result.total("region", "cycles") < result.cycles / 3
    answer = subprocess.run([croft.build(source, native=True)], capture_output=True, text=True, check=True)
    assert answer.stdout == "1 1 1 1 "  # it has nothing to say there
