"""What the library is to reach on two cores, beside what was measured and the best of the other libraries."""

import re
from dataclasses import dataclass
from pathlib import Path

Results = dict[tuple[str, str], float]
"""Nanoseconds, by table and row."""

MICROSECOND, MILLISECOND = 1e3, 1e6


def read(file: Path) -> Results:
    """What bench/results.hpp wrote. A row that was measured again counts as it was the last time."""
    lines = (line.split("\t") for line in file.read_text(encoding="utf-8").splitlines())
    return {(table, row): float(value) for table, row, value in lines}


@dataclass(frozen=True)
class Aim:
    """At most so much, of one of the library's rows in a table."""

    title: str
    most: float
    table: str
    row: str
    unit: str = "ns"
    nanoseconds: float = 1  # in the unit
    over: tuple[str, str] | None = None
    """The row that it is a ratio to; "*" stands there for the library of the row divided."""
    half: bool = False
    """Of that row."""
    others: str | None = None
    """A pattern of the other libraries' rows, whose group, or all of it, is a library; none: no other has it."""

    def value(self, results: Results, row: str, library: str) -> float | None:
        found = results.get((self.table, row))
        if found is None or self.over is None:
            return found and found / self.nanoseconds
        base = results.get((self.over[0], self.over[1].replace("*", library)))
        return base and found / base * (2 if self.half else 1)

    def best(self, results: Results) -> tuple[float, str] | None:
        """Of the other libraries."""
        values = []
        for table, row in results:
            match = re.fullmatch(self.others, row) if self.others and table == self.table else None
            if match and not row.startswith(OURS):
                library = match.group(1) if match.groups() else row
                if value := self.value(results, row, library):
                    values.append((value, library))
        return min(values, default=None)


OURS = ("croft", "sequential", "plain", "one thread", "four threads")
"""How rows begin that are no other library's."""

CONVOLUTIONS = "farm of 32 x 32 convolutions, 1 an item"
SHORT = "0.1 us an item, as many threads as cores"
MANY = "1 us an item, more threads than cores"
LOOP = "a loop of 312,500 chunks of 32 steps"
CALLERS = "four callers at once with a step of 100 ms each"
TAKEN = "an ordered log pipeline, a core taken by another process"
QUEUES = "(FastFlow, bounded|FastFlow, unbounded|boost[^,]*|moodycamel[^,]*|rtrb)"
GRAIN_1 = "Lace|libfork|citor|fork_union.*|oneTBB, simple partitioner|OpenMP for, dynamic"  # others choose a grain

AIMS = [
    Aim(
        "farm of convolutions, two workers, over half the plain loop",
        1.05,
        CONVOLUTIONS,
        "croft farm, as in the README",
        "x",
        over=(CONVOLUTIONS, "sequential loop"),
        half=True,
        others=".*",
    ),
    Aim(
        "farm, items of 0.1 us, over the plain loop",
        1.0,
        SHORT,
        "croft farm",
        "x",
        over=(SHORT, "sequential loop"),
        others="(?!.*three stages).*",
    ),
    Aim(
        "farm, 1 us an item, 8 threads over 2",
        1.1,
        MANY,
        "croft farm, 8 threads",
        "x",
        over=(MANY, "*, 2 threads"),
        others="(?!.*three stages)(.*), 8 threads",
    ),
    Aim("fib, a call, one worker", 2.4, "fib", "croft, direct stealing, threads: 1", others="(.*), threads: 1"),
    Aim("fib, a call, two workers", 1.2, "fib", "croft, direct stealing, threads: 2", others="(.*), threads: 2"),
    Aim(
        "loop of grain 1, two workers, over two plain loops of a half each",
        1.1,
        LOOP,
        "croft, direct stealing, threads: 2",
        "x",
        over=(LOOP, "plain loops, a half on each of two cores, threads: 2"),
        others=f"({GRAIN_1}), threads: 2",
    ),
    Aim("run of 100 items", 9, "a run of 100 items", "croft farm", "us", MICROSECOND, others=".*"),
    Aim(
        "four callers of parallel_for at once, a step of 100 ms each",
        105,
        CALLERS,
        "croft parallel_for",
        "ms",
        MILLISECOND,
        others=".*",
    ),
    Aim(
        "ordered log pipeline with a core taken away, over one thread",
        1.0,
        TAKEN,
        "croft, ordered farm",
        "x",
        over=(TAKEN, "one thread"),
        others=".*",
    ),
    Aim(
        "channel, 8 bytes one at a time",
        2.5,
        "stream",
        "8 bytes, croft (the default), K=1024",
        others=f"8 bytes, {QUEUES}, K=1024",
    ),
    Aim(
        "channel, 8 bytes in batches of 64",
        1.5,
        "stream",
        "8 bytes, croft (the default), many at a time, K=1024",
        others=f"8 bytes, {QUEUES}, many at a time, K=1024",
    ),
    Aim(
        "channel, 64 bytes one at a time",
        25,
        "stream",
        "64 bytes, croft (the default), K=1024",
        others=f"64 bytes, {QUEUES}, K=1024",
    ),
    Aim(
        "channel, latency of 8 bytes, over two bounced lines",
        0.85,
        "latency",
        "8 bytes, croft (the default), K=1024",
        "x",
        over=("bounced", "two lines"),
        others=f"8 bytes, {QUEUES}, K=1024",
    ),
    Aim(
        "channel, two senders into one",
        5,
        "stream",
        "8 bytes, croft, two senders into one, K=1024",
        others=f"8 bytes, {QUEUES}, two (?:of them|senders) into one(?:, K=1024)?",
    ),
    Aim(
        "request and reply, a hop, over one bounced line",
        1.0,
        "latency",
        "8 bytes, croft, request/reply, a hop",
        "x",
        over=("bounced", "one line"),
    ),
]


def table(results: Results) -> str:
    """In Markdown, of the aims whose tables were measured; empty if there are none."""
    rows = [
        [
            "",
            "unit",
            "croft",
            "aim: at most",
            "reached",
            "best other library",
            "its figure",
            "croft / it",
            "cores apart",
        ]
    ]
    for aim in AIMS:
        if not any(measured == aim.table for measured, _ in results):
            continue
        ours, best = aim.value(results, aim.row, aim.row.rsplit(", ", 1)[0]), aim.best(results)
        columns = [aim.title, aim.unit, f"{ours:.3g}" if ours else "not measured", f"{aim.most:g}"]
        columns.append("" if ours is None else "yes" if ours <= aim.most else "no")
        columns += [best[1], f"{best[0]:.3g}"] if best else ["none has it", ""]
        columns.append(f"{ours / best[0]:.2f}" if ours and best else "")
        apart = results.get(("cores apart", aim.table))  # 0 where there were no two
        columns.append(f"{apart:.0f} ns" if apart else "")
        rows.append(columns)
    if len(rows) == 1:
        return ""
    rows.insert(1, ["---"] * len(rows[0]))
    return "\n".join(f"| {' | '.join(columns)} |" for columns in rows)
