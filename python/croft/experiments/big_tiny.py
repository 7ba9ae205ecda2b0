"""Paper 002's kernels, machines and run-times, and what its experiments have in common."""

import math
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import pandas as pd

from croft.base.errors import CroftError
from croft.experiments.experiment import Cell, Experiment
from croft.experiments.graph_inputs import GraphInput
from croft.experiments.kernel_runs import KernelRun, Outcome, run_all
from croft.experiments.published import published
from croft.sweeps.many_runs import How

PROGRAMS = {
    "cilk5-cs": "cilk5/sort",
    "cilk5-lu": "cilk5/lu",
    "cilk5-mm": "cilk5/matmul",
    "cilk5-mt": "cilk5/transpose",
    "cilk5-nq": "cilk5/queens",
    "ligra-bc": "graph/bc",
    "ligra-bf": "graph/bellman_ford",
    "ligra-bfs": "graph/bfs",
    "ligra-bfsbv": "graph/bfs_bitvector",
    "ligra-cc": "graph/components",
    "ligra-mis": "graph/mis",
    "ligra-radii": "graph/radii",
    "ligra-tc": "graph/triangles",
}
KERNELS = tuple(PROGRAMS)
SMALL_GRAPH = ("--rmat", "1000", "--edges", "8000")
QUICK = {
    "cilk5-cs": ("--size", "20000", "--grain", "512"),
    "cilk5-lu": ("--size", "64"),
    "cilk5-mm": ("--size", "64", "--grain", "16"),
    "cilk5-mt": ("--size", "256", "--grain", "32"),
    "cilk5-nq": ("--size", "7"),
}
"""The small inputs; of the other kernels it is SMALL_GRAPH."""
INSTRUCTIONS_A_SECOND = 10e6
"""How fast the simulator is taken to be, before anything is known."""
SINGLE_LIMIT, PARALLEL_LIMIT = 30_000_000_000, 6_000_000_000
"""Cycles after which a run on one core, or on several, is given up: several times what the longest takes."""


@dataclass(frozen=True)
class Configuration:
    """A machine and the run-time of figure 3 that runs on it."""

    machine: str
    runtime: str

    @property
    def single(self) -> bool:
        """Whether the machine has one core."""
        return self.machine in ("io1", "o3x1")


def _big_tiny(cores: int) -> dict[str, Configuration]:
    by_software = {
        f"{family}_{protocol}": Configuration(f"big-tiny-{cores}-{protocol}", runtime)
        for family, runtime in (("hcc", "shared_deques_flushed"), ("dts", "direct_stealing"))
        for protocol in ("dnv", "gwt", "gwb")
    }
    return {"bigtiny_mesi": Configuration(f"big-tiny-{cores}-mesi", "shared_deques"), **by_software}


CONFIGURATIONS = {
    "serial": Configuration("io1", "serial"),
    "o3x1": Configuration("o3x1", "serial"),  # docs/evidence/big-tiny.md, section 7
    "o3x4": Configuration("o3x4", "shared_deques"),
    "o3x8": Configuration("o3x8", "shared_deques"),
    **_big_tiny(64),
}
"""By the names that published/bigtiny64_speedup.csv has for them."""
LARGE_CONFIGURATIONS = {name: _big_tiny(256)[name] for name in ("bigtiny_mesi", "hcc_gwb", "dts_gwb")}
"""On the machines with 256 cores."""
TOGETHER = tuple(name for name in CONFIGURATIONS if name.startswith(("bigtiny", "hcc", "dts")))
"""Those with 64 cores, big and tiny ones."""
PROTOCOLS = ("dnv", "gwt", "gwb")
TITLES = {
    "serial": "one tiny core, serial",
    "o3x1": "O3x1",
    "o3x4": "O3x4",
    "o3x8": "O3x8",
    "bigtiny_mesi": "MESI",
    **{f"hcc_{name}": f"HCC-{name}" for name in PROTOCOLS},
    **{f"dts_{name}": f"DTS-{name}" for name in PROTOCOLS},
}


@cache
def table_iii() -> pd.DataFrame:
    """The published table III, a row a kernel."""
    return published("bigtiny64_speedup").set_index("kernel").loc[list(KERNELS)]


def millions(text: str) -> float:
    """The number in "456M"."""
    return float(text.rstrip("M"))


def kernel_run(kernel: str, configuration: str, quick: bool) -> KernelRun:
    """A kernel with its input of table III, or the small one."""
    return configured_run(kernel, configuration, CONFIGURATIONS[configuration], quick)


def configured_run(kernel: str, name: str, chosen: Configuration, quick: bool, more: tuple[str, ...] = ()) -> KernelRun:
    """The same elsewhere: ``name`` says where, ``more`` are further options."""
    if quick:
        return _run(kernel, name, chosen, "quick", (*QUICK.get(kernel, SMALL_GRAPH), *more))
    size = 1e6 * millions(table_iii().loc[kernel, "dynamic_instructions"])
    if kernel.startswith("ligra"):
        graph = GraphInput(kernel, table_iii().loc[kernel, "input"])
        return _run(kernel, name, chosen, "table III", ("--graph", graph.path, *more), size, graph)
    # Of the others it is the program's default.
    return _run(kernel, name, chosen, "table III", more, size)


def analysed_run(kernel: str, quick: bool, more: tuple[str, ...] = ()) -> KernelRun:
    """The kernel's tasks, analysed: by the default run-time on one tiny core."""
    run = configured_run(kernel, "analysis", Configuration("io1", "default"), quick, more)
    return replace(run, analyze=True)


def large_run(kernel: str, configuration: str, name: str, size: float, quick: bool) -> KernelRun:
    """A kernel with an input of table V, for the machines with 256 cores; ``size`` is its instructions, roughly."""
    chosen = {**CONFIGURATIONS, **LARGE_CONFIGURATIONS}[configuration]
    if quick:
        return _run(kernel, configuration, chosen, "quick", QUICK.get(kernel, SMALL_GRAPH))
    if kernel.startswith("ligra"):
        graph = GraphInput(kernel, name)
        return _run(kernel, configuration, chosen, "table V", ("--graph", graph.path), size, graph)
    return _run(kernel, configuration, chosen, "table V", ("--size", name), size)


def _run(
    kernel: str,
    configuration: str,
    chosen: Configuration,
    inputs: str,
    arguments: tuple[str, ...],
    size: float = 1e6,
    graph: GraphInput | None = None,
) -> KernelRun:
    return KernelRun(
        kernel,
        configuration,
        inputs,
        PROGRAMS[kernel],
        chosen.machine,
        ("--runtime", chosen.runtime, *arguments),
        graph,
        guess=1 + size / INSTRUCTIONS_A_SECOND,
        most_cycles=SINGLE_LIMIT if chosen.single else PARALLEL_LIMIT,
    )


class BigTinyExperiment(Experiment):
    """An experiment on runs of the kernels, of which each is done once for all experiments.

    Its measurements have a row for each run: kernel, configuration, inputs ("quick", "table III", "table V"), machine,
    what of the machine was changed, failed (why it did, or nothing), what the kernel printed (cycles, tasks, steals,
    ...), work, span, parallelism and instructions a strand if it is analysed, and what ``counts`` makes of the
    statistics of the measured region.
    """

    machine = "big.TINY"
    configurations: tuple[str, ...] = TOGETHER
    """On which it runs every kernel, if it has no runs of its own."""

    def runs(self, quick: bool) -> list[KernelRun]:
        """The runs that it takes."""
        return [kernel_run(kernel, configuration, quick) for kernel in KERNELS for configuration in self.configurations]

    @abstractmethod
    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        """The published numbers that the measurements have a counterpart of."""

    def counts(self, outcome: Outcome) -> dict[str, float]:
        """What it needs of a run's statistics, by column."""
        return {}

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        outcomes = run_all(self.name, self.runs(quick), how)
        if not any(outcome.kept for outcome in outcomes):
            raise CroftError(f"{self.name}: every run failed: {outcomes[0].failed}")
        return pd.DataFrame([self._row(outcome) for outcome in outcomes])

    def _row(self, outcome: Outcome) -> dict[str, object]:
        each, kept = outcome.run, outcome.kept
        row: dict[str, object] = {
            "kernel": each.kernel,
            "configuration": each.configuration,
            "inputs": each.inputs,
            "machine": each.machine,
            "arguments": " ".join(each.arguments),
            **dict(each.changes),
            "failed": outcome.failed,
        }
        if not kept:
            return row
        line = {key: value for key, value in outcome.line.items() if key not in ("ok", "unverified")}
        if kept.analysis:
            tasks = kept.analysis
            row |= {"work": tasks.work, "span": tasks.span, "parallelism": tasks.parallelism}
            row |= {"instructions_per_strand": tasks.instructions_per_strand}
        return row | line | {"instructions": kept.total("core", "instructions")} | self.counts(outcome)

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        cells = self.compare(measured)
        if (measured["inputs"] == "quick").any():
            # The published numbers are those of other inputs.
            return [replace(cell, scored=False, note=_join("small input", cell.note)) for cell in cells]
        return cells


def by_kernel(measured: pd.DataFrame, column: str) -> pd.DataFrame:
    """A column of the measurements as a table, by kernel and configuration; no number: the run failed."""
    table = measured.pivot_table(index="kernel", columns="configuration", values=column, aggfunc="first", dropna=False)
    kernels = [kernel for kernel in KERNELS if kernel in set(measured["kernel"])]
    return table.reindex(index=kernels, columns=list(dict.fromkeys(measured["configuration"])))


def geometric_mean(values: Iterable[float]) -> float:
    """Of positive numbers; no number if there is none, or if one of them is missing or not positive."""
    listed = [float(value) for value in values]
    if not listed or any(not value > 0 for value in listed):
        return math.nan
    return math.exp(math.fsum(math.log(value) for value in listed) / len(listed))


def listing(names: Sequence[str], most: int = 6) -> str:
    """Names for a note, not too many of them."""
    return ", ".join([*names[:most], *(["..."] if len(names) > most else [])])


def _join(*texts: str) -> str:
    return "; ".join(text for text in texts if text)
