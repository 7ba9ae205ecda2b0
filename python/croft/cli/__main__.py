"""``python -m croft.cli`` is the ``croft`` command."""

from croft.cli.app import main

main()
