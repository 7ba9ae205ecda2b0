"""Which of a machine's cores a program gets: the first ones, or a list of them in the order that the program sees."""

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import PlainValidator
from pydantic_core import PydanticCustomError

from croft.base import core_lists
from croft.base.errors import UsageError
from croft.machines.model import Machine


def _cores(given: Any) -> int | tuple[int, ...] | None:
    """A number of cores, or a list of others than the first ones."""
    if isinstance(given, str):
        try:
            given = int(given) if given.strip().isdecimal() else core_lists.numbers(given, "")
        except UsageError:
            raise PydanticCustomError("cores", f"a number of cores, or {core_lists.AN_EXAMPLE}") from None
    if given is None or (isinstance(given, int) and not isinstance(given, bool)):
        return given
    if not isinstance(given, Sequence) or not given or not all(type(core) is int and core >= 0 for core in given):
        raise PydanticCustomError("cores", "a whole number, or a list of cores")
    seen = set[int]()
    for core in given:
        if core in seen:
            raise PydanticCustomError("cores", f"a list that names core {core} once")
        seen.add(core)
    return len(given) if list(given) == list(range(len(given))) else tuple(given)


Cores = Annotated[int | str | Sequence[int] | None, PlainValidator(_cores)]
"""None: all. A number N of cores means the cores 0 to N - 1. A list's first core is the program's core 0, and so on."""


def on_machine(cores: int | str | Sequence[int] | None, machine: Machine) -> tuple[int, tuple[int, ...]]:
    """How many cores of the machine these are, and their order if it is not the machine's. Raises UsageError."""
    cores = _cores(cores)
    if isinstance(cores, tuple):
        if max(cores) >= machine.cores:
            raise UsageError(f"{machine.name} has the cores 0 to {machine.cores - 1} to run on, not {max(cores)}")
        return len(cores), cores
    if cores is not None and not 1 <= cores <= machine.cores:
        raise UsageError(f"{machine.name} has 1 to {machine.cores} cores to run on, not {cores}")
    return cores or machine.cores, ()
