"""Where simulations run side by side: on threads of this host, or on the workers of a Dask cluster.

All of it is `concurrent.futures`: a pool has an executor, and says how a file's contents travel to whoever runs there.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from croft.base.errors import UsageError
from croft.base.extras import require
from croft.base.host import host_cores, host_memory
from croft.sweeps.kept_runs import simulator_digest
from croft.sweeps.memory_budget import MemoryBudget

ANSWER = 15
"""Seconds within which a scheduler has to answer."""
MEMORY = "croft_memory"
"""The resource, in MiB, that a Dask worker may declare; what needs more than is left of it waits."""
MIB = 1 << 20


class Pool:
    """Threads of this host. They share this process: a simulated run does not hold the interpreter's lock."""

    is_local = True

    def __init__(self, executor: Executor, jobs: int) -> None:
        self.jobs = jobs
        self.executor = executor
        self._budget = MemoryBudget(host_memory() // 2)

    def share(self, file: Path) -> Any:
        """What a task is given in the place of a file: the file, or its contents on their way to the workers."""
        return file

    def submit(self, memory: int, task: Callable[..., Any], *given: Any) -> Future[Any]:
        """Runs ``task`` as soon as a worker has the time and ``memory`` bytes for it."""
        return self.executor.submit(self._within_budget, memory, task, *given)

    def _within_budget(self, memory: int, task: Callable[..., Any], *given: Any) -> Any:
        with self._budget.taken(memory):
            return task(*given)


class DaskPool(Pool):
    """The workers of a Dask cluster. A file travels once to each worker that needs it."""

    is_local = False

    def __init__(self, client: Any) -> None:
        self.client = client
        self._shared: dict[Path, Any] = {}
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self.jobs = max(sum(worker["nthreads"] for worker in workers), 1)
        self._declares = any(MEMORY in worker.get("resources", {}) for worker in workers)
        self.executor = client.get_executor(pure=False)

    def share(self, file: Path) -> Any:
        if file not in self._shared:
            # To all workers: else Dask prefers the one that has it, and others are idle at the end.
            self._shared[file] = self.client.scatter(file.read_bytes(), hash=True, broadcast=True)
        return self._shared[file]

    def submit(self, memory: int, task: Callable[..., Any], *given: Any) -> Future[Any]:
        needed = {"resources": {MEMORY: memory / MIB}} if self._declares else {}
        return self.executor.submit(task, *given, **needed)


@contextmanager
def pool_on(on: str | None = None, jobs: int | None = None) -> Iterator[Pool]:
    """A pool, for as long as the block runs.

    ``on``: None, threads of this host; "dask", worker processes of this host; or a Dask cluster that is there, by its
    scheduler's address (tcp://HOST:8786, tls://...) or scheduler file (.json). TLS is as Dask's own configuration says
    (distributed.comm.tls). ``jobs`` of them at a time here, by default one a core.
    Raises UsageError if there is none, or if a worker has another build of the simulator.
    """
    if on is None:
        with ThreadPoolExecutor(jobs or host_cores()) as executor:
            yield Pool(executor, jobs or host_cores())
        return
    with _client(on, jobs) as client:
        _check_builds(client)
        yield DaskPool(client)


@contextmanager
def _client(on: str, jobs: int | None) -> Iterator[Any]:
    require(f"--on {on}", "distributed")
    import dask
    from distributed import Client, LocalCluster

    if on == "dask":
        count = jobs or host_cores()
        resources = {MEMORY: host_memory() // 2 // count / MIB}
        # Its web page would take a port that somebody else may have.
        options = {"threads_per_worker": 1, "dashboard_address": None, "resources": resources, "silence_logs": 50}
        # Dask looks a hundred times a second at what Python code its workers run: runs are none.
        with (
            dask.config.set({"distributed.worker.profile.enabled": False}),
            LocalCluster(n_workers=count, **options) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    is_file = on.endswith(".json")
    if not is_file and "://" not in on:
        raise UsageError(f"--on {on}: it should be dask, a scheduler's address (tcp://HOST:PORT) or its file (.json)")
    if is_file and not Path(on).is_file():
        raise UsageError(f"--on {on}: no such scheduler file")
    try:
        client = Client(**{"scheduler_file" if is_file else "address": on}, timeout=ANSWER)
    except Exception as error:  # each kind of connection has its own
        raise UsageError(f"--on {on}: no Dask scheduler answers there ({_first_line(error)})") from None
    with client:
        yield client


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]


def _check_builds(client: Any) -> None:
    """A run's result depends on the build of the simulator, and its key says which one that was."""
    for worker, build in client.run(simulator_digest).items():
        if build != simulator_digest():
            raise other_build(worker, build, simulator_digest())


def other_build(worker: str, its: str, wanted: str) -> UsageError:
    """That a worker cannot be used."""
    return UsageError(f"the worker {worker} has the build {its[:12]} of the simulator, this command has {wanted[:12]}")
