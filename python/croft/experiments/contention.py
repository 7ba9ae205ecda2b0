"""Paper 000, section 5 and figure 3: what the clients of one server wait for each other."""

import itertools
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from croft import _simulator
from croft.experiments.closed_queue import asymptotic_bound, closed_queue_response, fixed_point
from croft.experiments.experiment import Cell, Experiment
from croft.sweeps.executors import pool_on
from croft.sweeps.many_runs import How

# All in cycles; the service and base times are the paper's range, the think times its three grains.
SERVICES = (5, 10, 20)
BASE_LATENCIES = (20, 50, 100)
THINK_TIMES = (100, 500, 2000)
HIGHEST_UTILISATION = 0.8
"""Above it the model's waiting time runs away, and only the bound is compared."""
REQUESTS = 200_000


class Contention(Experiment):
    """The simulator's server under 1 to 60 blocking clients, beside the M/D/1 model of the paper.

    The server, its messages and their order are the machine's own (simulator/machine/contention_probe.hpp). The paper
    prints no numbers, but the model that it draws; so the model is what stands under "published".

    The model takes the clients for an unlimited population. With few of them at a busy server it is far off: no client
    waits for itself. Where it differs by more than half of the tolerance from the solution of the closed queue
    M/D/1//p, that solution is compared instead, and the cell's note says so.
    """

    name = "contention"
    title = "Response time of a shared server"
    source = "paper 000, section 5 and figure 3"
    machine = "none: one server"
    # The bound holds for the mean of all think times; a run's own mean is off by half a percent.
    tolerances = {"predicted": 0.10, "bound": 0.005}  # noqa: RUF012

    def measure(self, quick: bool, how: How) -> pd.DataFrame:
        clients = (1, 2, 4, 8, 16, 32, 60) if quick else (*range(1, 10), *range(10, 61, 2))
        cases = list(itertools.product(SERVICES, BASE_LATENCIES, THINK_TIMES, clients))

        with pool_on(how.on, how.jobs) as pool:
            futures = [pool.submit(0, _response, *case) for case in cases]
            responses = [future.result() for future in futures]
        table = pd.DataFrame(cases, columns=["service", "base_latency", "think", "clients"])
        return table.assign(response=responses)

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for row in measured.itertuples():
            name = f"Ts {row.service}, Lb {row.base_latency}, Tp {row.think}, {row.clients} clients"
            model, utilisation = fixed_point(row.clients, row.service, row.base_latency, row.think)
            if utilisation < HIGHEST_UTILISATION:
                found += self._responses(name, row, model)
            bound = asymptotic_bound(row.clients, row.service, row.think)
            if bound > row.base_latency:
                tolerance = self.tolerances["bound"]
                found.append(
                    Cell(f"{name}, bound", "cycles", bound, row.response, "predicted", tolerance, rule="at_least")
                )
        return found

    def _responses(self, name: str, row: Any, model: float) -> list[Cell]:
        tolerance = self.tolerances["predicted"]
        closed = closed_queue_response(row.clients, row.service, row.base_latency, row.think)
        off = model / closed - 1
        if abs(off) <= tolerance / 2:
            return [Cell(name, "cycles", model, row.response, "predicted", tolerance)]
        note = f"the model is {off:+.1%} off the closed queue of {row.clients} clients"
        return [
            Cell(name, "cycles", model, row.response, "predicted", tolerance, scored=False, note=note),
            Cell(f"{name}, closed queue", "cycles", closed, row.response, "predicted", tolerance, note=note),
        ]

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(12, 10), layout="constrained")
        panels = figure.subplots(len(SERVICES), len(BASE_LATENCIES), sharex=True)
        for (row, service), (column, base_latency) in itertools.product(enumerate(SERVICES), enumerate(BASE_LATENCIES)):
            axes = panels[row][column]
            for number, think in enumerate(THINK_TIMES):
                own = measured.query("service == @service and base_latency == @base_latency and think == @think")
                every = range(1, 61)
                model = [fixed_point(clients, service, base_latency, think)[0] / base_latency for clients in every]
                axes.plot(every, model, color=f"C{number}", lw=1, label=f"M/D/1, $T_P$ = {think}")
                ratio = own["response"] / base_latency
                axes.plot(own["clients"], ratio, "s", ms=3, color=f"C{number}", label=f"croft, $T_P$ = {think}")
            axes.set_title(f"$T_S$ = {service}, $L_b$ = {base_latency} cycles", fontsize="medium")
            axes.grid(alpha=0.3)
            if row == len(SERVICES) - 1:
                axes.set_xlabel("clients")
            if column == 0:
                axes.set_ylabel("response time / base latency")
        panels[0][0].legend(fontsize="x-small")
        figure.suptitle(f"{self.title}: under-load over base latency")
        return figure


def _response(service: int, base_latency: int, think: int, clients: int) -> float:
    return _simulator.contention(clients, service, base_latency, think, REQUESTS)
