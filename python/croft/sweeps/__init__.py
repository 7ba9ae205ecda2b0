"""Many runs: side by side on this host or a cluster, each done once and kept, and the files that describe them.

It depends on ``runs`` and what is below them.
"""
