"""Messages, farms and maps on chips that people have, with home-forwarding and user messages and without."""

import itertools
import math
from collections.abc import Iterator

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from croft.experiments.experiment import Cell, Experiment, true_cell
from croft.machines.file import machine
from croft.machines.model import Machine
from croft.sweeps.points import Point

PAIRS = {"xeon-e5-2650": ("0,1", "0,3", "0,7"), "sg2042": ("0,1", "0,4", "0,20", "0,63")}
"""Of cores, near to far; the SG2042's first pair shares an L2."""
WORKERS = {"xeon-e5-2650": 6, "sg2042": 14}
WITHOUT, WITH = ("ra", "turns"), ("ra-hf", "ra-udn", "udn")
"""Channels: slots with flags, the papers' and the library's; slots that are forwarded, with flags and with events on
the user network; and words on that network."""
SHORT, LONG = 500, 1000
"""Round trips of two runs. What the longer one has more, is free of beginnings and ends."""
ITEMS = (64, 1024, 8192)
GRAINS = (0, 500, 1000, 2000, 4000, 8000, 16000)
"""Multiplications for an item, three or four cycles each."""
ITEM_CHANNELS = ("turns", "ra-hf", "ra-udn")
FARM = (32, 64)
MAP = (56, 112)
MAP_RUNTIMES = {"sm_tree": "turns", "ra_home_tree": "ra-hf", "udn_tree": "ra-udn"}
"""Those of the papers that stand for the farm's channels. The first has slots of the papers' kind."""
FLITS = "coherence_mesh.flits"
FASTER = 1.5
"""The times that a message is to be faster."""
MATTERS = 0.03
"""Service times that differ by less are the same."""


def chip_with(chip: str, forwards: bool) -> Machine:
    """The chip, or the same with home-forwarding and user messages, whose times are those assumed for the Xeon."""
    if not forwards:
        return machine(chip)
    assumed = machine("xeon-e5-2650-hfwd")
    if chip == "xeon-e5-2650":
        return assumed
    values = assumed.model_dump()
    return machine(chip).with_keys({each: values[each] for each in ("forwarding", "user_network")})


class Forwarding(Experiment):
    """Latency of a message, service time by the grain of items, of a farm and of a map, and flits of the network.

    No such chips were built, so nothing is published, and all cells are statements of ours about what they would bring.
    """

    name = "forwarding"
    title = "Home-forwarding and user messages on chips that people have"
    source = "paper 000, tables 5 to 7, on other chips"
    machine = "xeon-e5-2650 and sg2042"
    tolerances = {}  # noqa: RUF012

    def points(self, quick: bool) -> list[Point]:
        chips = ("xeon-e5-2650",) if quick else tuple(PAIRS)
        return [point for chip in chips for point in self._of(chip, quick)]

    def _of(self, chip: str, quick: bool) -> Iterator[Point]:
        def point(kind: str, program: str, channel: str, arguments: tuple[str, ...]) -> Point:
            labels: dict[str, object] = {"chip": chip, "what": kind, "by": channel}
            on = chip_with(chip, channel not in WITHOUT)
            return Point(program, arguments, labels, machine=on, statistics=(FLITS,))

        pairs = PAIRS[chip][:1] if quick else PAIRS[chip]
        for pair, channel, count in itertools.product(pairs, (*WITHOUT, *WITH), (SHORT, LONG)):
            yield point("message", "pingpong", channel, ("--cores", pair, "--count", str(count), "--channel", channel))
        workers = ("--workers", str(WORKERS[chip]))
        for size, grain, channel in itertools.product(
            ITEMS[:1] if quick else ITEMS, GRAINS[::3] if quick else GRAINS, ITEM_CHANNELS
        ):
            asked = ("--bytes", str(size), "--multiplications", str(grain), "--count", "300", "--channel", channel)
            yield point("items", "item_grain", channel, (*asked, *workers))
        if quick:
            return
        stream = (*workers, "--count", "300")
        for size, channel in itertools.product(FARM, ITEM_CHANNELS):
            yield point("farm", "farm_convolution", channel, ("--size", str(size), "--channel", channel, *stream))
        for size, (runtime, channel) in itertools.product(MAP, MAP_RUNTIMES.items()):
            yield point("map", "map_matvec", channel, ("--size", str(size), "--runtime", runtime, *stream))

    def cells(self, measured: pd.DataFrame) -> list[Cell]:
        found = []
        for chip, rows in messages(measured).groupby("chip", sort=False):
            mean, flits = (rows.groupby("by")[column].mean() for column in ("cycles", "flits"))
            flits = flits.round(1) + 0.0  # no -0.0
            for channel, other, words in (
                ("udn", "turns", "a word by user messages for the library's slots"),
                ("ra-udn", "ra", "forwarded slots with user messages as events for the same slots with flags"),
            ):
                ratio = mean[other] / mean[channel]
                name = f"{chip}: {words}, {FASTER:g} times as fast"
                note = f"{ratio:.2f}: {mean[channel]:.0f} cycles for {mean[other]:.0f}, "
                note += f"{flits[channel]:.1f} flits for {flits[other]:.1f}"
                found.append(true_cell(name, ratio >= FASTER, "predicted", note))
        for row in grain_that_matters_not(against_slots(measured)).itertuples():
            is_met = math.isfinite(row.cycles)
            name = f"{row.chip}: items of {row.bytes:.0f} bytes by {row.by}, from some grain on as fast as slots"
            note = f"from a service time of {row.cycles:,.0f} cycles on" if is_met else "not within what was measured"
            found.append(Cell(name, "true", 1.0, float(is_met), "predicted", 0.0, scored=False, note=note))
        return found

    def draw(self, measured: pd.DataFrame) -> Figure:
        chips = list(measured["chip"].unique())
        figure = Figure(figsize=(15, 4.2 * len(chips)), layout="constrained")
        all_axes = figure.subplots(len(chips), 3, squeeze=False)
        for chip, (latency, time, flits) in zip(chips, all_axes, strict=True):
            rows = messages(measured[measured["chip"] == chip])
            for number, (channel, of) in enumerate(rows.groupby("by", sort=False)):
                at = [position + 0.16 * number for position in range(len(of))]
                latency.bar(at, of["cycles"], 0.15, label=channel)
            latency.set_xticks([at + 0.32 for at in range(rows["cores"].nunique())], rows["cores"].unique())
            latency.set(title=f"{chip}: a one-word message", xlabel="cores", ylabel="cycles one way")
            latency.set_ylim(0, 1.35 * rows["cycles"].max())
            latency.legend(fontsize="small", loc="upper left", ncols=5)
            compared = against_slots(measured[measured["chip"] == chip])
            for (size, channel), of in compared.groupby(["bytes", "by"], sort=False):
                style = {
                    "ls": "-" if channel == "ra-hf" else "--",
                    "color": f"C{ITEMS.index(int(size))}",
                    "marker": ".",
                }
                label = f"{size:.0f} bytes, {channel}"
                time.plot(of["service_time_cycles_of_slots"], of["time"], label=label, **style)
                flits.plot(of["service_time_cycles_of_slots"], of["flits"], label=label, **style)
            for axes, what in ((time, "service time"), (flits, "flits")):
                axes.axhline(1, color="grey", lw=1)
                axes.set(title=f"a farm's {what}", xscale="log", xlabel="service time by slots, cycles")
                axes.set_ylabel(f"{what}, over slots with flags")
                axes.xaxis.set_minor_formatter(NullFormatter())
                axes.set_xticks([500, 1000, 2000, 4000, 8000], ["500", "1,000", "2,000", "4,000", "8,000"])
                axes.grid(alpha=0.3)
                axes.margins(y=0.22)
                axes.legend(fontsize="x-small", ncols=3, loc="upper right")
        figure.suptitle(self.title)
        return figure


def messages(measured: pd.DataFrame) -> pd.DataFrame:
    """A row for each chip, pair of cores and channel: one-way ``cycles``, and ``flits`` for a message."""
    rows = measured[measured["what"] == "message"]
    keys = ["chip", "cores", "by"]
    short, long = (rows[rows["count"] == count].set_index(keys) for count in (SHORT, LONG))
    flits = (long[FLITS] - short[FLITS]) / (2 * (LONG - SHORT))
    return long[["cycles"]].assign(flits=flits).reset_index()


def against_slots(measured: pd.DataFrame) -> pd.DataFrame:
    """The items that are forwarded: service ``time`` and ``flits`` over those of slots that are not."""
    rows = measured[measured["what"] == "items"]
    slots = rows[rows["by"] == "turns"]
    joined = rows[rows["by"] != "turns"].merge(
        slots, on=["chip", "bytes", "multiplications"], suffixes=("", "_of_slots")
    )
    time = joined["service_time_cycles"] / joined["service_time_cycles_of_slots"]
    return joined.assign(time=time, flits=joined[FLITS] / joined[f"{FLITS}_of_slots"])


def grain_that_matters_not(compared: pd.DataFrame) -> pd.DataFrame:
    """For each size and channel the least service time by slots from which on forwarding changes it by under 3%."""
    found = []
    for (chip, size, channel), rows in compared.groupby(["chip", "bytes", "by"], sort=False):
        ordered = rows.sort_values("multiplications")
        changes = (ordered["time"] - 1).abs() >= MATTERS
        same = ordered[~changes[::-1].cummax()[::-1]]
        first = float(same["service_time_cycles_of_slots"].min()) if len(same) else float("inf")
        found.append({"chip": chip, "bytes": size, "by": channel, "cycles": first})
    return pd.DataFrame(found)
