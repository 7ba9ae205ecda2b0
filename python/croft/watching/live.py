"""The dashboard of ``croft run --live``, drawn on standard error while a run goes on."""

import sys
import threading
import time
from collections import deque

from rich.console import Group
from rich.live import Live

from croft.base.errors import UsageError
from croft.watching.live_picture import picture
from croft.watching.live_view import Setting, View, view
from croft.watching.passed_output import PassedOutput
from croft.watching.progress import console
from croft.watching.sample import Sample

PAUSE = 0.25
"""Seconds of this host from a picture to the next, at least."""
_REST = 30
"""And so many times as long as it took to draw one: where this host has one core only, it is the simulation's time."""
_REMEMBERED = 500
"""Pictures whose instructions a cycle may be drawn."""


def require_terminal() -> None:
    """Raises UsageError where a dashboard could not be drawn."""
    if not console.is_terminal or console.is_dumb_terminal:
        raise UsageError(
            "--live draws on standard error, which is no terminal (or one whose cursor cannot be moved); leave that out"
        )


class LiveRun(PassedOutput):
    """Hand ``update`` to ``croft.run`` as ``sample``, and ``write`` as ``output``: the program's lines go above it.

    The simulation goes on while a picture is drawn: that is done by a thread of its own, of the latest sample, a few
    times a second. When the run ends, a last picture tells of all of it and stays, unless it is ``transient``.
    ``restored``: the run does not begin with its program.
    """

    def __init__(self, setting: Setting, *, restored: bool = False, transient: bool = False) -> None:
        super().__init__(console)
        self._setting = setting
        self._restored = restored
        self._live = Live(
            console=console,
            auto_refresh=False,
            transient=transient,
            redirect_stdout=sys.stdout.isatty(),
            vertical_overflow="crop",
        )
        self._first: Sample | None = None
        self._drawn: Sample | None = None
        self._latest: Sample | None = None
        self._recent: deque[float] = deque(maxlen=_REMEMBERED)
        self._ended = threading.Event()
        self._painter = threading.Thread(target=self._paint, name="croft run --live", daemon=True)

    def __enter__(self) -> "LiveRun":
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        if self._latest is None:
            self.finish()
            return
        try:
            self._painter.join()
            self.finish()
            self._draw(view(self._setting, self._first, self._latest, self._recent, has_ended=True))
        finally:
            self._live.stop()

    def update(self, sample: Sample) -> None:
        """Notes what the machine does."""
        is_first = self._latest is None
        self._latest = sample
        if not is_first:
            return
        if self._restored:
            self._first = self._drawn = self._latest
        self._live.start()
        self._painter.start()

    def _paint(self) -> None:
        pause = 0.0
        while not self._ended.wait(pause):
            self.pass_on()
            began = time.perf_counter()
            latest = self._latest
            if latest is not None and latest is not self._drawn:
                shown = view(self._setting, self._drawn, latest, self._recent)
                self._recent.append(shown.instructions_per_cycle)
                self._drawn = latest
                self._draw(shown)
            pause = max(PAUSE, _REST * (time.perf_counter() - began))

    def _draw(self, shown: View) -> None:
        size = console.size
        lines = picture(shown, size.width, size.height - 1, ascii_only=console.options.ascii_only)
        self._live.update(Group(*lines), refresh=True)
