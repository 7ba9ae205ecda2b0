"""The experiments' names, in their order: known without what draws, which takes two seconds to import."""

from croft.base.errors import UsageError
from croft.base.nearest import did_you_mean

NAMES = (
    *("read_latency", "write_latency", "native_latency", "xeon_latency", "contention", "pingpong", "selection"),
    *("queue_latency", "farm_convolution", "coherence_requests", "defaults", "map_matvec", "map_gemv"),
    *("stream_matmul", "accelerator"),
    *("grain", "memory_grain", "o3x1_calibration", "bigtiny_speedup", "coherence_operations", "time_breakdown"),
    *("traffic", "uli", "bigtiny_256", "work_span", "granularity", "energy", "own_stealing", "sg2042"),
    *("chips", "forwarding", "scaling"),
)


def check_name(name: str) -> None:
    """Raises UsageError if no experiment is called so."""
    if name not in NAMES:
        listed = f" (known: {', '.join(NAMES)})"
        raise UsageError(f"no experiment is called {name!r}{did_you_mean(name, NAMES, listed)}")
