"""What came out of a simulated run."""

import csv
import io
import json
import shlex
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from croft.base.errors import UsageError
from croft.base.extras import require
from croft.machines.model import Machine
from croft.recording.analysis import Analysis
from croft.recording.coherence import Incoherence, with_names
from croft.recording.growth import grown
from croft.recording.line_names import line_use
from croft.recording.line_use import LineUse
from croft.recording.profile import Profile
from croft.recording.races import LibraryRace, Race, races_with_names
from croft.recording.trace import Trace
from croft.results.content import content
from croft.results.thread import Thread, thread
from croft.symbols.symbols import Symbols

if TYPE_CHECKING:
    import pandas as pd

# The exit statuses of `croft run` for runs that the program did not end itself; else it is the program's own.
EXIT_STATUS = {"deadlock": 121, "cycle_limit": 122, "fault": 123, "time_limit": 125, "interrupted": 130}
FOUND = 124
"""The exit status of a checked run that ended well but for what the check found."""


class Statistic(NamedTuple):
    """One number that a part of the machine counted: docs/statistics.md says what they mean."""

    part: str
    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody asks of one
    name: str
    unit: str
    value: int


class FastForwarded(NamedTuple):
    """What a run did before its first region, in no exact time, and how warm its caches were then.

    ``has_come`` says whether there was a region at all. ``instructions`` came before it, at cycle ``begins``. ``lines``
    were brought back into the caches, each for one core that had used it: all that could still be there.
    """

    has_come: bool
    instructions: int
    begins: int
    lines: int


@dataclass(frozen=True)
class Result:
    """One run of a program on a simulated machine. The same program, arguments and machine give an equal result.

    ``ending`` is "exited", "deadlock", "cycle_limit", "time_limit", "interrupted" or "fault"; ``message`` one
    sentence on every ending but a normal exit. ``window`` is how far, in cycles, a core ran ahead: it changes the
    host's time only.
    """

    program: str
    arguments: tuple[str, ...]
    machine: Machine
    cores: int
    seed: int
    ending: str
    exit_code: int
    message: str
    cycles: int
    instructions: int
    window: int
    output: bytes
    errors: bytes
    host_seconds: float = field(compare=False)
    _elf: bytes
    _threads: list[dict[str, Any]]
    _statistics: list[tuple[str, int, str, str, int]]
    core_order: tuple[int, ...] = ()
    """The machine's cores that the program saw as its cores 0, 1, ...; empty if these were the machine's first ones."""
    unsimulated: dict[str, int] = field(default_factory=dict)
    """How often each system call that is not simulated was answered with ENOSYS, by the call's name."""
    check: str | None = None
    """The kind of check: "coherence", "races" or none."""
    coherence_count: int = 0
    """How many stale loads, lost writes and lost stores a checked run had; ``coherence`` holds the first 200."""
    _coherence: list[tuple[Any, ...]] = field(default_factory=list)
    racing_count: int = 0
    """How many loads of a run checked for coherence returned an older value than the last write, racing with it."""
    _longest_racing: tuple[Any, ...] | None = None
    race_count: int = 0
    """How often accesses of the program raced, in a run checked for that; ``races`` holds 200 pairs of places."""
    _races: list[tuple[Any, ...]] = field(default_factory=list)
    analysis: Analysis | None = None
    """Work and span of the program's tasks, of a run with ``analyze=True`` that ended by itself."""
    host_results: tuple[tuple[int, bytes], ...] = ()
    """The results that a HostScript got back, in order: the cycle at which each arrived, and its bytes."""
    checkpoint: int | None = field(default=None, compare=False)
    """The cycle of the latest checkpoint that was written, if any was."""
    trace: Trace | None = None
    """When each core ran and waited, of a run with ``trace``; trace_file.encode() makes a file of it."""
    fast_forwarded: FastForwarded | None = None
    """How a run with ``fast_forward=True`` came to its first region."""
    _counts: list[tuple[str, int, str, str, int]] = field(default_factory=list)
    _intervals: list[tuple[int, int, int, list[int]]] | None = None
    _regions: list[tuple[int, int, int, list[int]]] | None = None
    _profile: dict[str, Any] | None = None
    _lines: dict[str, Any] | None = None

    def __repr__(self) -> str:
        """One line: a notebook shows it beside figures, and a test that fails prints it."""
        ended = f"exit status {self.exit_code}" if self.ending == "exited" else self.ending
        command = shlex.join([self.program, *self.arguments]).replace("\n", "\\n")
        return f"<{command} on {self.machine.name}: {self.cycles:,} cycles, {ended}>"

    def _repr_html_(self) -> str:
        from croft.results.notebook import html_of

        return html_of(self)

    @property
    def seconds(self) -> float:
        """Simulated time, in seconds."""
        return self.cycles / (self.machine.clock_mhz * 1e6)

    @property
    def text(self) -> str:
        """The program's standard output, if that was captured."""
        return self.output.decode(errors="replace")

    @property
    def exit_status(self) -> int:
        """The exit status of ``croft run``: the program's own, or that of EXIT_STATUS."""
        if self.ending == "exited" and self.exit_code == 0:
            if self.coherence_count or self.race_count:
                return FOUND
            if self.fast_forwarded and not self.fast_forwarded.has_come:
                return UsageError.exit_status
        return EXIT_STATUS.get(self.ending, self.exit_code)

    @cached_property
    def statistics(self) -> list[Statistic]:
        """All statistics, in the order of ``frame``, for which pandas has to be installed."""
        return [Statistic(*each) for each in self._statistics]

    @cached_property
    def frame(self) -> "pd.DataFrame":
        """All statistics, one a row: part ("core", "l1d", ...), index (which of them), name, unit, value."""
        require("a data frame", "pandas")
        import pandas as pd

        frame = pd.DataFrame(self.statistics, columns=list(Statistic._fields))
        return frame.astype({"index": "int64", "value": "int64"})

    @cached_property
    def intervals(self) -> "pd.DataFrame":
        """The growth of each statistic in each interval of a run with ``interval``, without zeros.

        Columns: interval (0, 1, ...), begin and end (cycles), and those of ``frame``. A statistic's values add up to
        its value in the whole run, whatever its regions. A value may be below zero. If a wait goes on at an interval's
        end, the interval counts it under the cause known by then. A later interval may take it back.
        """
        return grown(self._counts, self._intervals or []).rename(columns={"occurrence": "interval"})

    @cached_property
    def regions(self) -> "pd.DataFrame":
        """The growth of each statistic in each occurrence of a region of a run with ``regions``, without zeros.

        Columns: region (the function and line that began it), occurrence (0, 1, ... of that region), begin and end
        (cycles), and those of ``frame``.
        """
        occurrences = self._regions or []
        frame = grown(self._counts, occurrences)
        names = [self._region(place) for _, _, place, _ in occurrences]
        count = Counter[str]()
        numbers = []
        for name in names:
            numbers.append(count[name])
            count[name] += 1
        which = frame["occurrence"].to_numpy()
        frame.insert(0, "region", [names[at] for at in which])
        frame["occurrence"] = [numbers[at] for at in which]
        return frame

    @property
    def has_intervals(self) -> bool:
        """Whether ``intervals`` were asked for."""
        return self._intervals is not None

    @property
    def has_regions(self) -> bool:
        """Whether ``regions`` were asked for."""
        return self._regions is not None

    def _region(self, place: int) -> str:
        """Who has begun it: ``place`` is where the call of region_begin(), which may be inlined, returns to."""
        calls = self._symbols.places(place - 1)
        users = (call for call in calls if not call.of_toolchain and not call.function.endswith("region_begin"))
        caller = next(users, calls[0])
        return f"{caller.function}:{caller.line}" if caller.line else caller.function

    def loaded_program(self) -> bytes:
        """All that a machine loads of the program's file."""
        return self._symbols.loaded()

    @property
    def has_symbols(self) -> bool:
        """Whether the program says what its functions are called."""
        return self._symbols.has_functions

    @cached_property
    def profile(self) -> Profile | None:
        """Where every cycle of a run with ``profile=True`` went, whatever its regions."""
        if self._profile is None:
            return None
        return Profile.of(self._profile, self._symbols, f"{self.program} on {self.machine.title}")

    @cached_property
    def lines(self) -> LineUse | None:
        """Which cores used which memory in a run with ``lines``, whatever its regions."""
        return None if self._lines is None else line_use(self._lines, self._elf)

    def total(self, part: str, name: str) -> int:
        """One statistic added up over all of its part's indices; 0 if there is none."""
        return sum(each.value for each in self.statistics if (each.part, each.name) == (part, name))

    @cached_property
    def _symbols(self) -> Symbols:
        return Symbols.of(self._elf)

    @cached_property
    def coherence(self) -> list[Incoherence]:
        """The findings of a run with ``check="coherence"``, with functions and lines."""
        return with_names(self._coherence, self._symbols)

    @cached_property
    def longest_racing(self) -> Incoherence | None:
        """The racing load whose write was longest ago; None if there was none."""
        return with_names([self._longest_racing], self._symbols)[0] if self._longest_racing else None

    @property
    def races(self) -> list[Race]:
        """The races that a run with ``check="races"`` found in the program, with functions and lines."""
        return self._all_races[0]

    @property
    def library_races(self) -> list[LibraryRace]:
        """The places where such a run found that the C library does not order what it has to."""
        return self._all_races[1]

    @cached_property
    def _all_races(self) -> tuple[list[Race], list[LibraryRace]]:
        return races_with_names(self._races, self._symbols)

    @cached_property
    def threads(self) -> list[Thread]:
        """The threads that were alive at the end, with functions and lines from the program's debug information."""
        return [thread(stopped, self._symbols) for stopped in self._threads]

    def to_csv(self) -> str:
        """The statistics as CSV, with a line of headings."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(Statistic._fields)
        writer.writerows(self.statistics)
        return text.getvalue()

    def lines_to_json(self) -> str:
        """The same as ``lines``, as JSON."""
        title = f"{self.program} on {self.machine.title}"
        lines = self.lines and self.lines.to_dict()
        return json.dumps({"title": title, "cycles": self.cycles, "lines": lines}, sort_keys=True) + "\n"

    def to_json(self) -> str:
        """All of it as JSON, the same text for the same run: nothing in it depends on the host.

        The program's output is text, or ``{"base64": ...}`` if it is not UTF-8. A host's results are hexadecimal. A run
        with ``profile=True`` has its costliest functions and lines, too. With them are the lines of the source around
        them, from the files of this moment (croft.recording.profile_content).
        """
        return json.dumps(content(self), indent=1, sort_keys=True) + "\n"
