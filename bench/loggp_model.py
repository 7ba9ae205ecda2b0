"""What a farm across processes comes to by the LogGP model, from parameters that none of its figures went into.

docs/across.md says what the terms are, and what is not in them. Times are in nanoseconds.
"""

from dataclasses import dataclass

SPACING = 5_000.0
"""A frame leaves that long after the one before it, with what has come until then (record.hpp)."""
FRAME, RECORD_HEAD = 8_000, 12
WINDOW_TIME = 1e6
"""A process has as many items ahead as take it that long, but two a thread and one more at least (peer_window.hpp)."""
ITEM = RESULT = 8
"""Bytes, in bench/mpi/farm.cpp."""

BYTES = ITEM + RESULT + 2 * RECORD_HEAD
MOST_A_FRAME = FRAME // (ITEM + RECORD_HEAD)


@dataclass(frozen=True)
class Parameters:
    latency: float
    overhead: float
    """Of sending a frame and of receiving one, together."""
    a_byte: float
    bookkeeping: float
    """Of an item that is given away, at either end, but for its messages."""
    switch: float = 0
    """From one process to another on the same core."""

    @classmethod
    def measured(cls, found: dict[str, float]) -> "Parameters":
        """From what bench/mpi/loggp.cpp records of croft's link.

        A task of nothing, of two processes of which the root only gives, takes what either end is busy with it.
        """
        overhead = found["link o_send"] + found["link o_receive"]
        messages = overhead / items_a_frame(found["task"]) + BYTES * found["link G"]
        return cls(
            latency=max(found["link L"], 0.0),  # below, where a receiver does part of its work while nothing comes
            overhead=overhead,
            a_byte=found["link G"],
            bookkeeping=max(found["task"] - messages, 0.0),
            switch=found["link switch"],
        )

    def busy(self, a_frame: float) -> float:
        """What an item that is given away takes of a core at either end, where so many share a frame."""
        return self.bookkeeping + self.overhead / a_frame + BYTES * self.a_byte


def items_a_frame(between: float) -> float:
    """Where one comes to a link so often."""
    return min(max(SPACING / between, 1.0), MOST_A_FRAME)


def window(item: float, threads: int = 1) -> float:
    return max(WINDOW_TIME / item * threads, 2 * threads + 1)


def own_cores(p: Parameters, task: float, processes: int, cores: int, root_works: bool) -> float:
    """Nanoseconds a task, where no process shares a core with another."""
    threads = cores // processes
    busy = p.busy(1)
    for _ in range(100):  # a fixed point: how many share a frame depends on how fast they come, and the other way round
        item = task + busy
        between = max(
            item / threads,
            (processes - 1) * busy,
            (2 * p.latency + 2 * p.overhead + item) / window(item, threads),
        )
        busy = p.busy(items_a_frame(between))
    given = (processes - 1) / between
    own = max(threads - busy * given, 0.0) / (task + p.bookkeeping) if root_works else 0.0
    return 1 / (given + own)


def shared_cores(p: Parameters, task: float, cores: int) -> float:
    """The same where there are more processes than cores, all of which are busy then: so the root only gives."""
    busy = p.busy(1)
    for _ in range(100):
        busy = p.busy(items_a_frame(task + busy))  # while its process has a core
    # A process gives its core away when it has worked off its window, and the root when it has filled all.
    switches = 2 * p.switch / window(task + busy)
    return max((task + 2 * busy + switches) / cores, busy)


def nanoseconds(p: Parameters, task: float, processes: int, cores: int, root_works: bool = True) -> float:
    """A task, of a farm of `processes` on one node of so many cores."""
    if processes == 1:
        return (task + p.bookkeeping) / cores
    if processes > cores:
        return shared_cores(p, task, cores)
    return own_cores(p, task, processes, cores, root_works)
