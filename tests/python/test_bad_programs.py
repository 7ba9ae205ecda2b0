"""Files that are no program for such a machine, and programs that go wrong: one sentence, and where."""

import io
import re
import subprocess
import sys
from random import Random

import pytest
from elftools.elf.elffile import ELFFile

import croft
from croft.base.errors import ProgramError
from program_sources import line_of


def outcome_of(path, content):
    path.write_bytes(content)
    with pytest.raises(ProgramError) as error:
        croft.run(path)
    message = str(error.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


def test_not_an_elf(tmp_path):
    assert "not an ELF" in outcome_of(tmp_path / "text", b"#!/bin/sh\necho hello\n")
    assert "not an ELF" in outcome_of(tmp_path / "empty", b"")


def test_a_truncated_elf(simulated, tmp_path):
    whole = simulated("misaligned").read_bytes()
    for size in (4, 40, 64, 200, 4096):
        assert re.search("truncated|not an ELF|ends", outcome_of(tmp_path / "cut", whole[:size])), size


@pytest.mark.slow("thousands of damaged programs")
def test_damaged_headers_never_crash(simulated, tmp_path):
    whole = bytearray(simulated("misaligned").read_bytes())
    path = tmp_path / "damaged"
    for offset in range(64 + 56 * 8):
        damaged = bytearray(whole)
        damaged[offset] ^= 0xFF
        path.write_bytes(damaged)
        try:
            croft.run(path, cores=1, max_cycles=10_000)
        except ProgramError as error:
            assert str(error).startswith(f"{path}: ")


@pytest.mark.slow("hundreds of damaged files, of which `make fuzz` tries more")
def test_damaged_tables_cost_the_names_and_nothing_else(simulated, tmp_path):
    """Sections and debug information, which only the lab reads: some dozen files with some bytes changed."""
    whole = simulated("deadlock").read_bytes()
    right = croft.run(simulated("deadlock"), name="deadlock", cores=3)
    elf = ELFFile(io.BytesIO(whole))
    places = [range(elf["e_shoff"], len(whole)), range(40, 48), range(58, 64)]
    for name in (".debug_info", ".debug_abbrev", ".debug_line", ".eh_frame", ".symtab", ".strtab"):
        section = elf.get_section_by_name(name)
        places.append(range(section["sh_offset"], section["sh_offset"] + section["sh_size"]))
    loaded = [range(each["p_offset"], each["p_offset"] + each["p_filesz"]) for each in elf.iter_segments("PT_LOAD")]
    random = Random(20)
    path = tmp_path / "damaged"
    for number in range(5 * len(places)):
        damaged = bytearray(whole)
        for _ in range(random.choice((1, 4, 64))):
            at = random.choice(places[number % len(places)])
            if at in range(64) or not any(at in part for part in loaded):
                damaged[at] = random.randrange(256)
        path.write_bytes(damaged)
        result = croft.run(path, name="deadlock", cores=3)
        assert (result.exit_status, result.cycles) == (right.exit_status, right.cycles)
        assert [each.pc for each in result.threads] == [each.pc for each in right.threads]
        assert all(each.calls for each in result.threads)
        result.to_json()


def test_an_x86_elf(tmp_path):
    # The first bytes of any x86-64 program: 64 bits, little endian, ET_EXEC, EM_X86_64.
    header = b"\x7fELF\2\1\1" + bytes(9) + b"\2\0\x3e\0\1\0\0\0" + bytes(40)
    assert re.search("x86-64|RISC-V", outcome_of(tmp_path / "x86", header))


@pytest.mark.slow("lets the compiler build another C library")
def test_a_dynamic_elf(tmp_path):
    source = tmp_path / "plain.c"
    source.write_text("int main(void) { return 0; }\n")
    command = [sys.executable, "-m", "ziglang", "cc", "-target", "riscv64-linux-musl", "-dynamic", "-fPIE", "-pie"]
    subprocess.run([*command, str(source), "-o", str(tmp_path / "dynamic")], check=True)
    assert "dynamic" in outcome_of(tmp_path / "dynamic", (tmp_path / "dynamic").read_bytes())


FAULTS = [
    ("illegal", r"illegal instruction.*0xfe00000b", "illegal"),
    ("read", r"0x3f00001000", "wild_read"),
    ("write", r"0x3f00001000", "wild_write"),
    ("jump", r"0x3f00001000", "wild_jump"),
    ("call", r"io_uring_setup", "unknown_call"),
    ("stack", r"stack overflow: thread 1 has a stack of 8192 KiB.*0x[0-9a-f]+", "deep"),
]


@pytest.mark.parametrize(("what", "message", "function"), FAULTS, ids=[what for what, _, _ in FAULTS])
def test_a_fault_names_function_and_line(what, message, function, simulated):
    result = croft.run(simulated("faults"), arguments=[what], strict_system_calls=True)
    assert result.ending == "fault"
    assert re.search(message, result.message), result.message
    assert "\n" not in result.message
    place = result.threads[0].place
    assert place.function == function
    assert place.file.endswith("faults.cpp")
    first = line_of("faults.cpp", rf"static .*\b{function}\(")
    assert first <= place.line <= first + 4


def test_abort_is_the_programs_own_end(simulated):
    result = croft.run(simulated("faults"), arguments=["abort"])
    assert result.exit_status == 134 or "abort" in result.message


def test_a_deadlock_tells_which_thread_waits_where(simulated):
    result = croft.run(simulated("deadlock"), cores=3, max_cycles=1_000_000_000)
    assert result.ending == "deadlock"
    assert result.exit_status == 121
    assert "deadlock" in result.message
    assert len(result.threads) == 3
    lock, join = line_of("deadlock.cpp", "// deadlock"), line_of("deadlock.cpp", r"one\.join")
    found = sorted((thread.place.function, thread.place.line) for thread in result.threads)
    assert found == [("main", join), ("take_both", lock), ("take_both", lock)]
    assert all("futex" in thread.state for thread in result.threads)


@pytest.mark.slow("fills 64 MiB of a machine's memory, word by word")
def test_a_program_may_not_use_more_memory_than_it_is_given(tmp_path):
    source = tmp_path / "hungry.cpp"
    source.write_text(
        """#include <cstdio>
        #include <cstdlib>
        #include <cstring>
        void* volatile kept;
        int main() {
            std::puts("begun"), std::fflush(stdout);
            for (;;) std::memset(kept = std::malloc(1 << 20), 1, 1 << 20);
        }
        """
    )
    result = croft.run(source, memory=50 << 20, max_cycles=10**9)
    assert (result.ending, result.exit_code, result.exit_status) == ("fault", 137, 123)
    assert result.message == "out of memory: the program has written to more than the 50 MiB that it may use"
    assert result.text == "begun\n"
    assert 10 << 20 < result.total("core", "stores") * 8 < 100 << 20
    assert result.threads[0].calls
    too_little = croft.run(source, memory=4096)
    assert too_little.message.startswith("out of memory")


def test_the_calls_before_a_guard_page_are_told(tmp_path):
    """A stack whose neighbour cannot be read, as that of a thread of glibc."""
    source = tmp_path / "guarded.cpp"
    source.write_text(
        """#include <sys/mman.h>
        #include <thread>
        #include <mutex>
        #include <pthread.h>
        std::mutex mutex;
        [[gnu::noinline]] void inner() { mutex.lock(); asm volatile(""); }
        void* outer(void*) { inner(); return nullptr; }
        int main() {
            mutex.lock();
            constexpr long stack = 64 << 10, page = 4096;
            void* place = mmap(nullptr, stack + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            mprotect(static_cast<char*>(place) + stack, page, PROT_NONE);
            pthread_attr_t attributes;
            pthread_attr_init(&attributes);
            pthread_attr_setstack(&attributes, place, stack);
            pthread_t thread;
            pthread_create(&thread, &attributes, outer, nullptr);
            pthread_join(thread, nullptr);
        }
        """
    )
    result = croft.run(source)
    assert result.ending == "deadlock"
    calls = {call.function for thread in result.threads for call in thread.calls}
    assert {"inner()", "outer(void*)"} <= calls or {"inner", "outer"} <= calls, calls


def test_a_limit_ends_a_run(simulated):
    result = croft.run(simulated("forever"), cores=1, max_cycles=200_000)
    assert (result.ending, result.exit_status) == ("cycle_limit", 122)
    assert "200000" in result.message
    assert 190_000 <= result.cycles <= 210_000
    assert result.text == "started\n"
    assert result.threads[0].place.function == "main"
    assert result.total("core", "instructions") == result.instructions > 10_000


def test_progress_can_end_a_run(simulated):
    seen = []

    def stop_at_the_second(cycles, instructions):
        seen.append((cycles, instructions))
        return len(seen) < 2

    result = croft.run(simulated("forever"), cores=1, progress=stop_at_the_second)
    assert (result.ending, result.exit_status) == ("interrupted", 130)
    assert len(seen) == 2
    assert 0 < seen[0][0] < seen[1][0] <= result.cycles
