"""The experiments on paper 002's figures and text: what they make of made-up measurements, and what falls short."""

import math
import re

import pandas as pd
import pytest

import croft
from bigtiny_tables import SERIAL_CYCLES, rows, short, stacks
from croft.experiments import energy
from croft.experiments.big_tiny import KERNELS, kernel_run
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.kernel_runs import Outcome
from croft.experiments.own_stealing import OURS, SPENT, THEIRS
from croft.experiments.published import claim
from croft.experiments.stacked_bars import shares
from croft.experiments.time_breakdown import CATEGORIES as TIMES
from croft.experiments.traffic import CATEGORIES as BYTES
from croft.experiments.uli import LATENCY, SHARE, STEALING, UTILISATION, number, percent_bound
from croft.experiments.work_span import published_columns
from croft.sweeps.kept_runs import KeptRun


def times(special=()):
    found = {("hcc_gwt", "atomic"): 3, ("hcc_gwb", "atomic"): 3, ("hcc_gwb", "flush"): 2, ("hcc_dnv", "data store"): 2}
    values = stacks("time", TIMES, found | dict(special))
    for each in values.values():
        each["region_cycles"] = sum(each.values())
    return values


def test_time_breakdown_against_the_text():
    assert short("time_breakdown", rows(times())) == []
    assert short("time_breakdown", rows(times({("dts_gwb", "atomic"): 4}))) == [
        "stealing directly takes time from atomics with GPU-WB"
    ]
    assert short("time_breakdown", rows(times({("hcc_dnv", "data store"): 0.5}))) == [
        "cilk5-mt: more time in stores with HCC-dnv than with MESI"
    ]
    values = times()
    values["ligra-bc", "dts_gwt"]["region_cycles"] *= 1.05
    assert short("time_breakdown", rows(values)) == ["categories add up to the measured time"]
    assert len(EXPERIMENTS["time_breakdown"].draw(rows(values)).axes) == 1


def test_a_run_that_failed_is_a_shortfall_of_both_figures_and_no_exception():
    for name, values, cell in (
        ("time_breakdown", times(), "cilk5-mt: more time in stores with HCC-dnv than with MESI"),
        ("traffic", traffic(), "mean: HCC-dnv requests and gets more than MESI"),
    ):
        measured = rows(values)
        failed = measured["kernel"] == "cilk5-mt"
        numbers = measured.columns.difference(["kernel", "configuration", "inputs", "machine"])
        without_numbers = measured.copy()
        without_numbers.loc[failed, numbers] = math.nan
        for incomplete in (without_numbers, measured[~failed]):
            assert cell in short(name, incomplete)
            EXPERIMENTS[name].draw(incomplete)
    assert "categories add up to the measured time" in short("time_breakdown", rows(times())[1:])


def test_stacks_are_in_units_of_the_kernel_s_own_sum():
    table = shares(rows(times()), "time", tuple(TIMES), "bigtiny_mesi")
    assert table.xs("bigtiny_mesi", level="configuration").sum(axis=1).tolist() == pytest.approx([1.0] * 13)
    assert table.loc[("cilk5-cs", "hcc_gwt"), "atomic"] == pytest.approx(3 / len(TIMES))


def traffic(special=()):
    found = {("hcc_gwt", "wb_req"): 9, ("hcc_gwt", "sync_req"): 3, ("hcc_gwb", "sync_req"): 3}
    found |= {(f"hcc_{protocol}", "cpu_req"): 2 for protocol in ("dnv", "gwt", "gwb")}
    found |= {("hcc_gwb", "wb_req"): 2, ("dts_gwt", "wb_req"): 9}
    values = stacks("traffic", BYTES, found | dict(special))
    for each in values.values():
        each["traffic"] = sum(each.values())
    return values


def test_traffic_against_the_text():
    assert short("traffic", rows(traffic())) == []
    assert len(EXPERIMENTS["traffic"].draw(rows(traffic())).axes) == 1
    assert short("traffic", rows(traffic({("dts_gwb", "wb_req"): 3}))) == [
        f"DTS-gwb against MESI: {claim('on-chip traffic of HCC-DTS-gwb against full MESI')}",
        "mean: DTS-gwb writes less than HCC-gwb",
    ]
    values = traffic()
    values["ligra-bc", "hcc_gwt"]["traffic"] = 1
    values["cilk5-mt", "hcc_gwb"]["traffic"] = 1e3  # what the paper excepts
    assert short("traffic", rows(values)) == [
        "bytes in all kernels: HCC-gwt more than MESI",
        "bytes in all kernels: HCC-gwt more than HCC-dnv",
        "bytes in all kernels: HCC-gwb less than HCC-gwt, but cilk5-mt",
    ]


def interrupts(**changes):
    each = {
        "requests": 100,
        "crossing": 6000,
        "answered": 30000,
        "nacks": 10,
        "latency": 60.0,
        "utilisation": 0.01,
        "share": 0.002,
    }
    return rows({(kernel, name): {**each, **changes} for kernel in KERNELS for name in STEALING})


def test_user_level_interrupts_against_the_text():
    assert (percent_bound(claim(UTILISATION)), percent_bound(claim(SHARE)), number(claim(LATENCY))) == (5, 1, 50)
    assert short("uli", interrupts()) == []
    assert len(EXPERIMENTS["uli"].draw(interrupts()).axes) == 3
    assert all(UTILISATION in name for name in short("uli", interrupts(utilisation=0.05)))
    assert len(short("uli", interrupts(utilisation=0.05))) == 3
    assert len(short("uli", interrupts(share=0.011))) == 3
    assert all(LATENCY in name for name in short("uli", interrupts(crossing=8000)))
    assert len(short("uli", interrupts(crossing=8000))) == 3
    # A kernel in which nobody steals has no latency, and takes no part in the mean.
    measured = interrupts()
    measured.loc[0, ["requests", "crossing", "answered", "nacks", "latency"]] = [0, 0, 0, 0, math.nan]
    assert short("uli", measured) == []


def grains(speedups, parallelism):
    """Measurements of granularity: a speedup and a logical parallelism by grain."""
    found = [{"configuration": "serial", "grain": 32, "cycles": SERIAL_CYCLES}]
    for grain, value in speedups.items():
        found.append({"configuration": "tiny_mesi", "grain": grain, "cycles": SERIAL_CYCLES / value})
        found.append({"configuration": "analysis", "grain": grain, "parallelism": parallelism[grain]})
    return pd.DataFrame(found).assign(kernel="ligra-tc", inputs="table III")


def analysed(special=()):
    """Measurements of work_span: what table III prints, but ``special`` times that for a kernel and column."""
    theirs = published_columns()
    factors = dict(special)
    found = []
    for kernel in KERNELS:
        values = {name: theirs.loc[kernel, name] * factors.get((kernel, name), 1) for name in theirs.columns}
        found.append({"kernel": kernel, "configuration": "serial", "instructions": values.pop("instructions")})
        found.append({"kernel": kernel, "configuration": "analysis", **values})
    return pd.DataFrame(found).assign(inputs="table III")


def test_work_and_span_against_table_iii():
    assert short("work_span", analysed()) == []
    assert len(EXPERIMENTS["work_span"].draw(analysed()).axes) == 1
    within = {("cilk5-cs", "work"): 0.76, ("cilk5-cs", "span"): 1.24}
    assert short("work_span", analysed(within)) == []
    beyond = {
        ("cilk5-nq", "work"): 0.7,
        ("cilk5-nq", "span"): 0.74,
        ("ligra-tc", "parallelism"): 1.3,
        ("ligra-bc", "instructions"): 3,
    }
    assert short("work_span", analysed(beyond)) == [
        "cilk5-nq, work",
        "cilk5-nq, span",
        "ligra-tc, logical parallelism",
    ]
    failed = analysed()
    failed.loc[failed["kernel"] == "ligra-tc", ["work", "span", "parallelism"]] = math.nan
    assert len(short("work_span", failed)) == 3


def test_granularity_against_the_text():
    parallelism = {2: 900, 32: 300, 512: 40}
    good = grains({2: 20, 32: 30, 512: 15}, parallelism)
    assert short("granularity", good) == []
    assert len(EXPERIMENTS["granularity"].draw(good).axes) == 2
    assert short("granularity", grains({2: 30, 32: 25, 512: 31}, {**parallelism, 512: 400})) == [
        "a grain of 32 is the best or close to it",
        "the largest grain is too large",
        "logical parallelism falls as the grain grows",
    ]
    assert short("granularity", grains({2: 31, 32: 30.9, 512: 12}, parallelism)) == ["the smallest grain is too small"]
    assert short("granularity", grains({2: 31, 32: 27.8, 512: 12}, parallelism))[0].startswith("a grain of 32")


def test_energy_is_events_times_constants():
    statistics = {
        "core": {"instructions": {0: 1000, 5: 2000}},
        "window": {"squashed": {0: 100}},
        "l1d": {"load_misses": {0: 3, 5: 1}, "flush_flushed": {5: 4}},
        "bank": {"reads": {0: 4}, "writes": {7: 2}},
        "coherence_mesh": {"busy": {0: 50}},
        "memory_mesh": {"busy": {0: 10}},
        "memory": {"reads": {1: 2}, "writes": {0: 1}},
    }
    run = kernel_run("cilk5-cs", "dts_gwb", True)
    outcome = Outcome(run, croft.machine(run.machine), KeptRun("", 1, 1, 1.0, statistics))
    assert energy.events(outcome) == {
        "tiny core": 2000,
        "big core": 1100,
        "tiny L1 line": 5,
        "big L1 line": 3,
        "L2 line": 4,
        "L2 words": 2,
        "network": 60,
        "memory": 3,
    }
    counts = EXPERIMENTS["energy"].counts(outcome)
    assert counts["energy.memory"] == pytest.approx(3 * 16e3 / 1e6)
    assert counts["energy"] == pytest.approx(sum(value for name, value in counts.items() if name != "energy"))
    assert energy.sram(256, 8) == 50
    assert energy.sram(512, 32) == 200
    # Each constant says where it is from: who, where, when.
    assert all(re.search(r"\b(19|20)\d\d\b", event.source) for event in energy.EVENTS.values())


def test_energy_is_similar_or_not():
    values = stacks("energy", energy.EVENTS, {})
    for (_, name), each in values.items():
        each["energy"] = 1.1 if name == "dts_gwb" else 1.0
    assert short("energy", rows(values)) == []
    assert len(EXPERIMENTS["energy"].draw(rows(values)).axes) == 1
    for kernel in KERNELS:
        values[kernel, "dts_gwb"]["energy"] = 1.3
    assert len(short("energy", rows(values))) == 1


def stealing(**cycles):
    """Measurements of own_stealing: a tenth of the cores' time goes into each of what SPENT has."""
    shares = dict.fromkeys((f"share.{name}" for name in SPENT), 0.1)
    return rows(
        {(kernel, name): {"cycles": cycles.get(name, 1e6), **shares} for kernel in KERNELS for name in (*THEIRS, *OURS)}
    )


def test_own_stealing_against_its_aim():
    assert short("own_stealing", stealing(croft_gwb=1e6 / 1.36)) == []
    assert short("own_stealing", stealing(croft_gwb=1e6 / 1.34)) == [
        "croft, GPU-WB over figure 3a on MESI, geometric mean"
    ]
    cells = {cell.name: cell for cell in EXPERIMENTS["own_stealing"].cells(stealing(croft_gwb=0.8e6))}
    free = cells["croft, GPU-WB, without the cores' waiting for work, atomics and flushes, geometric mean"]
    assert free.measured == pytest.approx(1 / 0.8 / 0.7)
    assert not free.scored
    measured = stealing()
    measured.loc[measured["configuration"] == "croft_gwb", ["cycles", *(f"share.{name}" for name in SPENT)]] = math.nan
    assert len(short("own_stealing", measured)) == 1
    assert len(EXPERIMENTS["own_stealing"].draw(measured).axes) == 1
