"""Commands in a pseudo-terminal, and what is then on its screen."""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from dataclasses import dataclass, field

_TOKEN = re.compile(r"\x1b\[([?0-9;]*)([A-Za-z])|\r|\n|[^\x1b\r\n]+|\x1b")


@dataclass
class Screen:
    """Follows what rich sends to a terminal that is high enough: text, colours, erased lines, the cursor's way up."""

    lines: list[str] = field(default_factory=lambda: [""])
    row: int = 0
    column: int = 0
    cursor_is_shown: bool = True

    def feed(self, text: str) -> "Screen":
        """What comes next."""
        for token in _TOKEN.finditer(text):
            if token[2]:
                self._control(token[1], token[2])
            elif token[0] == "\r":
                self.column = 0
            elif token[0] == "\n":
                self.row += 1
                self.lines += [""] * (self.row + 1 - len(self.lines))
            else:
                line = self.lines[self.row].ljust(self.column)
                self.lines[self.row] = line[: self.column] + token[0] + line[self.column + len(token[0]) :]
                self.column += len(token[0])
        return self

    def _control(self, numbers: str, letter: str) -> None:
        if letter == "A":
            self.row -= int(numbers or 1)
            assert self.row >= 0
        elif letter == "K":
            assert numbers == "2"
            self.lines[self.row] = ""
        elif letter in "hl" and numbers == "?25":
            self.cursor_is_shown = letter == "h"
        else:
            assert letter == "m", f"the screen of this test knows no {numbers}{letter}"


@dataclass(frozen=True)
class Shown:
    """What a command has sent to its terminal, and its exit status."""

    status: int
    text: str

    @property
    def screen(self) -> Screen:
        """As it is in the end."""
        return Screen().feed(self.text)


def in_terminal(
    command: list[str], rows: int, columns: int, *, interrupt_at: str | None = None, **streams: int
) -> Shown:
    """Runs it in a terminal of that size; sends it what Ctrl-C does when it has first sent ``interrupt_at``."""
    shown, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    of_terminal = dict.fromkeys(("stdin", "stdout", "stderr"), terminal)
    process = subprocess.Popen(command, **of_terminal | streams, env=environment | {"TERM": "xterm-256color"})
    os.close(terminal)
    sent = b""
    while True:
        try:
            more = os.read(shown, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            more = b""
        if not more:
            break
        sent += more
        if interrupt_at and interrupt_at.encode() in sent:
            process.send_signal(signal.SIGINT)
            interrupt_at = None
    os.close(shown)
    return Shown(process.wait(timeout=60), sent.decode())
