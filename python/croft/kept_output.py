"""Keeps what a program prints, within bounds: its beginning and its end."""

from collections.abc import Callable

MOST = 64 << 20
"""Bytes of each stream that are kept of a run if nothing else is asked for."""


class KeptOutput:
    """The first half of ``most`` bytes and the last; what was between is left out, and a line says how much.

    ``hear`` hears all that is printed, as it comes. ``pass_on`` hears what is kept: the first half as it comes, and the
    rest when the run is over (finish()).
    """

    def __init__(
        self,
        most: int = MOST,
        *,
        hear: Callable[[bytes], None] = lambda text: None,
        pass_on: Callable[[bytes], None] = lambda text: None,
    ) -> None:
        self._hear = hear
        self._first_room = most - most // 2
        self._last_room = most // 2
        self._pass_on = pass_on
        self._first = bytearray()
        self._last = bytearray()
        self.left_out = 0

    def add(self, text: bytes) -> None:
        """The program has printed ``text``."""
        self._hear(text)
        first = text[: self._first_room - len(self._first)]
        if first:
            self._first += first
            self._pass_on(first)
        self._last += text[len(first) :]
        if len(self._last) > 2 * self._last_room + 4096:  # not at every byte
            self._forget()

    def _forget(self) -> None:
        excess = max(len(self._last) - self._last_room, 0)
        del self._last[:excess]
        self.left_out += excess

    def finish(self) -> bytes:
        """All that is kept. Passes on what has not been."""
        self._forget()
        gap = f"\n[{self.left_out:,} bytes left out]\n".encode() if self.left_out else b""
        end = gap + bytes(self._last)
        if end:
            self._pass_on(end)
        return bytes(self._first) + end
