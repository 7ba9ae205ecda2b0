"""What a person sees of a run while it goes on: a line of progress, or the dashboard of ``croft run --live``.

A ``sample`` is what the simulator tells of a moment. It depends on ``machines`` and ``base``.
"""
