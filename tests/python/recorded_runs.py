"""Runs that are recorded in one way or another, and what they have to add up to."""

import pytest

import croft
from program_sources import PROGRAMS

RUNS = {
    "locks": (PROGRAMS / "mutex.cpp", ("4",)),
    "messages": ("pingpong", ("--count", "100")),
    "stealing": ("cilk5/queens", ("--size", "6")),
    "interrupts": ("cilk5/queens", ("--size", "6", "--grain", "2", "--runtime", "interrupt_stealing")),
}
MACHINES = ("tilepro64", "big-tiny-64-mesi", "big-tiny-64-gwb")
SLOW = pytest.mark.slow("large programs, each built twice; one with locks stands for them")
COMBINATIONS = [
    pytest.param((name, machine), id=f"{name}-{machine}", marks=[SLOW] if name != "locks" else [])
    for name in RUNS
    for machine in MACHINES
    # One measures distances on a mesh of tiles, which take no interrupts of each other.
    if machine == ("tilepro64" if name == "messages" else machine) and (name, machine) != ("interrupts", "tilepro64")
]


def recorded(name, machine, **options):
    program, arguments = RUNS[name]
    return croft.run(program, machine, arguments=arguments, interval=2**62, **options)


def whole(result):
    """The statistics of the whole run, whatever its regions: nothing but what the interval's table adds up to."""
    frame = result.intervals
    return frame.groupby(["part", "index", "name"])["value"].sum()
