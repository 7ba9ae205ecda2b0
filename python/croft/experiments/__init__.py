"""The papers' tables and figures, each as an experiment that can be repeated, and what puts measured beside published.

It depends on ``sweeps``, which does the runs, and on what is below that. It needs the extra ``experiments``.
"""

import os

from croft.base.folders import cache_folder, cache_is_temporary

# Else matplotlib complains itself of a home that cannot be written, and lists its fonts anew each time.
if cache_is_temporary():
    os.environ.setdefault("MPLCONFIGDIR", str(cache_folder() / "matplotlib"))
