"""Benchmarks of croft, run by ``make bench``."""
