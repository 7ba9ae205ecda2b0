"""Profiles in pprof's format: the message perftools.profiles.Profile (github.com/google/pprof, proto/profile.proto)."""

from functools import cache
from typing import Any

from croft.base.extras import require
from croft.recording.profile import CAUSES, Profile, Sample
from croft.symbols.symbols import Place

_MESSAGES = {
    # name: (number, type, repeated), of the fields that are used.
    "Profile": {
        "sample_type": (1, "ValueType", True),
        "sample": (2, "Sample", True),
        "location": (4, "Location", True),
        "function": (5, "Function", True),
        "string_table": (6, "string", True),
        "comment": (13, "int64", True),
        "default_sample_type": (14, "int64", False),
    },
    "ValueType": {"type": (1, "int64", False), "unit": (2, "int64", False)},
    "Sample": {"location_id": (1, "uint64", True), "value": (2, "int64", True), "label": (3, "Label", True)},
    "Label": {"key": (1, "int64", False), "num": (3, "int64", False)},
    "Location": {"id": (1, "uint64", False), "line": (4, "Line", True)},
    "Line": {"function_id": (1, "uint64", False), "line": (2, "int64", False)},
    "Function": {
        "id": (1, "uint64", False),
        "name": (2, "int64", False),
        "system_name": (3, "int64", False),
        "filename": (4, "int64", False),
    },
}
_PACKAGE = "perftools.profiles"
# What a sample has a number of: cycles in all, instructions, and the cycles of each cause.
_VALUES = ("cycles", "instructions", *CAUSES)


@cache
def _classes() -> dict[str, Any]:
    require("a profile for pprof", "google.protobuf")
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    field = descriptor_pb2.FieldDescriptorProto
    scalar = {"int64": field.TYPE_INT64, "uint64": field.TYPE_UINT64, "string": field.TYPE_STRING}
    file = descriptor_pb2.FileDescriptorProto(name="croft/pprof.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, (number, kind, is_repeated) in fields.items():
            label = field.LABEL_REPEATED if is_repeated else field.LABEL_OPTIONAL
            one = message.field.add(name=field_name, number=number, label=label)
            if kind in scalar:
                one.type = scalar[kind]
            else:
                one.type, one.type_name = field.TYPE_MESSAGE, f".{_PACKAGE}.{kind}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"{_PACKAGE}.{name}")) for name in _MESSAGES
    }


class _Numbers(dict[Any, int]):
    """Gives each new thing the next number."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self._first = first

    def __missing__(self, key: Any) -> int:
        self[key] = number = self._first + len(self)
        return number


def encode(profile: Profile) -> bytes:
    """The profile as pprof's message, without compression."""
    message = _classes()["Profile"]()
    texts, places, functions = _Numbers(0), _Numbers(1), _Numbers(1)
    texts[""]  # number 0, as the format has it
    for name in _VALUES:
        message.sample_type.add(type=texts[name], unit=texts["count" if name == "instructions" else "cycles"])
    message.default_sample_type = texts["cycles"]
    added: dict[tuple[int, int], list[Any]] = {}
    for sample in profile.samples:
        entry = added.setdefault((sample.core, id(sample.stack)), [sample.stack, [0] * len(_VALUES)])
        values = entry[1]
        values[0] += sample.cycles
        values[1] += sample.instructions
        values[2 + CAUSES.index(sample.cause)] += sample.cycles
    for (core, _), (stack, values) in added.items():
        one = message.sample.add(location_id=[places[place] for place in reversed(stack)], value=values)
        one.label.add(key=texts["core"], num=core)
    for place, number in places.items():
        location = message.location.add(id=number)
        location.line.add(function_id=functions[place.function, place.file], line=place.line)
    for (name, file), number in functions.items():
        message.function.add(id=number, name=texts[name], system_name=texts[name], filename=texts[file])
    message.comment.append(texts[profile.title])
    message.string_table.extend(texts)
    return message.SerializeToString(deterministic=True)


def decode(content: bytes) -> Profile:
    """What encode() was given. Raises an error of protobuf's, or ValueError, for anything else."""
    message = _classes()["Profile"].FromString(content)
    texts = list(message.string_table)
    if [texts[kind.type] for kind in message.sample_type] != list(_VALUES):
        raise ValueError("its samples are not croft's")
    functions = {one.id: (texts[one.name], texts[one.filename]) for one in message.function}
    places = {one.id: Place(*functions[one.line[0].function_id], one.line[0].line) for one in message.location}
    samples = []
    for one in message.sample:
        stack = tuple(places[number] for number in reversed(one.location_id))
        instructions = one.value[1]
        for cause, cycles in zip(CAUSES, one.value[2:], strict=True):
            if cycles or (cause == CAUSES[0] and instructions):
                samples.append(Sample(one.label[0].num, stack, cause, cycles, instructions))
            instructions = 0
    return Profile(samples, texts[message.comment[0]] if message.comment else "")
