"""How a program comes to be: compilers, the cache of what they built, and pictures for programs to read.

It depends on ``machines``, to know which there are, and on ``base``.
"""
