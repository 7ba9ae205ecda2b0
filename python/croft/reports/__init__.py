"""A page about a run, or two beside each other, made of what ``croft run --json`` wrote (``croft report``).

What there is to say and to draw of a run is also what a notebook shows of it (croft.results.notebook). It depends on
``recording`` and ``machines``, and reads results as JSON says them: it knows no Result.
"""
