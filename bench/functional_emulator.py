"""Runs a single-threaded static RISC-V program on QEMU's CPU (the unicorn wheel): a purely functional emulator,
the peer that the simulator's speed is compared with."""

import io
import struct
import time

from elftools.elf.elffile import ELFFile
from unicorn import UC_ARCH_RISCV, UC_HOOK_INTR, UC_MODE_RISCV64, UC_PROT_ALL, Uc
from unicorn import riscv_const as reg

PAGE = 4096
STACK_TOP, STACK_BYTES = 0x3F_0000_0000, 8 << 20
HEAP, HEAP_BYTES = 0x20_0000_0000, 64 << 20
ENOSYS = -38


class FunctionalEmulator:
    """Enough of a Linux process for a compute kernel: memory, standard output, exit. Threads are not among it."""

    def __init__(self, elf: bytes, arguments: list[str]) -> None:
        self.output = b""
        self._heap = HEAP
        self._cpu = Uc(UC_ARCH_RISCV, UC_MODE_RISCV64)
        image = ELFFile(io.BytesIO(elf))
        for segment in image.iter_segments("PT_LOAD"):
            first = segment["p_vaddr"] // PAGE * PAGE
            end = -(-(segment["p_vaddr"] + segment["p_memsz"]) // PAGE) * PAGE
            mapped = [(begin, last) for begin, last, _ in self._cpu.mem_regions()]
            while any(begin <= first <= last for begin, last in mapped) and first < end:
                first += PAGE
            if first < end:
                self._cpu.mem_map(first, end - first, UC_PROT_ALL)
            self._cpu.mem_write(segment["p_vaddr"], segment.data())
        self._cpu.mem_map(HEAP, HEAP_BYTES, UC_PROT_ALL)
        self._cpu.mem_map(STACK_TOP - STACK_BYTES, STACK_BYTES, UC_PROT_ALL)
        self._cpu.reg_write(reg.UC_RISCV_REG_MSTATUS, 1 << 13)  # floating point on
        self._build_stack(image, arguments)
        self._cpu.hook_add(UC_HOOK_INTR, self._trap)
        self._entry = image["e_entry"]

    def run(self) -> float:
        """Runs to the program's exit; returns the seconds it took."""
        started = time.perf_counter()
        self._cpu.emu_start(self._entry, 0)
        return time.perf_counter() - started

    def _build_stack(self, image: ELFFile, arguments: list[str]) -> None:
        strings = b"".join(argument.encode() + b"\0" for argument in arguments)
        base = STACK_TOP - 256 - len(strings)
        self._cpu.mem_write(base, strings)
        pointers, at = [], base
        for argument in arguments:
            pointers.append(at)
            at += len(argument.encode()) + 1
        headers = next(s["p_vaddr"] for s in image.iter_segments("PT_LOAD")) + image["e_phoff"]
        random_bytes = STACK_TOP - 128
        auxiliary = [3, headers, 4, image["e_phentsize"], 5, image["e_phnum"], 6, PAGE, 25, random_bytes, 0, 0]
        block = struct.pack(f"<{1 + len(pointers) + 2 + len(auxiliary)}Q", len(pointers), *pointers, 0, 0, *auxiliary)
        stack = (base - len(block)) // 16 * 16
        self._cpu.mem_write(stack, block)
        self._cpu.reg_write(reg.UC_RISCV_REG_SP, stack)

    def _trap(self, cpu: Uc, cause: int, data: object) -> None:
        if cause != 8:
            raise RuntimeError(f"the program trapped with cause {cause} at {cpu.reg_read(reg.UC_RISCV_REG_PC):#x}")
        number = cpu.reg_read(reg.UC_RISCV_REG_A7)
        _, a1, a2 = (cpu.reg_read(r) for r in (reg.UC_RISCV_REG_A0, reg.UC_RISCV_REG_A1, reg.UC_RISCV_REG_A2))
        result = ENOSYS
        if number in (93, 94):  # exit, exit_group
            cpu.emu_stop()
            return
        if number == 66:  # writev
            result = 0
            for i in range(a2):
                base, length = struct.unpack("<QQ", cpu.mem_read(a1 + 16 * i, 16))
                self.output += bytes(cpu.mem_read(base, length))
                result += length
        elif number == 64:  # write
            self.output += bytes(cpu.mem_read(a1, a2))
            result = a2
        elif number == 222:  # mmap, anonymous
            result = self._heap
            self._heap += -(-a1 // PAGE) * PAGE
        elif number in (96, 99, 135, 226, 215, 233):  # set_tid_address, robust list, signals, mprotect, munmap, madvise
            result = 1 if number == 96 else 0
        elif number == 29:  # ioctl
            result = -25
        cpu.reg_write(reg.UC_RISCV_REG_A0, result & (1 << 64) - 1)
