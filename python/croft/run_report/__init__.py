"""A page about a run, or two beside each other, made of what ``croft run --json`` wrote (``croft report``).

Unlike croft.report, which prints a result to a terminal, this reads files, and needs the extra ``report``.
"""
