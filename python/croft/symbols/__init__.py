"""What a program's own tables say: of an address the function and line, and of its code what recorders have to know.

It depends on ``base`` alone: it looks into a file, and knows nothing of runs.
"""
