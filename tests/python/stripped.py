"""Programs without symbols and debug information, whether or not this host has a tool that strips them."""

from pathlib import Path


def without_sections(elf: bytes) -> bytes:
    """The same program without its section headers: nobody finds a table."""
    bare = bytearray(elf)
    bare[40:48], bare[58:64] = bytes(8), bytes(6)
    return bytes(bare)


def stripped(program: Path, folder: Path) -> Path:
    """An executable of it that has none, in a folder."""
    file = folder / "stripped"
    file.write_bytes(without_sections(program.read_bytes()))
    file.chmod(0o755)
    return file
