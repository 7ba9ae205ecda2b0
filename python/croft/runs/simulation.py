"""Carries out a run that has been decided on, from its beginning or from a checkpoint, and makes its Result."""

import contextlib
import functools
import math
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
from croft.runs.checkpoint import CheckpointWriter, Every
from croft.runs.host_script import HostScript
from croft.runs.kept_output import MOST, KeptOutput
from croft.runs.spec import Attendance, Changes, RunSpec
from croft.watching.sample import Sample

Output = Callable[[int, bytes], None]


@dataclass(frozen=True)
class Plan:
    """All that decides what a run comes to, but for limits."""

    spec: RunSpec
    """With the name that the program is told."""
    machine: Machine
    elf: bytes
    origin: str
    """The program's file, for messages."""
    options: dict[str, Any]
    """The simulator's (contract/simulation.hpp)."""

    def header(self) -> dict[str, Any]:
        """The same for a checkpoint, but for the program's file and the host's messages."""
        # The simulator's options have directories and homes as they were found, and standard input is given again.
        said = self.spec.said(
            [Changes.RESULT, Changes.RECORD], besides=["standard_input", "directories", "homes", "host"]
        )
        if isinstance(host := self.spec.host, HostScript):
            said["host"] = asdict(host) | {"messages": [bytes(message).hex() for message in host.messages]}
        return {"spec": said, "machine": self.machine.model_dump(), "origin": self.origin, "options": self.options}

    @classmethod
    def of(cls, header: dict[str, Any], elf: bytes) -> "Plan":
        """The plan of a checkpoint."""
        said = dict(header["spec"])
        if script := said.get("host"):
            said["host"] = HostScript(**script | {"messages": [bytes.fromhex(each) for each in script["messages"]]})
        return cls(RunSpec.of(said), machine_from(header["machine"]), elf, header["origin"], header["options"])


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


def simulate(plan: Plan, attendance: Attendance, beginning: Beginning | None = None) -> Result:
    """Runs ``plan``, from a ``beginning`` on that is not the program's if one is given."""
    spec = plan.spec
    beginning = beginning or Beginning()
    kept = _kept_streams(spec.max_output, attendance.output, beginning.kept)

    def receive(stream: int, text: bytes) -> None:
        kept[stream].add(text)

    listener = Listener(receive, beginning.analysis) if spec.analyze else None
    host = spec.host.start() if isinstance(spec.host, HostScript) else spec.host
    writer = None
    if attendance.checkpoint is not None:
        interval = Every.of(attendance.every) if attendance.every is not None else Every()
        file, heard = Path(attendance.checkpoint), lambda: _heard(kept, listener)
        writer = CheckpointWriter(file, plan.header(), plan.elf, interval, heard, tell=attendance.tell)
    options = plan.options | {
        "max_cycles": attendance.max_cycles or 0,
        "standard_input": -1 if attendance.standard_input is None else attendance.standard_input,
        "samples": attendance.sample is not None,
    }
    started = time.perf_counter()
    too_long = False
    with _stop_by_interrupt() as interrupted:

        def go_on(cycles: int, instructions: int, sampled: tuple[Any, ...] | None = None) -> bool:
            nonlocal too_long
            if attendance.sample and sampled:
                attendance.sample(Sample.of(time.perf_counter() - started, *sampled))
            wanted = attendance.progress(cycles, instructions) if attendance.progress else True
            if not interrupted.is_set():  # a run that has been ended by Ctrl-C may be told of once more
                too_long = time.perf_counter() - started > (attendance.max_seconds or math.inf)
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
                f"a fault of the simulator, not of {spec.name}, on machine {plan.machine.name}: {error}"
            ) from None
    if too_long and outcome["ending"] == "interrupted":
        limit = f"the limit of {attendance.max_seconds:g} s of this host was reached"
        outcome |= {"ending": "time_limit", "message": limit}
    printed, errors = (kept[stream].finish() for stream in (1, 2))
    found = without_races(outcome["coherence"], plan.elf)
    return Result(
        program=spec.name or "",
        arguments=tuple(spec.arguments),
        machine=plan.machine,
        cores=plan.options["cores"],
        core_order=tuple(plan.options["core_order"]),
        seed=spec.seed,
        ending=outcome["ending"],
        exit_code=outcome["exit_code"],
        message=outcome["message"],
        cycles=outcome["cycles"],
        instructions=outcome["instructions"],
        window=outcome["window"],
        unsimulated=outcome["unsimulated"],
        output=printed,
        errors=errors,
        host_seconds=time.perf_counter() - started,
        _elf=plan.elf,
        _threads=outcome["threads"],
        _statistics=outcome["statistics"],
        check=spec.check,
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
        _intervals=outcome["intervals"] if spec.interval else None,
        _regions=outcome["regions"] if spec.regions else None,
        fast_forwarded=FastForwarded(*outcome["fast_forwarded"]) if spec.fast_forward else None,
        trace=Trace(*outcome["trace"]) if spec.trace else None,
        _profile=outcome["profile"] if spec.profile else None,
        _lines=outcome["lines"] if plan.options["lines_limit"] else None,
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
