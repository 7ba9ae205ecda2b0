"""Shows on the terminal what is under way: a simulated run, or a sweep of many runs."""

import sys
import threading
import time

from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import TimeRemainingColumn as TimeLeftColumn

from croft.base.console import console_on
from croft.base.durations import duration
from croft.watching.passed_output import PassedOutput

console = console_on(errors=True)


class RunProgress(PassedOutput):
    """A line that tells simulated time, million instructions a second and, given ``max_cycles``, the time left.

    It is drawn on standard error, and only if that is a terminal. Hand ``update`` to ``croft.run`` as ``progress``,
    and ``write`` as ``output`` so that the program's own lines appear above it.
    """

    def __init__(self, name: str, clock_mhz: float, max_cycles: int | None = None) -> None:
        super().__init__(console)
        self._clock_hz = clock_mhz * 1e6
        self._started = time.perf_counter()
        left = [BarColumn(), TimeLeftColumn()] if max_cycles else []
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            *left,
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
            redirect_stdout=sys.stdout.isatty(),
        )
        self._name = escape(name)
        self._task = self._bars.add_task(self._name, total=max_cycles)

    def __enter__(self) -> "RunProgress":
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.finish()
        self._bars.stop()

    def update(self, cycles: int, instructions: int) -> bool:
        """Redraws the line; always wants the run to go on."""
        self.pass_on()
        speed = instructions / max(time.perf_counter() - self._started, 1e-9) / 1e6
        text = f"{self._name}: {cycles:,} cycles ({duration(cycles / self._clock_hz)}), {speed:.0f} M instructions/s"
        self._bars.update(self._task, completed=cycles, description=text)
        return True


class SweepProgress:
    """A bar across the runs of a sweep. May be used from several threads."""

    def __init__(self, name: str, runs: int) -> None:
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[speed]}"),
            TimeElapsedColumn(),
            TimeLeftColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._task = self._bars.add_task(escape(name), total=runs, speed="")
        self._lock = threading.Lock()
        self._started = time.perf_counter()
        self._instructions: dict[int, int] = {}

    def __enter__(self) -> "SweepProgress":
        self._bars.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._bars.stop()

    @property
    def is_drawn(self) -> bool:
        """Whether anybody sees it."""
        return not self._bars.disable

    def update(self, run: int, instructions: int) -> None:
        """Notes how far the run number ``run`` is."""
        with self._lock:
            self._instructions[run] = instructions
            speed = sum(self._instructions.values()) / max(time.perf_counter() - self._started, 1e-9) / 1e6
        self._bars.update(self._task, speed=f"{speed:.0f} M instructions/s")

    def finish_one(self) -> None:
        """Notes that one more run is done."""
        self._bars.advance(self._task)


def tell(sentence: str) -> None:
    """Prints one sentence on standard error."""
    console.print(sentence, highlight=False, markup=False)
