"""A machine as its file describes it. What the keys mean and which values they may have, the simulator says
(``simulator/description/``; docs/machine-file.md lists it); here are only the values.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from croft import _simulator
from croft.base.errors import MachineError
from croft.machines.keys import BY_CALLER, flattened, leaves, merged, overridden, table_of
from croft.machines.toml import toml_text, toml_value


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
    """A whole machine. ``machine()`` reads one from a file, ``model_validate`` makes one of a nested dictionary.

    ``sources`` says where its values are from, by their keys ("l1d.size", or that of a whole table). A source is the
    comment in the machine file, or says that the caller set the value. Machines with the same values are equal,
    wherever these are from.
    """

    __slots__ = ("_json", "sources")
    sources: Mapping[str, str]

    def __init__(self, values: Mapping[str, Any], sources: Mapping[str, str] | None = None) -> None:
        super().__init__(values)
        object.__setattr__(self, "sources", MappingProxyType(dict(sources or {})))
        object.__setattr__(self, "_json", None)

    def __reduce__(self) -> tuple[Any, ...]:
        return Machine, (self.model_dump(), dict(self.sources))

    @classmethod
    def model_validate(
        cls, values: Mapping[str, Any], origin: str = "machine file (given)", sources: Mapping[str, str] | None = None
    ) -> "Machine":
        """Checks a machine; ``origin`` names it in errors. Raises MachineError, with a sentence for each mistake."""
        checked, mistakes = _simulator.read_machine(dict(values))
        if mistakes:
            raise MachineError("\n".join(f"{origin}: {mistake}{_keys_of(mistake)}" for mistake in mistakes))
        return cls(checked, sources)

    def with_keys(self, keys: Mapping[str, Any], said: str | None = None) -> "Machine":
        """Another machine, in which ``keys`` have other values: ``{"network.hop": 3}``, or ``{"network": {"hop": 3}}``.

        They are taken in their order, and mean the same as in a file that is based on this machine. Tables are merged;
        False (or None) leaves a part out. All that changes a machine comes through here. ``said`` is how errors
        name the change (default: the keys and their values). Raises MachineError, with a sentence for each mistake.
        """
        values, own = self.model_dump(), dict[str, Any]()
        for key, value in keys.items():
            given = _given(value)
            values = merged(values, table_of(key, given))
            own |= leaves(key, given)
        said = said or ", ".join(f"{key} = {toml_value(value)}" for key, value in own.items())
        by_caller = dict.fromkeys(own, BY_CALLER)
        return self.model_validate(values, f"{self.name} with {said}", overridden(self.sources, by_caller))

    def model_copy(self, update: Mapping[str, Any]) -> "Machine":
        """The same as with_keys."""
        return self.with_keys(update)

    def to_toml(self) -> str:
        """A machine file that says all of it, based on no other; behind each value stands its source."""
        changed = [key for key, text in self.sources.items() if text == BY_CALLER]
        head = [f"{self.name}, all of it; behind each value is its source, in the words of the file that said it."]
        head += [f"Set by the caller: {', '.join(changed)}."] if changed else []
        return toml_text(self.model_dump(), self.sources, head)

    @property
    def title(self) -> str:
        """Its name, and what the caller has set: "tilepro64 with network.hop = 3"."""
        changed = {key: value for key, value in flattened(self.model_dump()) if self.sources.get(key) == BY_CALLER}
        said = ", ".join(f"{key} = {toml_value(value)}" for key, value in changed.items())
        return f"{self.name} with {said}" if said else self.name

    @property
    def tiles(self) -> int:
        """How many it has, on all chips; those behind the last core hold no thread."""
        network = self.network
        return network.columns * network.rows * (network.tiles_per_router or 1) * (network.chips or 1)

    @property
    def positions(self) -> dict[str, list[tuple[int, int]]]:
        """The (column, row) of its memory controllers ("memory.controllers") and banks ("shared.banks"), in their
        order, whether its file lists them or names a rule. Columns are counted on through all chips."""
        return _simulator.machine_places(self.model_dump())

    def model_dump_json(self) -> str:
        """Its values as JSON, the same text for the same machine."""
        if self._json is None:
            object.__setattr__(self, "_json", json.dumps(self.model_dump()))
        return self._json

    @property
    def kinds(self) -> list[Part]:
        """Its kinds of cores, in the order of their tiles: `big` and `tiny`, or what the machine says at its top."""
        return [kind for kind in (self.big, self.tiny) if kind] or [self]


def _keys_of(mistake: str) -> str:
    """Where the keys are listed, for a sentence about an unknown one that is near none."""
    unknown = mistake.startswith("unknown key") and "did you mean" not in mistake
    return "; `croft machines tilepro64` lists the keys" if unknown else ""


def _kept(value: Any) -> Any:
    if isinstance(value, dict):
        return Part(value)
    return tuple(_kept(one) for one in value) if isinstance(value, list) else value


def _given(value: Any) -> Any:
    """A value as a file gives it: of a part its table, of a number of numpy's the number."""
    if isinstance(value, Part):
        return value.model_dump()
    if isinstance(value, dict):
        return {str(key): _given(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_given(one) for one in value]
    return value.item() if hasattr(value, "item") else value
