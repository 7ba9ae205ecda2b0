"""Results as files of JSON, compressed by the ending of the name: .json, .json.gz, .json.zst."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from croft.base.errors import UsageError
from croft.base.extras import require

_ZSTD_LEVEL = 9


def _compress_zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=_ZSTD_LEVEL).compress(content)


def _decompress_zstd(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdDecompressor().decompressobj().decompress(content)


def check_ending(file: Path) -> None:
    """Raises UsageError for a name that ends as another kind of file, or if what compresses it is not installed."""
    if file.suffix not in ("", ".json", ".gz", ".zst"):
        raise UsageError(f"{file}: its name should end in .json, .json.gz or .json.zst")
    if file.suffix == ".zst":
        require(f"{file.name}", "zstandard")


def encode(text: str, file: Path) -> bytes:
    """The text as the bytes of a file of that name; the same bytes for the same text."""
    content = text.encode()
    if file.suffix == ".gz":
        return gzip.compress(content, 6, mtime=0)
    return _compress_zstd(content) if file.suffix == ".zst" else content


def read_json(file: Path, option: str = "--json") -> dict[str, Any]:
    """The object that a file holds, which ``option`` of `croft run` writes. Raises UsageError."""
    if file.suffix == ".zst":
        check_ending(file)
    name = file.name if file.suffix in (".json", ".gz", ".zst") else f"{file.name}.json"
    writes = f"croft run PROGRAM {option} {name} writes one"
    readers: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.decompress, ".zst": _decompress_zstd}
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror or error}; {writes}") from None
    try:
        values = json.loads(readers.get(file.suffix, bytes)(content))
        if not isinstance(values, dict):
            raise ValueError("it is no object")
    except Exception:  # whatever a decompressor or parser comes to
        raise UsageError(f"{file}: that is no result of a run; {writes}") from None
    return values


def read_result(file: Path) -> dict[str, Any]:
    """What ``Result.to_json`` had to say, of a file. Raises UsageError."""
    values = read_json(file)
    if not isinstance(values.get("statistics"), list):
        said = "that is no result of a run (it has no statistics)"
        raise UsageError(f"{file}: {said}; croft run PROGRAM --json {file.name} writes one")
    return values


def read_lines(file: Path) -> tuple[dict[str, Any], int]:
    """What was recorded of memory (LineUse.to_dict), and the cycles of the run. Raises UsageError."""
    content = read_json(file, "--lines")
    recorded = content.get("lines")
    if not isinstance(recorded, dict) or not {"objects", "lines", "totals"} <= recorded.keys():
        raise UsageError(f"{file}: no lines are recorded there; croft run --lines does that")
    return recorded, content["cycles"]
