"""Offloads work from this program to a pattern on a simulated co-processor."""

import contextlib
import os
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from croft import _simulator
from croft.base.errors import CroftError, UsageError
from croft.machines.file import machine as read_machine
from croft.machines.model import Machine
from croft.results.result import Result
from croft.runs.host_script import check_slots
from croft.runs.runner import executable, run

StrPath = str | os.PathLike[str]
Buffer = Any
"""Whatever memoryview takes."""

_PATIENCE = 100
"""In milliseconds: how long a wait lasts before Ctrl-C is looked for."""


class AcceleratorError(CroftError):
    """The program on the co-processor ended before its stream did."""


class Accelerator:
    """A pattern on a simulated co-processor, to which this program offloads work (paper 003, IV.C).

    >>> with croft.Accelerator("squares.cpp") as squares:  # doctest: +SKIP
    ...     for n in range(100):
    ...         squares.offload(n.to_bytes(4, "little"))
    ...     squares.close()
    ...     results = [int.from_bytes(each, "little") for each in squares]

    ``program`` serves the link by croft::serve or croft::host_link; ``machine``, ``arguments`` and ``cores`` are those
    of croft.run. It runs in a thread of its own, from now on. ``input_slots`` and ``output_slots`` are the slots of the
    link each way, and as many messages may wait on this side. ``offload`` waits when they are full, and so does the
    program when nobody takes its results. A caller that offloads and never takes results waits for ever.

    The results do not depend on the moments of these calls. The run's cycles do; for cycles to compare use a
    HostScript. Any thread may call.

    Raises UsageError, MachineError, BuildError; AcceleratorError from the calls below once the program has failed, or
    has ended before its stream did.
    """

    def __init__(
        self,
        program: StrPath,
        machine: Machine | StrPath = "tilepro64",
        *,
        arguments: Sequence[str] = (),
        cores: int | str | Sequence[int] | None = None,
        environment: Mapping[str, str] | None = None,
        max_cycles: int | None = None,
        input_slots: int = 16,
        output_slots: int = 16,
    ) -> None:
        check_slots(input_slots, output_slots)
        chip = read_machine(machine)
        if chip.host_link is None:
            raise UsageError(f"{chip.name} has no link to a host: its machine file has no [host_link]")
        self._slot = chip.host_link.slot
        self._host = _simulator.LiveHost(input_slots, output_slots)
        self._result: Result | None = None
        self._error: BaseException | None = None
        self._closed = False
        path = executable(program)  # built here, so that its errors are the caller's

        def simulate() -> None:
            try:
                self._result = run(
                    path,
                    chip,
                    arguments=arguments,
                    cores=cores,
                    environment=environment,
                    max_cycles=max_cycles,
                    host=self._host,
                    progress=lambda cycles, instructions: not self._host.stopping,
                )
            except BaseException as error:
                self._error = error
                self._host.finish(str(error))  # it may never have begun

        self._thread = threading.Thread(target=simulate, name=f"croft.Accelerator({path.name})", daemon=True)
        self._thread.start()

    def offload(self, message: Buffer) -> None:
        """Sends the bytes of ``message`` (bytes, a NumPy array, ...); waits for room."""
        data = self._bytes(message)
        while not self._offload(data, _PATIENCE):
            pass

    def try_offload(self, message: Buffer) -> bool:
        """The same without waiting: whether there was room."""
        return self._offload(self._bytes(message), 0)

    def get_result(self, block: bool = True, timeout: float | None = None) -> bytes | None:
        """The next result; None at the end of the stream, or if there is none now (``block=False``).

        With a ``timeout``, in seconds, raises TimeoutError if there is none by then.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        while True:
            left = None if deadline is None else max(0, int(1000 * (deadline - time.monotonic())))
            patience = min(_PATIENCE, _PATIENCE if left is None else left) if block else 0
            with self._errors():
                result = self._host.get(patience)
            if result is not None or not block or self._host.exhausted:
                return result
            if left == 0:
                raise TimeoutError(f"no result within {timeout} seconds")

    def close(self) -> None:
        """The end of the stream: nothing is offloaded after it, and the results that are left can still be had."""
        self._closed = True
        self._host.close()

    def stop(self) -> None:
        """Ends the simulation now, and waits for it; messages under way are lost."""
        self._closed = True
        self._host.stop()
        self._thread.join()

    def wait(self) -> Result:
        """Closes the stream, waits for the program's end, and returns its run. Results not taken are dropped."""
        self.close()
        while self._thread.is_alive():
            if not self._host.exhausted:
                try:
                    self._host.get(_PATIENCE)
                except _simulator.HostEnded:
                    self._thread.join()
            self._thread.join(_PATIENCE / 1000)
        if self._result is None:
            raise self._failure(None)
        return self._result

    def __iter__(self) -> Iterator[bytes]:
        """The results that are left, up to the end of the stream."""
        while (result := self.get_result()) is not None:
            yield result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        """Ends the run: by wait() if all went well, otherwise at once."""
        if kind is None:
            self.wait()
        else:
            self.stop()

    def _offload(self, data: bytes, patience: int) -> bool:
        if self._closed:
            raise UsageError("nothing can be offloaded after close()")
        with self._errors():
            return self._host.offload(data, patience)

    def _bytes(self, message: Buffer) -> bytes:
        data = bytes(memoryview(message))
        if len(data) > self._slot:
            raise UsageError(f"a message of {len(data)} bytes is longer than a slot of the link, {self._slot}")
        return data

    @contextlib.contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except _simulator.HostEnded as error:
            raise self._failure(error) from None

    def _failure(self, cause: Exception | None) -> Exception:
        """What to raise now that the program has ended."""
        self._thread.join()
        if self._error is not None:
            return self._error if isinstance(self._error, CroftError) else AcceleratorError(str(self._error))
        said = self._result.errors.decode(errors="replace").strip() if self._result else ""
        return AcceleratorError(f"{cause}" + (f": {said}" if said else ""))
