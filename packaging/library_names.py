"""The page of the library's public names: each with the header that declares it, and what that header is for.

They are those of the module (module.py) in `croft::` itself, and what is for other libraries.
"""

from pathlib import Path

from module import declared
from single_header import INCLUDE, public_headers

PAGE = """\
# Names of the library

`make reference` makes this page from the headers: the {count} names in `croft::` that programs may use, by header. A
header's comment says what it promises. [The library](library.md) says which header to open for what, and [croft across
processes](across.md) has the names of `croft::mpi`.
"""


def page() -> str:
    folders: dict[str, list[str]] = {}
    known: set[str] = set()
    others = [path.relative_to(INCLUDE).as_posix() for path in (INCLUDE / "croft" / "interop").glob("*.hpp")]
    for shown, header, found in declared(sorted([*public_headers(), *others])):
        names = dict.fromkeys(name for namespace, name in found if namespace == "croft" and name not in known)
        known.update(names)
        if names:
            said = ", ".join(f"`{name}`" for name in names)
            row = f"| {said} | [`{shown}`](../include/{shown}) | {header.first_sentence()} |"
            folders.setdefault(Path(shown).parts[1] if shown.count("/") > 1 else "croft", []).append(row)
    parts = [PAGE.format(count=len(known))]
    for folder, rows in folders.items():
        parts.append("\n".join([f"## {folder}", "", "| names | header | |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(part.strip() for part in parts) + "\n"
