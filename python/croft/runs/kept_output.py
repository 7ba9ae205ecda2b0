"""Keeps what a program prints, within bounds: its beginning and its end."""

from collections.abc import Callable

MOST = 64 << 20
"""Bytes of each stream that are kept of a run if nothing else is asked for."""


class KeptOutput:
    """The first half of ``most`` bytes and the last; what was between is left out, and a line says how much.

    ``hear`` hears all that is printed, as it comes. ``pass_on`` hears what is kept: the first half as it comes, and the
    rest when the run is over (finish()).
    """

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.hear: Callable[[bytes], None] = lambda text: None
        self.pass_on: Callable[[bytes], None] = lambda text: None
        self._first_room = most - most // 2
        self._last_room = most // 2
        self.first = bytearray()
        self.last = bytearray()
        self.left_out = 0

    @classmethod
    def again(cls, most: int, left_out: int, first: bytes, last: bytes) -> "KeptOutput":
        """As one was that had kept this much."""
        kept = cls(most)
        kept.first += first
        kept.last += last
        kept.left_out = left_out
        return kept

    def add(self, text: bytes) -> None:
        """The program has printed ``text``."""
        self.hear(text)
        first = text[: self._first_room - len(self.first)]
        if first:
            self.first += first
            self.pass_on(first)
        self.last += text[len(first) :]
        if len(self.last) > 2 * self._last_room + 4096:  # not at every byte
            self._forget()

    def _forget(self) -> None:
        excess = max(len(self.last) - self._last_room, 0)
        del self.last[:excess]
        self.left_out += excess

    def finish(self) -> bytes:
        """All that is kept. Passes on what has not been."""
        self._forget()
        gap = f"\n[{self.left_out:,} bytes left out]\n".encode() if self.left_out else b""
        end = gap + bytes(self.last)
        if end:
            self.pass_on(end)
        return bytes(self.first) + end
