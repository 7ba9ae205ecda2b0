"""What every other package uses: errors, where files lie, what has to be installed, how text gets to a terminal.

It depends on no other package of croft.
"""
