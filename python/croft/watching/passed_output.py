"""Passes on what a program prints while something else is drawn on the terminal."""

import codecs
import sys
from collections import deque

from rich.console import Console
from rich.text import Text

from croft.base.console import discard


class PassedOutput:
    """Hand ``write`` to ``croft.run`` as ``output``: the program's lines appear above what rich draws on ``console``.

    They appear when whoever draws calls ``pass_on``, and are not folded, as other programs' are not. A line that is not
    over yet waits until it is, or for ``finish``.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._decoders = {stream: codecs.getincrementaldecoder("utf-8")(errors="replace") for stream in (1, 2)}
        self._begun = {1: "", 2: ""}
        self._lines: deque[str] = deque()
        self.failed: dict[int, str] = {}
        """Of each stream of the program's that could not be passed on, why. The run goes on: its results are kept."""

    def write(self, stream: int, text: bytes) -> None:
        """Passes on what the program writes to its standard output (1) or standard error (2)."""
        target = sys.stdout if stream == 1 else sys.stderr
        if stream in self.failed:
            return
        try:
            if self._console.is_terminal and target.isatty():
                whole, newline, begun = (self._begun[stream] + self._decoders[stream].decode(text)).rpartition("\n")
                self._begun[stream] = begun
                if newline:
                    self._lines.append(whole)
            else:
                target.buffer.write(text)
                target.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            discard(target)
            self.failed[stream] = f"standard {'output' if stream == 1 else 'error'}: {error.strerror}"

    def finish(self) -> None:
        """What the program has begun to print is all that there is."""
        for stream, begun in self._begun.items():
            if rest := begun + self._decoders[stream].decode(b"", final=True):
                self._lines.append(rest)
            self._begun[stream] = ""
        self.pass_on()

    def pass_on(self) -> None:
        """Prints the lines that there are, at once: what is drawn is drawn anew for it, which a line takes long for."""
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if lines:
            # As rich does it: of what is no text, colours are left, and nothing that would move the cursor.
            self._console.print(Text.from_ansi("\n".join(lines)), soft_wrap=True, highlight=False)
