"""Paper 002, section VI.C: how busy the network of user-level interrupts is, how fast, and what stealing costs."""

import re

import pandas as pd
from matplotlib.figure import Figure

from croft.experiments.big_tiny import KERNELS, TITLES, BigTinyExperiment, by_kernel
from croft.experiments.experiment import Cell, true_cell
from croft.experiments.kernel_runs import Outcome
from croft.experiments.published import claim

STEALING = ("dts_dnv", "dts_gwt", "dts_gwb")
UTILISATION = "user-level-interrupt network utilisation"
LATENCY = "average ULI latency"
SHARE = "share of run time spent in direct task stealing"
QUANTITIES = {
    "utilisation": "links in use, %",
    "latency": "cycles in the network, there and back",
    "share": "time in handlers, %",
}


class Uli(BigTinyExperiment):
    """The interrupts of direct task stealing in all kernels, on all three machines whose L1s are software-coherent.

    Utilisation is the part of the links' cycles in which a message crosses one. Latency is the network's, of a request
    and its answer together. From a request to its answer it takes longer: a core answers between two instructions, of
    which one may wait for memory, and in a handler that flushes; that is shown, and so is one way. The time that goes
    into stealing is that of the victims, in handlers. Thieves have nothing else to do.
    """

    name = "uli"
    title = "User-level interrupts of direct task stealing"
    source = "paper 002, section VI.C"
    configurations = STEALING
    tolerances = {"about": 0.5}  # noqa: RUF012 - how far off "about" so many cycles may be

    def counts(self, outcome: Outcome) -> dict[str, float]:
        chip = outcome.machine
        requests, active = outcome.total("uli", "requests"), outcome.total("core", "active")
        capacity = outcome.total("user_mesh", "capacity")
        answered = outcome.total("uli", "latency")
        ends = chip.uli.inject + chip.uli.eject if chip.uli else 0
        crossing = outcome.total("user_mesh", "hops") * chip.network.hop + outcome.total("user_mesh", "messages") * ends
        crossing += outcome.total("user_mesh", "waited")
        return {
            "requests": requests,
            "nacks": outcome.total("uli", "nacks"),
            "handled": outcome.total("uli", "handled"),
            "crossing": crossing,
            "answered": answered,
            "utilisation": outcome.total("user_mesh", "busy") / capacity if capacity else float("nan"),
            "latency": crossing / requests if requests else float("nan"),
            "share": outcome.total("core", "handlers") / active if active else float("nan"),
        }

    def compare(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for quantity, what in (("utilisation", UTILISATION), ("share", SHARE)):
            bound = percent_bound(claim(what))
            for name in STEALING:
                ours = 100 * by_kernel(measured, quantity).reindex(index=KERNELS)[name].astype(float)
                most = ours.max(skipna=False)
                note = f"at most {most:.3g}%" + (f" ({ours.idxmax()})" if most == most else "")
                found.append(true_cell(f"{TITLES[name]}: {what} {claim(what)}", most < bound, "predicted", note))
        paper = number(claim(LATENCY))
        for name in STEALING:
            rows = measured[measured["configuration"] == name]
            sums = {each: rows[each].sum(skipna=False) for each in ("requests", "crossing", "answered", "nacks")}
            asked = sums["requests"]
            ours, answer = (float(sums[each] / asked) if asked else float("nan") for each in ("crossing", "answered"))
            label, tolerance = f"{TITLES[name]}: {LATENCY}", self.tolerances["about"]
            note = f"{rows['latency'].min():.0f} to {rows['latency'].max():.0f} by kernel"
            found.append(Cell(label, "cycles", paper, ours, "predicted", tolerance, note=note))
            # The paper does not say which way, or whether to the answer.
            label = f"{TITLES[name]}: one way through the network"
            found.append(Cell(label, "cycles", paper, ours / 2, "predicted", tolerance, scored=False))
            note = f"{100 * sums['nacks'] / max(asked, 1):.0f}% refused"
            label = f"{TITLES[name]}: from a request to its answer"
            found.append(Cell(label, "cycles", paper, answer, "predicted", tolerance, False, note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        figure = Figure(figsize=(13, 8), layout="constrained")
        bounds = {"utilisation": percent_bound(claim(UTILISATION)), "share": percent_bound(claim(SHARE))}
        bounds["latency"] = number(claim(LATENCY))
        for axes, (quantity, label) in zip(figure.subplots(3, 1, sharex=True), QUANTITIES.items(), strict=True):
            scale = 1 if quantity == "latency" else 100
            table = scale * by_kernel(measured, quantity).reindex(index=KERNELS).astype(float)
            for place_of, name in enumerate(STEALING):
                places = [place + 0.27 * (place_of - 1) for place in range(len(KERNELS))]
                axes.bar(places, table[name], 0.25, label=TITLES[name])
            axes.axhline(bounds[quantity], color="black", ls="--", lw=1, label="paper")
            axes.set(ylabel=label)
            axes.grid(alpha=0.3, axis="y")
            axes.legend(fontsize="small", ncols=4)
        axes.set_xticks(range(len(KERNELS)), KERNELS, rotation=30, ha="right", fontsize="small")
        figure.suptitle(self.title)
        return figure


def number(text: str) -> float:
    """The number in "about 50 cycles"."""
    return float(re.findall(r"\d+(?:\.\d+)?", text)[0])


def percent_bound(text: str) -> float:
    """The 5 of "< 5%"."""
    return float(text.lstrip("< ").rstrip("%"))
