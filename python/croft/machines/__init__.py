"""Machines as their files describe them: read, checked, changed by their keys, and written again.

The simulator says which keys there are and what they may be. It depends on ``base`` alone.
"""
