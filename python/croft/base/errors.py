"""What can go wrong, each as one exception whose text is one sentence saying what and where."""


class CroftError(Exception):
    """Anything croft reports to its user. The command line prints it without a traceback.

    ``exit_status`` is the status with which the ``croft`` command ends.
    """

    exit_status = 2


class UsageError(CroftError):
    """A wrong argument: a folder that is not there, an unknown experiment, an unreadable picture, ..."""


class MachineError(CroftError):
    """A machine file that is not there, cannot be read, or describes a machine that cannot be."""


class BuildError(CroftError):
    """The compiler rejected a program; the text holds what it said."""


class ProgramError(CroftError):
    """A program file that cannot be run: not an ELF, for another processor, dynamic, truncated, ..."""


class SimulatorError(CroftError):
    """The simulator has found that it is wrong itself. Nothing that it had counted is to be trusted."""

    exit_status = 70


class CacheWarning(UserWarning):
    """What was to be kept between runs goes somewhere else. The command line prints it as one sentence."""
