"""Native programs that load, unload and are linked with shared objects that use croft, and that get no threads."""

import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow("builds shared objects and the programs that load them")

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "tests" / "native"


def compiled(source, output, *flags):
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-pthread", f"-I{ROOT / 'include'}", SOURCES / source]
    subprocess.run([*command, "-o", output, *flags], check=True)
    return output


def said(*command):
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    return ran.returncode, ran.stdout, ran.stderr


@pytest.fixture(scope="module")
def host(tmp_path_factory):
    return compiled("host.cpp", tmp_path_factory.mktemp("host") / "host", "-ldl")


@pytest.fixture(scope="module")
def plugins(tmp_path_factory):
    """Two with statics of their own, which are unloaded, and two that share theirs, as is usual."""
    folder = tmp_path_factory.mktemp("plugins")
    own = [folder / f"own{i}.so" for i in range(2)]
    shared = [folder / f"shared{i}.so" for i in range(2)]
    compiled("plugin.cpp", own[0], "-shared", "-fPIC", "-fno-gnu-unique")
    compiled("plugin.cpp", shared[0], "-shared", "-fPIC")
    for first, second in (own, shared):
        second.write_bytes(first.read_bytes())
    return own, shared


def test_an_object_with_statics_of_its_own_is_unloaded_and_its_threads_end(host, plugins):
    assert said(host, "reload", plugins[0][0]) == (0, "loaded afterwards: 0 of 20; with threads: 0\n", "")


def test_an_object_whose_statics_may_be_others_too_stays_loaded(host, plugins):
    code, out, errors = said(host, "reload", plugins[1][0])
    assert (code, errors) == (0, "")
    assert out.startswith("loaded afterwards: 20 of 20")


@pytest.mark.parametrize("which", [0, 1])
def test_two_objects_are_used_in_turn_and_one_is_unloaded(host, plugins, which):
    assert said(host, "two", *plugins[which]) == (0, "both worked\n", "")


@pytest.mark.parametrize("which", [0, 1])
def test_a_step_in_an_object_calls_exit(host, plugins, which):
    assert said(host, "exit", plugins[which][0]) == (3, "", "")


def test_a_library_that_is_linked_uses_croft_before_main_and_in_its_step_exit_is_called(tmp_path):
    compiled("plugin.cpp", tmp_path / "libearly.so", "-shared", "-fPIC", "-DEARLY")
    program = compiled("linked.cpp", tmp_path / "linked", f"-L{tmp_path}", "-learly", f"-Wl,-rpath,{tmp_path}")
    for _ in range(5):
        assert said(program) == (3, "1000000\n", "")


def test_who_starts_threads_and_cannot_is_told_and_none_is_left(tmp_path):
    program = compiled("failing_starts.cpp", tmp_path / "failing", "-ldl")
    assert said(program) == (
        0,
        "a start failed: 3 and 3 times\nan allocation failed: several times\nwith 0 threads 1000 steps\n"
        "with 1 threads 1000 steps\n",
        "",
    )
