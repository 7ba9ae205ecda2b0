"""What came out of a run: the Result, its text, its JSON and its files, and how it differs from another one.

It depends on ``reports``, with which a notebook shows a result, on ``recording``, and on what is below them.
"""
