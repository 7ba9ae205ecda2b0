"""A page about a run, or two beside each other, made of what ``croft run --json`` wrote (``croft report``).

Unlike croft.report, which prints a result to a terminal, this reads files; the page and figures need the extra
``report``. What there is to say and to draw of a run is also what a notebook shows of it (croft.notebook).
"""
