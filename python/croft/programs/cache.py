"""Keeps built programs, keyed by everything that went into them: compiler, flags, sources and included headers."""

import contextlib
import json
import shutil
import time
from collections.abc import Iterable
from pathlib import Path

from croft.base.digest import digest_of
from croft.base.folders import cache_folder
from croft.base.whole_file import whole_file

KEPT = 24 * 3600
"""Seconds for which a program is kept after its sources have changed."""


class ProgramCache:
    """Where one program is kept: sources compiled with given flags.

    Which headers a source includes is known only after it was compiled, so the key covers flags and sources, and the
    entry lists the contents of all files that the compiler read; the program stands as long as none of them changed.
    """

    def __init__(self, settings: Iterable[str], sources: Iterable[Path]) -> None:
        key = json.dumps([list(settings), [str(source) for source in sources]])
        self._folder = cache_folder() / "programs" / digest_of(key.encode())[:32]

    def find(self) -> Path | None:
        """The program, or None if it was never built or something it was built from has changed."""
        try:
            entry = json.loads((self._folder / "entry.json").read_text(encoding="utf-8"))
            unchanged = all(digest_of(Path(path).read_bytes()) == digest for path, digest in entry["reads"].items())
        except (OSError, ValueError):
            return None
        program = self._folder / entry["program"]
        return program if unchanged and program.is_file() else None

    def store(self, program: Path, reads: Iterable[Path]) -> Path:
        """Keeps ``program``, which was compiled from the files ``reads``; returns where it is now."""
        name = f"{digest_of(program.read_bytes())[:32]}.elf"
        entry = {"program": name, "reads": {str(path): digest_of(path.read_bytes()) for path in sorted(set(reads))}}
        self._folder.mkdir(parents=True, exist_ok=True)
        # Two builds of one program may end at once: each file appears whole, and the entry last.
        with whole_file(self._folder / name) as partial:
            shutil.copy2(program, partial)
        with whole_file(self._folder / "entry.json") as partial:
            partial.write_text(json.dumps(entry), encoding="utf-8")
        for old in self._folder.glob("*.elf"):
            # A sweep that began before the sources changed still runs the earlier one.
            with contextlib.suppress(FileNotFoundError):  # the other build has dropped it
                if old.name != name and time.time() - old.stat().st_mtime > KEPT:
                    old.unlink()
        return self._folder / name
