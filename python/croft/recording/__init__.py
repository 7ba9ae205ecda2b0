"""What the simulator records of a run: where cycles went, who used which memory, when, and what checks found.

Each module gives one record its names and lines, and writes it as other tools read it. It depends on ``symbols``
and ``base``.
"""
