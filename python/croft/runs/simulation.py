"""Carries out a run that has been decided on, from its beginning or from a checkpoint, and makes its Result."""

import contextlib
import functools
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from croft import _simulator
from croft.base.errors import MachineError, ProgramError, SimulatorError, UsageError
from croft.machines.file import machine_from
from croft.machines.model import Machine
from croft.recording.analysis import Analysis, Listener
from croft.recording.coherence import without_races
from croft.recording.trace import Trace
from croft.results.result import FastForwarded, Result
from croft.runs.checkpoint import CheckpointWriter, Every, StrPath
from croft.runs.host_script import HostScript
from croft.runs.kept_output import MOST, KeptOutput
from croft.watching.sample import Sample

CHECKS = ("coherence", "races")
"""What a run may be checked for."""
RECORDS = ("profile", "trace_limit", "lines_limit")
"""The simulator's options that ask for a record of the run."""
Host = HostScript | _simulator.HostSide
Output = Callable[[int, bytes], None]
Progress = Callable[[int, int], bool]
Sampled = Callable[[Sample], None]


@dataclass(frozen=True)
class Plan:
    """All that decides what a run comes to, but for limits."""

    name: str
    """What the program is told it is called."""
    arguments: tuple[str, ...]
    machine: Machine
    elf: bytes
    origin: str
    """The program's file, for messages."""
    options: dict[str, Any]
    """The simulator's (contract/simulation.hpp)."""
    analyze: bool = False
    max_output: int | None = None
    host: Host | None = None

    def header(self) -> dict[str, Any]:
        """The same for a checkpoint, but for the program's file and the host's messages."""
        script = None
        if isinstance(self.host, HostScript):
            script = asdict(self.host) | {"messages": [message.hex() for message in map(bytes, self.host.messages)]}
        return {
            "name": self.name,
            "arguments": list(self.arguments),
            "machine": self.machine.model_dump(),
            "origin": self.origin,
            "options": self.options,
            "analyze": self.analyze,
            "max_output": self.max_output,
            "host": script,
        }

    @classmethod
    def of(cls, header: dict[str, Any], elf: bytes) -> "Plan":
        """The plan of a checkpoint."""
        script = header["host"]
        if script is not None:
            script = HostScript(**script | {"messages": [bytes.fromhex(message) for message in script["messages"]]})
        return cls(
            name=header["name"],
            arguments=tuple(header["arguments"]),
            machine=machine_from(header["machine"]),
            elf=elf,
            origin=header["origin"],
            options=header["options"],
            analyze=header["analyze"],
            max_output=header["max_output"],
            host=script,
        )


@dataclass(frozen=True)
class Limits:
    """What may end a run early: the machine's cycles, this host's seconds."""

    max_cycles: int | None = None
    max_seconds: float | None = None

    def __post_init__(self) -> None:
        if self.max_seconds is not None and not self.max_seconds > 0:
            raise UsageError(f"max_seconds is {self.max_seconds:g}: it should be more than 0, in seconds of this host")


@dataclass(frozen=True)
class Beginning:
    """What a run that goes on takes over: the machine's state, and what had been heard of the program."""

    state: bytes | None = None
    kept: dict[int, KeptOutput] = field(default_factory=dict)
    analysis: Analysis | None = None

    @classmethod
    def of(cls, header: dict[str, Any], parts: dict[str, bytes]) -> "Beginning":
        """That of a checkpoint."""
        kept = {
            int(stream): KeptOutput.again(most, left_out, parts[f"first {stream}"], parts[f"last {stream}"])
            for stream, (most, left_out) in header["kept"].items()
        }
        return cls(parts["state"], kept, Analysis(**header["analysis"]) if header["analysis"] else None)


def simulate(
    plan: Plan,
    limits: Limits,
    *,
    standard_input: int | None = None,
    output: Output | None = None,
    progress: Progress | None = None,
    sample: Sampled | None = None,
    checkpoint: StrPath | None = None,
    every: str | None = None,
    beginning: Beginning | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
) -> Result:
    """Runs ``plan``. The other arguments are those of croft.run."""
    if every is not None and checkpoint is None:
        raise UsageError(f"every {every} needs a checkpoint to write; name its file by --checkpoint")
    if checkpoint is not None and isinstance(plan.host, _simulator.LiveHost):
        raise UsageError("a run whose host is a program in real time has no checkpoint: the host would not go back")
    beginning = beginning or Beginning()
    if checkpoint is not None and plan.options["check_races"]:
        raise UsageError(
            "a run that is checked for races has no checkpoint: what the check knows is not kept; leave one of them out"
        )
    if checkpoint is not None and any(plan.options[each] for each in RECORDS):
        raise UsageError(
            "a run of which a profile, a trace or a record of lines is made has no checkpoint: what was recorded is "
            "not kept; leave one of them out"
        )
    kept = _kept_streams(plan.max_output, output, beginning.kept)

    def receive(stream: int, text: bytes) -> None:
        kept[stream].add(text)

    listener = Listener(receive, beginning.analysis) if plan.analyze else None
    host = plan.host.start() if isinstance(plan.host, HostScript) else plan.host
    writer = None
    if checkpoint is not None:
        interval = Every.of(every) if every is not None else Every()
        writer = CheckpointWriter(
            Path(checkpoint), plan.header(), plan.elf, interval, lambda: _heard(kept, listener), tell=tell
        )
    options = plan.options | {
        "max_cycles": limits.max_cycles or 0,
        "standard_input": -1 if standard_input is None else standard_input,
        "samples": sample is not None,
    }
    started = time.perf_counter()
    too_long = False
    with _stop_by_interrupt() as interrupted:

        def go_on(cycles: int, instructions: int, sampled: tuple[Any, ...] | None = None) -> bool:
            nonlocal too_long
            if sample and sampled:
                sample(Sample.of(time.perf_counter() - started, *sampled))
            wanted = progress(cycles, instructions) if progress else True
            if not interrupted.is_set():  # a run that has been ended by Ctrl-C may be told of once more
                too_long = limits.max_seconds is not None and time.perf_counter() - started > limits.max_seconds
            return wanted and not too_long and not interrupted.is_set()

        try:
            outcome = _simulator.simulate(
                plan.elf,
                plan.machine.model_dump(),
                options,
                listener.output if listener else receive,
                go_on,
                host,
                writer,
                beginning.state,
            )
        except _simulator.BadProgram as error:
            raise ProgramError(f"{plan.origin}: {error}{_way_out(str(error))}") from None
        except _simulator.CheckpointError as error:
            raise UsageError(f"the run cannot go on: {error}") from None
        except ValueError as error:
            raise MachineError(str(error)) from None
        except _simulator.SimulatorFault as error:
            raise SimulatorError(
                f"a fault of the simulator, not of {plan.name}, on machine {plan.machine.name}: {error}"
            ) from None
    if too_long and outcome["ending"] == "interrupted":
        limit = f"the limit of {limits.max_seconds:g} s of this host was reached"
        outcome |= {"ending": "time_limit", "message": limit}
    printed, errors = (kept[stream].finish() for stream in (1, 2))
    found = without_races(outcome["coherence"], plan.elf)
    return Result(
        program=plan.name,
        arguments=plan.arguments,
        machine=plan.machine,
        cores=plan.options["cores"] or plan.machine.cores,
        seed=plan.options["seed"],
        ending=outcome["ending"],
        exit_code=outcome["exit_code"],
        message=outcome["message"],
        cycles=outcome["cycles"],
        instructions=outcome["instructions"],
        window=outcome["window"],
        output=printed,
        errors=errors,
        host_seconds=time.perf_counter() - started,
        _elf=plan.elf,
        _threads=outcome["threads"],
        _statistics=outcome["statistics"],
        check=next((each for each in CHECKS if plan.options[f"check_{each}"]), None),
        # The simulator keeps the first 200 only; what it does not keep counts as it is.
        coherence_count=outcome["coherence_count"] - len(outcome["coherence"]) + len(found),
        _coherence=found,
        racing_count=outcome["racing_count"],
        _longest_racing=outcome.get("longest_racing"),
        race_count=outcome["race_count"],
        _races=outcome["races"],
        analysis=listener.analysis if listener else None,
        host_results=tuple(host.results) if isinstance(host, _simulator.ScriptedHost) else (),
        checkpoint=writer.written if writer else None,
        _counts=outcome["counts"],
        _intervals=outcome["intervals"] if plan.options.get("interval") else None,
        _regions=outcome["regions"] if plan.options.get("each_region") else None,
        fast_forwarded=FastForwarded(*outcome["fast_forwarded"]) if plan.options.get("fast_forward") else None,
        trace=Trace(*outcome["trace"]) if plan.options.get("trace_limit") else None,
        _profile=outcome["profile"] if plan.options.get("profile") else None,
        _lines=outcome["lines"] if plan.options.get("lines_limit") else None,
    )


def _way_out(why: str) -> str:
    """What to do about a file that is no program for a simulated machine."""
    is_of_file = why.startswith(("the program is ", "the program has ")) and ";" not in why
    return "; croft build SOURCE -o PROGRAM makes one that runs" if is_of_file else ""


def _kept_streams(
    max_output: int | None, output: Output | None, before: dict[int, KeptOutput]
) -> dict[int, KeptOutput]:
    """What keeps streams 1 and 2, by their numbers. ``output`` hears all, or if it is bounded what is kept."""
    kept = {}
    for stream in (1, 2):
        kept[stream] = before.get(stream) or KeptOutput(MOST if max_output is None else max_output)
        if output is not None:
            setattr(kept[stream], "hear" if max_output is None else "pass_on", functools.partial(output, stream))
    return kept


def _heard(kept: dict[int, KeptOutput], listener: Listener | None) -> tuple[dict[str, Any], dict[str, bytes]]:
    """What has been heard of the program so far, for a checkpoint: entries of its header, and parts."""
    header: dict[str, Any] = {"kept": {}, "analysis": None}
    parts: dict[str, bytes] = {}
    for stream, each in kept.items():
        header["kept"][str(stream)] = [each.most, each.left_out]
        parts |= {f"first {stream}": bytes(each.first), f"last {stream}": bytes(each.last)}
    if listener and listener.analysis:
        header["analysis"] = asdict(listener.analysis)
    return header, parts


@contextlib.contextmanager
def _stop_by_interrupt() -> Iterator[threading.Event]:
    """Within it, the first Ctrl-C sets the event instead of raising; a second one raises as ever."""
    stopped = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stopped
        return
    before = signal.getsignal(signal.SIGINT)

    def stop(number: int, frame: object) -> None:
        stopped.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, stop)
    try:
        yield stopped
    finally:
        signal.signal(signal.SIGINT, before)
