"""Made-up measurements for the experiments on paper 002's kernels."""

import pandas as pd

from croft.experiments.big_tiny import CONFIGURATIONS, KERNELS, TOGETHER
from croft.experiments.conduct import EXPERIMENTS
from croft.experiments.own_stealing import OURS

SERIAL_CYCLES = 1e9


def rows(values, inputs="table III"):
    """Measurements: ``values`` has a dictionary of columns for each kernel and configuration."""
    machines = {name: chosen.machine for name, chosen in (CONFIGURATIONS | OURS).items()}
    return pd.DataFrame(
        [
            {"kernel": kernel, "configuration": name, "inputs": inputs, "machine": machines[name], **each}
            for (kernel, name), each in values.items()
        ]
    )


def short(name, measured):
    """The scored cells that fall short."""
    return [cell.name for cell in EXPERIMENTS[name].cells(measured) if cell.scored and not cell.ok]


def stacks(prefix, categories, special):
    """Every category one, but what ``special`` has for a configuration and category."""
    return {
        (kernel, name): {f"{prefix}.{each}": special.get((name, each), 1.0) for each in categories}
        for kernel in KERNELS
        for name in TOGETHER
    }
