"""A machine file of this host: what its caches, cores and memory take, measured; keys fitted to that; the rest compared.

It depends on ``sweeps``, which run the same programs on the machine that is fitted, and on ``experiments``, which run
programs on this host.
"""
