"""Colours of what a cycle may go to: waits for memory are blue, for other cores orange; on light and on dark alike."""

CAUSE_COLOURS = {
    "issue": "#4c9f70",
    "stall_l2": "#9ecae1",
    "stall_home": "#4292c6",
    "stall_memory": "#2b6cb0",
    "stall_atomic": "#807dba",
    "stall_fence": "#b5b3d6",
    "stall_store_buffer": "#c994c7",
    "wait_line": "#f4892f",
    "wait_network": "#fdbe6f",
    "interrupt": "#d9c64a",
    "wait_kernel": "#a8a8a8",
    "stall_fetch": "#d6616b",
    "stall_translation": "#8c6d31",
}
