"""What this host has: memory and cores."""

import os


def host_memory() -> int:
    """This host's memory, in bytes; where the host does not say, 16 GiB."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return 16 << 30


def host_cores() -> int:
    """How many cores of the host this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
