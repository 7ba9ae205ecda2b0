"""The ``croft`` command: a module for each of its commands, which reads options, calls the lab and prints.

It depends on everything else, and nothing depends on it.
"""
