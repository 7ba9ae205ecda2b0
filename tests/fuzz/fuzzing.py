"""What the fuzzers share: bounds of time and memory, and programs to begin with."""

import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import atheris

import croft

# As libFuzzer takes them; whoever calls may say others behind them.
BOUNDS = ["-timeout=30", "-rss_limit_mb=1024", "-max_len=400", "-len_control=0", "-print_final_stats=1"]

TINY = "int main() { return 7; }\n"
STUCK = """
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>
std::mutex mutex;
std::condition_variable never;
__attribute__((noinline)) void wait(std::vector<int>& values) {
    std::unique_lock lock(mutex);
    values.push_back(1);
    never.wait(lock);
}
int main() {
    std::vector<int> values;
    std::thread other([&] { wait(values); });
    wait(values);
    other.join();
}
"""


def program(source: str, name: str) -> Path:
    """An executable for simulated machines, of that source."""
    file = Path(tempfile.mkdtemp(prefix="croft-fuzz-"), name)
    file.write_text(source, encoding="utf-8")
    return croft.build(file)


def tiny_program() -> Path:
    """One that ends at once."""
    return program(TINY, "tiny.cpp")


def stuck_program() -> Path:
    """One whose threads wait for ever, with calls to tell, inlined ones among them."""
    return program(STUCK, "stuck.cpp")


def fuzz(one: Callable[[bytes], None]) -> None:
    """Calls ``one`` with ever new bytes. What it raises ends the program, with the input in crash-...."""
    here = Path(os.environ.get("CROFT_FUZZ_FINDINGS", Path.cwd()))
    atheris.Setup([sys.argv[0], *BOUNDS, f"-artifact_prefix={here}/", *sys.argv[1:]], one)
    atheris.Fuzz()
