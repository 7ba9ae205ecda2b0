"""What RISC-V's memory model allows a litmus test to come to (unprivileged specification, chapter RVWMO).

An execution is an order of all memory operations, the global memory order, that keeps preserved program order; a load
returns the value of the store latest in that order among those before it there and those before it in its program. So
operations are put into the order one after the other, in every way that the rules let. What a rule needs to know of an
execution (rules 2, 3 and 12: which store a load reads) is known when the operation that it is about is put there.
Values are found at the end: no instruction's address or path depends on one.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import product

from litmus_threads import Instruction, Litmus

Outcome = tuple[int, ...]

Rule = int | str
"""A rule of preserved program order, by its number. Rule 9 is also "9 for loads", as far as it is about two of them."""

LOADS_BY_DEPENDENCY: frozenset[Rule] = frozenset({"9 for loads", 12})
"""The rules that order a load behind what only a dependency orders it."""

INITIAL = -1
"""The store that every place begins with."""


@dataclass
class Operation:
    """An instruction that accesses memory."""

    thread: int
    instruction: Instruction
    address_from: set[int] = field(default_factory=set)
    """The operations on which its address depends, syntactically."""
    data_from: set[int] = field(default_factory=set)
    control_from: set[int] = field(default_factory=set)
    paired: int | None = None
    """Of an sc that succeeds: its lr."""

    @property
    def place(self) -> str | None:
        return self.instruction.place

    @property
    def reads(self) -> bool:
        return self.instruction.reads

    @property
    def writes(self) -> bool:
        return self.instruction.writes and (self.instruction.kind != "sc" or self.paired is not None)


def allowed(test: Litmus, without: Collection[Rule] = ()) -> set[Outcome]:
    """The outcomes that RVWMO allows, or would ``without`` some of its rules."""
    conditional = [
        (number, at) for number, thread in enumerate(test.threads) for at, i in enumerate(thread) if i.kind == "sc"
    ]
    outcomes: set[Outcome] = set()
    for choice in product((False, True), repeat=len(conditional)):  # whether each sc succeeds
        succeed = {which for which, does in zip(conditional, choice, strict=True) if does}
        if (execution := _Program.of(test, succeed, without)) is not None:
            outcomes |= set(execution.outcomes())
    return outcomes


class _Program:
    """A test whose sc instructions succeed or fail as chosen."""

    def __init__(self, test: Litmus, succeed: set[tuple[int, int]], without: Collection[Rule]) -> None:
        self.test, self.succeed, self.without = test, succeed, without
        self.operations: list[Operation] = []
        self.number_of: dict[tuple[int, int], int] = {}  # of an operation, by its thread and place in it
        self.before: list[set[int]] = []  # what has to be put into the order first, whatever loads return

    @classmethod
    def of(cls, test: Litmus, succeed: set[tuple[int, int]], without: Collection[Rule]) -> "_Program | None":
        """None if an sc would succeed without an lr."""
        made = cls(test, succeed, without)
        for thread in range(len(test.threads)):
            if not made._add_thread(thread):
                return None
        return made

    def _add_thread(self, thread: int) -> bool:
        carried: dict[str, set[int]] = {}  # by a register: the operations on which its value depends
        control: set[int] = set()
        reserved: int | None = None
        fences: list[tuple[int, list[tuple[str, str]]]] = []  # each behind so many operations
        mine: list[int] = []
        for at, i in enumerate(self.test.threads[thread]):
            value_from = carried.get(i.value or "", set())
            if i.kind == "compute":
                carried[i.into or ""] = value_from | carried[i.one or ""]
            elif i.kind == "branch":
                control = control | value_from
            elif i.kind == "fence":
                fences.append((len(mine), [(i.before, i.after)]))
            elif i.kind == "fence.tso":
                fences.append((len(mine), [("rw", "w"), ("r", "r")]))
            else:
                number = len(self.operations)
                made = Operation(thread, i, carried.get(i.offset or "", set()), value_from, control)
                if i.kind == "lr":
                    reserved = number
                elif i.kind == "sc":
                    if (thread, at) in self.succeed:
                        if reserved is None:
                            return False
                        made.paired = reserved
                    reserved = None
                self.operations.append(made)
                self.number_of[thread, at] = number
                if i.into:
                    carried[i.into] = {number} if i.reads else set()
                mine.append(number)
        self._order(mine, fences)
        return True

    def _order(self, mine: list[int], fences: list[tuple[int, list[tuple[str, str]]]]) -> None:
        """By preserved program order, but for rules 2, 3 and 12."""

        def is_of(operation: Operation, letters: str) -> bool:
            return ("r" in letters and operation.reads) or ("w" in letters and operation.writes)

        for j, later in enumerate(mine):
            b, before = self.operations[later], set()
            for i, earlier in enumerate(mine[:j]):
                a = self.operations[earlier]
                if not (a.reads or a.writes) or not (b.reads or b.writes):
                    continue  # an sc that fails
                ab, bb = a.instruction, b.instruction
                fenced = any(
                    i < behind <= j and any(is_of(a, first) and is_of(b, then) for first, then in sides)
                    for behind, sides in fences
                )
                rules: dict[Rule, bool] = {
                    1: b.writes and a.place == b.place,
                    4: fenced,
                    5: ab.aq,
                    6: bb.rl,
                    7: (ab.aq or ab.rl) and (bb.aq or bb.rl),
                    8: b.paired == earlier,
                    9: b.writes and earlier in b.address_from,
                    "9 for loads": not b.writes and earlier in b.address_from,
                    10: b.writes and earlier in b.data_from,
                    11: b.writes and earlier in b.control_from,
                    13: b.writes and any(earlier in self.operations[m].address_from for m in mine[i + 1 : j]),
                }
                if any(holds for rule, holds in rules.items() if rule not in self.without):
                    before.add(earlier)
            self.before.append(before)

    def outcomes(self) -> Iterator[Outcome]:
        """Of every global memory order."""
        numbers = [n for n, operation in enumerate(self.operations) if operation.reads or operation.writes]
        start = (frozenset[int](), (), ())  # what is in the order; which store each load reads; stores in the order
        seen, open_states = {start}, [start]
        while open_states:
            placed, read_from, stores = open_states.pop()
            if len(placed) == len(numbers):
                yield self._outcome(dict(read_from), stores)
            for number in numbers:
                if number in placed or not self.before[number] <= placed:
                    continue
                step = self._place(number, placed, dict(read_from), stores)
                if step is not None and step not in seen:
                    seen.add(step)
                    open_states.append(step)

    def _place(self, number, placed, read_from, stores):
        operation = self.operations[number]
        place = operation.place
        if operation.reads:
            source = self._source(number, placed, stores)
            if source is None:
                return None
            read_from[number] = source
            # Rule 2: of two loads of a place, with no store between, that read different stores.
            for later in placed:
                other = self.operations[later]
                if (
                    2 not in self.without
                    and later > number
                    and other.thread == operation.thread
                    and other.reads
                    and other.place == place
                    and not any(self._is_store(m, place) for m in range(number + 1, later))
                    and read_from[later] != source
                ):
                    return None
        if operation.paired is not None:
            # Atomicity: between the store that the lr read and this one there is none of others to that place. (By rule
            # 8 the lr has come.)
            reserved = self.operations[operation.paired].place
            source = read_from[operation.paired]
            if source != INITIAL and source not in stores:
                return None
            between = stores[stores.index(source) + 1 :] if source != INITIAL else stores
            if any(
                self.operations[s].place == reserved and self.operations[s].thread != operation.thread for s in between
            ):
                return None
        if operation.writes:
            stores = (*stores, number)
        return placed | {number}, tuple(sorted(read_from.items())), stores

    def _is_store(self, number: int, place: str | None) -> bool:
        return self.operations[number].writes and self.operations[number].place == place

    def _source(self, number: int, placed: frozenset[int], stores: tuple[int, ...]) -> int | None:
        """The store that the load reads if it comes next; None if it cannot."""
        load = self.operations[number]
        own = [
            m
            for m in range(number)
            if self.operations[m].thread == load.thread and self._is_store(m, load.place) and m not in placed
        ]
        if not own:
            return next((s for s in reversed(stores) if self.operations[s].place == load.place), INITIAL)
        store = self.operations[own[-1]]
        if 3 not in self.without and store.instruction.kind != "store":  # of an sc or an AMO it comes later
            return None
        if 12 not in self.without and not (store.address_from | store.data_from) <= placed:
            return None
        return own[-1]

    def _outcome(self, read_from: dict[int, int], stores: tuple[int, ...]) -> Outcome:
        registers: dict[tuple[int, str], int] = {}
        results: dict[int, int] = {}

        def returned(number: int) -> int:  # by a load
            source = read_from[number]
            return 0 if source == INITIAL else written(source)

        def written(number: int) -> int:
            operation = self.operations[number]
            value = value_of(operation.thread, operation.instruction.value or "")
            return value + returned(number) if operation.instruction.kind == "add" else value

        def value_of(thread: int, name: str) -> int:
            return int(name) if name.isdigit() else register(thread, name)

        def register(thread: int, name: str) -> int:
            if (thread, name) not in registers:
                (at,) = (at for at, i in enumerate(self.test.threads[thread]) if i.into == name)
                registers[thread, name] = computed(thread, at)
            return registers[thread, name]

        def computed(thread: int, at: int) -> int:
            i = self.test.threads[thread][at]
            if i.kind == "sc":
                return 0 if (thread, at) in self.succeed else 1
            if i.kind == "compute":
                one, other = register(thread, i.one or ""), value_of(thread, i.value or "")
                return one ^ other if i.operator == "^" else one | other
            number = self.number_of[thread, at]
            if number not in results:
                results[number] = returned(number)
            return results[number]

        values = []
        for name in self.test.observed:
            thread, colon, of = name.partition(":")
            if colon:
                values.append(register(int(thread), of))
            else:
                last = next((s for s in reversed(stores) if self.operations[s].place == name), INITIAL)
                values.append(0 if last == INITIAL else written(last))
        return tuple(values)
