"""What would make a program faster: other homes for its data, and other lines for what cores contend for.

It depends on ``runs``, which can try the homes, on ``reports``, which say what limits a run, and on ``recording``, from
which the advice follows.
"""
