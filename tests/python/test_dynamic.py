"""Programs that are linked when they start: their interpreter, and the folder that has it."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

import croft
from croft.base.errors import ProgramError

DEBIAN = Path("/usr/riscv64-linux-gnu")
"""Where Debian's package libc6-riscv64-cross is."""

INTERPRETER = r"""
__asm__(".globl _start\n_start:\n mv a0, sp\n mv s1, sp\n call begin\n mv sp, s1\n jr a0\n");

static long call(long number, long a, long b, long c) {
    register long a0 __asm__("a0") = a, a1 __asm__("a1") = b, a2 __asm__("a2") = c, a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

__attribute__((used)) unsigned long begin(unsigned long* stack) {
    unsigned long* word = stack + 1 + stack[0] + 1;  // behind the arguments
    while (*word) ++word;
    unsigned long base = 0, entry = 0, headers = 0;
    for (++word; word[0]; word += 2) {
        if (word[0] == 7) base = word[1];
        if (word[0] == 9) entry = word[1];
        if (word[0] == 3) headers = word[1];
    }
    unsigned long here;
    __asm__("lla %0, begin" : "=r"(here));  // nobody has relocated a table of addresses
    if (here > base && here - base < 1 << 20 && *(unsigned*)headers != 0) call(64, 1, (long)"links\n", 6);
    return entry;
}
"""
PROGRAM = r"""
__asm__(".globl _start\n_start:\n li a0, 1\n lla a1, text\n li a2, 5\n li a7, 64\n ecall\n"
        " li a0, 7\n li a7, 93\n ecall\ntext: .ascii \"runs\\n\"\n");
"""
CONSOLE = r"""
#include <math.h>
#include <pthread.h>
#include <stdio.h>
static void* root(void* x) { *(double*)x = sqrt(*(double*)x); return 0; }
int main(int count, char** arguments) {
    double x = count + 1;
    pthread_t thread;
    pthread_create(&thread, 0, root, &x);
    pthread_join(thread, 0);
    printf("%s %.6f\n", arguments[1], x);
    return 3;
}
"""


def compiled(folder, name, source, *flags):
    """By the compiler that croft brings: its target has no interpreter of its own."""
    (folder / f"{name}.c").write_text(source)
    command = [sys.executable, "-m", "ziglang", "cc", "-O1", *flags, f"{name}.c", "-o", name]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=120)
    return folder / name


def name_interpreter(program, path):
    """In the place of the header for the processor's attributes. (The compiler's linker would want a library.)"""
    attributes, interpreter, headers_at, header = 0x70000003, 3, 64, 56
    file = bytearray(program.read_bytes())
    text = path.encode() + b"\0"
    for at in range(headers_at, headers_at + file[56] * header, header):
        if int.from_bytes(file[at : at + 4], "little") == attributes:
            struct.pack_into("<IIQQQQQQ", file, at, interpreter, 4, len(file), 0, 0, len(text), len(text), 1)
    program.write_bytes(file + text)


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """A folder with an interpreter, and a program that names it."""
    folder = tmp_path_factory.mktemp("system")
    (folder / "lib").mkdir()
    bare = ("-target", "riscv64-linux-musl", "-nostdlib", "-ffreestanding", "-fno-stack-protector")
    compiled(folder / "lib", "own.so", INTERPRETER, *bare, "-fPIE", "-pie")
    name_interpreter(compiled(folder, "program", PROGRAM, *bare, "-fPIE", "-pie"), "/lib/own.so")
    return folder


def test_the_interpreter_gets_what_linux_gives_it(system):
    result = croft.run(system / "program", "tilepro64", sysroot=str(system))
    assert (result.text, result.exit_status) == ("links\nruns\n", 7)


def test_without_its_system_a_program_is_refused(system, tmp_path):
    with pytest.raises(ProgramError, match=r"is dynamically linked, and sees no /lib/own\.so: .*--sysroot"):
        croft.run(system / "program", "tilepro64")
    with pytest.raises(croft.UsageError, match=r"--sysroot /nowhere: no such directory"):
        croft.run(system / "program", "tilepro64", sysroot="/nowhere")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "own.so").write_bytes(b"\x7fELF" + bytes(100))
    with pytest.raises(ProgramError, match=r"interpreter /lib/own\.so cannot be loaded"):
        croft.run(system / "program", "tilepro64", sysroot=str(tmp_path))


@pytest.mark.skipif(not DEBIAN.exists(), reason="Debian's libc6-riscv64-cross is not installed")
def test_debians_system_links_a_program(tmp_path):
    program = compiled(tmp_path, "console", CONSOLE, "-target", "riscv64-linux-gnu.2.36", "-lm", "-pthread")
    result = croft.run(program, "o3x4", sysroot=str(DEBIAN), arguments=["root"])
    assert (result.text, result.exit_status) == ("root 1.732051\n", 3)
