"""Profiles as files, in the formats that viewers read: written and read again, by the ending of the name.

.folded            one line a stack (Gregg's collapsed stacks): functions only; the cause is the last frame
.speedscope.json   speedscope's: a profile for all cores, then one for each; lines and causes are frames
.pb.gz             pprof's: every cause is a kind of sample, the core is a label
"""

import gzip
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from croft.base.errors import UsageError
from croft.recording import pprof
from croft.recording.profile import CAUSES, Profile, Sample
from croft.symbols.symbols import Place

_EXPORTER = "croft"
_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


@dataclass(frozen=True)
class Format:
    """How a profile is written to bytes, and read from them; reading raises ValueError and the like for others."""

    ending: str
    write: Callable[[Profile], bytes]
    read: Callable[[bytes], Profile]


def format_of(file: Path) -> Format:
    """The format that a file's name ends in. Raises UsageError."""
    for form in FORMATS:
        if file.name.endswith(form.ending):
            return form
    endings = ", ".join(form.ending for form in FORMATS)
    raise UsageError(f"{file}: by its ending that is no profile; there are {endings}")


def read_profile(file: Path) -> Profile:
    """The profile of a file. Raises UsageError."""
    if not file.name.endswith(tuple(form.ending for form in FORMATS)):
        raise UsageError(
            f"{file}: by its ending that is no profile; croft run PROGRAM --profile {file.stem}.pb.gz writes one"
        )
    form = format_of(file)
    try:
        content = file.read_bytes()
    except OSError as error:
        writes = f"croft run PROGRAM --profile {file.name} writes one"
        raise UsageError(f"{file}: {error.strerror or error}; {writes}") from None
    try:
        return form.read(content)
    except UsageError:
        raise
    except Exception as error:  # whatever a parser comes to in a file that is something else
        said = f"that is no profile that croft has written ({error})"
        raise UsageError(f"{file}: {said}; croft run --profile writes one") from None


def _to_folded(profile: Profile) -> bytes:
    known: dict[int, str] = {}
    added = Counter[tuple[int, str, str]]()
    for core, stack, cause, cycles, _ in profile.samples:
        if id(stack) not in known:
            known[id(stack)] = "".join(place.function.replace(";", ":") + ";" for place in stack)
        added[core, known[id(stack)], cause] += cycles
    lines = [f"core {core};{names}[{cause}] {cycles}\n" for (core, names, cause), cycles in added.items() if cycles]
    return "".join(sorted(lines)).encode()


def _from_folded(content: bytes) -> Profile:
    samples = []
    for line in content.decode().splitlines():
        frames, _, cycles = line.rpartition(" ")
        core, *names, cause = frames.split(";")
        stack = tuple(Place(name) for name in names)
        samples.append(Sample(int(core.removeprefix("core ")), stack, _cause(cause), int(cycles), 0))
    return Profile(samples)


def _cause(text: str) -> str:
    cause = text[1:-1]
    if cause not in CAUSES:
        raise ValueError(f"{text} is no cause")
    return cause


def _to_speedscope(profile: Profile) -> bytes:
    frames: dict[tuple[str, str, int], int] = {}

    def number_of(name: str, file: str = "", line: int = 0) -> int:
        return frames.setdefault((name, file, line), len(frames))

    known: dict[int, list[int]] = {}

    def numbers_of(stack: tuple[Place, ...]) -> list[int]:
        if id(stack) not in known:
            numbers = [number_of(place.function, place.file) for place in stack]
            if stack and stack[-1].line:
                numbers.append(number_of(*_line_frame(stack[-1])))
            known[id(stack)] = numbers
        return known[id(stack)]

    causes = {cause: number_of(f"[{cause}]") for cause in CAUSES}
    rows: dict[int, list[tuple[list[int], int]]] = {}
    for core, stack, cause, cycles, _ in profile.samples:
        if cycles:
            rows.setdefault(core, []).append(([*numbers_of(stack), causes[cause]], cycles))
    profiles = [
        {
            "type": "sampled",
            "name": f"core {core}",
            "unit": "none",
            "startValue": 0,
            "endValue": sum(cycles for _, cycles in rows[core]),
            "samples": [numbers for numbers, _ in sorted(rows[core])],
            "weights": [cycles for _, cycles in sorted(rows[core])],
        }
        for core in sorted(rows)
    ]
    shared = [
        {"name": name, **({"file": file} if file else {}), **({"line": line} if line else {})}
        for name, file, line in frames
    ]
    content = {
        "$schema": _SCHEMA,
        "exporter": _EXPORTER,
        "name": f"{profile.title} (cycles)",
        "activeProfileIndex": 0,
        "shared": {"frames": shared},
        "profiles": profiles,
    }
    return json.dumps(content, separators=(",", ":")).encode()


def _line_frame(place: Place) -> tuple[str, str, int]:
    return f"{place.file.rpartition('/')[2]}:{place.line}", place.file, place.line


def _from_speedscope(content: bytes) -> Profile:
    whole = json.loads(content)
    if whole.get("exporter") != _EXPORTER:
        raise ValueError("croft is not its exporter")
    frames = whole["shared"]["frames"]
    samples = []
    for one in whole["profiles"]:
        core = int(one["name"].removeprefix("core "))
        for numbers, cycles in zip(one["samples"], one["weights"], strict=True):
            samples.append(Sample(core, *_stack_of([frames[number] for number in numbers]), cycles, 0))
    return Profile(samples, whole["name"].removesuffix(" (cycles)"))


def _stack_of(frames: list[dict[str, Any]]) -> tuple[tuple[Place, ...], str]:
    *places, cause = frames
    stack = [Place(frame["name"], frame.get("file", "")) for frame in places]
    if places and "line" in places[-1]:
        stack.pop()
        stack[-1] = Place(stack[-1].function, stack[-1].file, places[-1]["line"])
    return tuple(stack), _cause(cause["name"])


FORMATS = (
    Format(".speedscope.json", _to_speedscope, _from_speedscope),
    Format(
        ".pb.gz",
        lambda profile: gzip.compress(pprof.encode(profile), 6, mtime=0),
        lambda content: pprof.decode(gzip.decompress(content)),
    ),
    Format(".folded", _to_folded, _from_folded),
)
