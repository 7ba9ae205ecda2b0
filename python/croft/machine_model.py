"""A machine as its file describes it. What the keys mean and which values they may have, the simulator says
(``simulator/description/``; docs/machine-file.md lists it); here are only the values.
"""

import json
from collections.abc import Mapping
from typing import Any

from croft import _simulator
from croft.errors import MachineError


class Part:
    """A part of a machine: its keys are attributes, None for a part that the machine has not. It never changes."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.__dict__.update({key: _kept(value) for key, value in values.items()})

    def __getattr__(self, key: str) -> Any:  # only of one that is not there
        raise AttributeError(f"a machine file has no key {key!r} here")

    def __setattr__(self, key: str, value: object) -> None:
        raise AttributeError("a machine never changes: model_copy makes another one")

    def __delattr__(self, key: str) -> None:
        self.__setattr__(key, None)

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self) -> int:
        return hash(tuple(vars(self).items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model_dump()!r})"

    def model_dump(self) -> dict[str, Any]:
        """Its values as a nested dictionary of its own, all keys in their order."""
        return {key: _given(value) for key, value in vars(self).items()}


class Machine(Part):
    """A whole machine. ``machine()`` reads one from a file, ``model_validate`` makes one of a nested dictionary."""

    @classmethod
    def model_validate(cls, values: Mapping[str, Any], origin: str = "(given)") -> "Machine":
        """Checks a machine; ``origin`` names it in errors. Raises MachineError, with a sentence for each mistake."""
        checked, mistakes = _simulator.read_machine(dict(values))
        if mistakes:
            raise MachineError("\n".join(f"machine file {origin}: {mistake}" for mistake in mistakes))
        return cls(checked)

    def model_copy(self, update: Mapping[str, Any]) -> "Machine":
        """Another machine, with other values at the top. Raises MachineError."""
        return self.model_validate({**self.model_dump(), **update})

    def model_dump_json(self) -> str:
        """Its values as JSON, the same text for the same machine."""
        return json.dumps(self.model_dump())

    @property
    def kinds(self) -> list[Part]:
        """Its kinds of cores, in the order of their tiles: `big` and `tiny`, or what the machine says at its top."""
        return [kind for kind in (self.big, self.tiny) if kind] or [self]


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return Part(value)
    return tuple(_kept(one) for one in value) if isinstance(value, list) else value


def _given(value: Any) -> Any:
    if isinstance(value, Part):
        return value.model_dump()
    return [_given(one) for one in value] if isinstance(value, tuple) else value
