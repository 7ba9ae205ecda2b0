"""What the library refuses at compile time, it refuses by one sentence."""

import os
import re
import shutil
import subprocess

import pytest

from croft.base.folders import include_folder

HEAD = """
#include <functional>
#include <optional>
#include <vector>
struct order { explicit order(int n) : number(n) {} int number; };
int main() {
"""

NO_DEFAULT = {
    ("channel", "channel/channel"): "croft::channel<order> c(1); c.send(order(1));",
    ("inbox", "channel/inbox"): "croft::inbox<order> c(1); c.join()->send(order(1)); c.receive();",
    ("many_to_many", "channel/many_to_many"): "croft::many_to_many<order> c(1, 1, 1); c.receive();",
    ("many_to_one", "channel/many_to_one"): "croft::many_to_one<order> c(1, 1); c.receive();",
    ("one_to_many", "channel/one_to_many"): "croft::one_to_many<order> c(1, 1); c.send(order(1));",
    ("request_reply", "channel/request_reply"): "croft::request_reply<order> c; c.call(order(1));",
    ("map", "pattern/map"): """croft::run([] { return std::optional(1); },
        croft::map([](const int& n, croft::share) { return order(n); }, [](order a, order) { return a; }),
        [](order) {});""",
    ("map, parts", "pattern/map"): """croft::run([] { return std::optional(1); },
        croft::map([](int n, croft::share) { return order(n); }), [](order, croft::map_part) {});""",
    ("in place", "pattern/pipeline"): """croft::run([] { return std::optional(1); },
        [](const int& n, order& to) { to = order(n); }, [](order) {});""",
}

SINKS = {
    "farm": ("[] { return std::optional(1); }", "croft::farm(made, {.ordered = true})", "[](int) {}"),
    "farm of a source with numbers": (
        "[](std::size_t) { return std::optional(1); }",
        "croft::farm(made)",
        "[](int) {}",
    ),
    "a sink that would change it": ("[] { return std::optional(1); }", "made", "[](order&) {}"),
}

EITHER = {
    ("parallel_for", "task/parallel_for"): "croft::parallel_for(0, 100000, [](int, int step = 1) { (void)step; });",
    (
        "parallel_for until a stop",
        "task/parallel_for",
    ): """croft::parallel_for(0, 10, [](int, int step = 1) { (void)step; },
        std::stop_token());""",
    ("parallel_for, an interval's", "task/parallel_for"): "croft::parallel_for(0, 10, [](int, int) {});",
    (
        "parallel_reduce",
        "task/parallel_reduce",
    ): """croft::parallel_reduce(0, 10, 0L, [](int i, int = 0, long = 0) { return long{i}; },
        std::plus<>());""",
    (
        "parallel_reduce, an interval's",
        "task/parallel_reduce",
    ): """croft::parallel_reduce(0, 10, 0L, [](int, int, long all) { return all; },
        std::plus<>());""",
}


def errors_of(header: str, body: str, tmp_path) -> list[str]:
    return said_of(header, body, tmp_path)[0]


def said_of(header: str, body: str, tmp_path) -> tuple[list[str], str]:
    """The errors, and all that the compiler says."""
    compiler = shutil.which(os.environ.get("CXX", "g++"))
    if not compiler:
        pytest.skip("no compiler")
    source = tmp_path / "refused.cpp"
    includes = f"#include <croft/{header}.hpp>\n"
    if header.startswith("pattern"):
        includes += "#include <croft/pattern/run.hpp>\n"
    source.write_text(includes + HEAD + body + "\n}\n")
    done = subprocess.run(
        [compiler, "-std=c++20", "-fsyntax-only", "-I", str(include_folder()), str(source)],
        capture_output=True,
        text=True,
    )
    return [line for line in done.stderr.splitlines() if "error:" in line], done.stderr


@pytest.mark.slow("compiles nine programs")
@pytest.mark.parametrize(("which", "header"), NO_DEFAULT)
def test_types_without_a_default_constructor(which: str, header: str, tmp_path) -> None:
    errors = errors_of(header, NO_DEFAULT[which, header], tmp_path)
    assert len(errors) == 1, errors
    assert "default constructor" in errors[0]


@pytest.mark.slow("compiles three programs")
@pytest.mark.parametrize("which", SINKS)
def test_sinks_that_cannot_take_what_is_made(which: str, tmp_path) -> None:
    source, pattern, sink = SINKS[which]
    body = f"auto made = [](int n) {{ return order(n); }}; croft::run({source}, {pattern}, {sink});"
    errors, all_said = said_of("pattern/farm", body, tmp_path)
    assert len(errors) == 1, errors
    assert "the sink cannot take what the pattern makes" in errors[0]
    assert re.search(r"require_sink<.*lambda.*, order>", all_said)


@pytest.mark.slow("compiles five programs")
@pytest.mark.parametrize(("which", "header"), EITHER)
def test_bodies_that_could_be_of_steps_or_of_intervals(which: str, header: str, tmp_path) -> None:
    errors = errors_of(header, EITHER[which, header], tmp_path)
    assert len(errors) == 1, errors
    assert "_intervals" in errors[0]
