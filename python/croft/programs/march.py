"""The instructions that a program for simulated machines may use beyond those that every program gets."""

import re

from croft.base.errors import UsageError

BASE = "generic_rv64+m+a+f+d+c+zawrs+zicbom+zicboz+zihintntl"
"""What every program is built for, as the compiler's -mcpu has it."""

# docs/instructions.md says what each does here.
EXTENSIONS = (
    *("za64rs", "zaamo", "zabha", "zacas", "zalrsc", "zawrs", "zba", "zbb", "zbs", "zca", "zcb", "zcd", "zcmop", "zfa"),
    *("zfhmin", "zic64b", "zicbom", "zicbop", "zicboz", "ziccamoa", "ziccif", "zicclsm", "ziccrse", "zicntr"),
    *("zicond", "zicsr", "zifencei", "zihintntl", "zihintpause", "zihpm", "zimop", "zkt"),
)
"""What the simulated cores have, by the names of the specification."""

# The user profiles of 64 bits (RISC-V profiles, "Mandatory Extensions"), as far as the compiler makes a difference.
PROFILES = {
    "rva20u64": (),
    "rva22u64": ("zba", "zbb", "zbs", "zfhmin", "zicbop", "zihintpause", "zkt"),
}
_BASES = ("rv64gc", "rv64imafdc")
_LETTERS = {"b": ("zba", "zbb", "zbs")}


def mcpu(march: str | None) -> str:
    """The compiler's -mcpu for what ``march`` names: an ISA string (``rv64gc_zba_zbb``) or a profile (``rva22u64``),
    to which further extensions may be added (``rva22u64_zacas``). None: what every program is built for.

    Raises UsageError if it is neither, or names something that the simulated cores do not have.
    """
    if march is None:
        return f"-mcpu={BASE}"
    first, *names = march.lower().split("_")
    wanted = list(PROFILES.get(first, ()))
    if first not in PROFILES:
        base = next((base for base in _BASES if first.startswith(base)), None)
        if base is None:
            known = ", ".join((*_BASES, *PROFILES))
            raise UsageError(f"--march {march}: it has to begin with one of {known}")
        names = [*first.removeprefix(base), *names]
    for name in names:
        if name in _LETTERS:
            wanted += _LETTERS[name]
        elif name in EXTENSIONS:
            wanted.append(name)
        elif re.fullmatch(r"\w+", name):
            known = ", ".join(EXTENSIONS)
            raise UsageError(
                f"--march {march}: the simulated cores do not have {name.capitalize()} (they have {known})"
            )
        else:
            raise UsageError(f"--march {march}: an extension's name is missing")
    return "".join((f"-mcpu={BASE}", *(f"+{name}" for name in dict.fromkeys(wanted) if f"+{name}" not in BASE)))
