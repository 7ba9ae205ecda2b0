"""One run: what decides it, what the program sees of this host, carrying it out, and checkpoints to go on from.

It depends on ``results``, ``recording``, ``symbols``, ``programs``, ``machines``, ``base``, and on ``watching``
for samples. It knows nothing of other runs.
"""
