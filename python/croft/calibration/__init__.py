"""A machine file of this host: rows are measured, keys are fitted to some of them, and the others compared.

It depends on ``sweeps``, which run the same programs on the machine that is fitted, and on ``experiments``, which run
programs on this host.
"""
