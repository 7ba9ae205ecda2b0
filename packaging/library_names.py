"""The page of the library's public names: each with the header that declares it, and what that header is for.

Names of `croft::detail`, of the engine below the patterns, and of `croft::port` are no promise, and are not listed.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))
from api_reference import Header, names_of

INCLUDE = Path(__file__).resolve().parents[1] / "include"

PAGE = """\
# Names of the library

`make reference` makes this page from the headers: the {count} names in `croft::` that programs may use, by header. A
header's comment says what it promises. [The library](library.md) says which header to open for what, and [croft across
processes](across.md) has the names of `croft::mpi`.
"""


def headers() -> list[Path]:
    """Those that programs include: neither the engine's nor those that hold another's bodies."""
    inner = {"engine", "mpi", "port"}
    return [
        path
        for path in sorted((INCLUDE / "croft").rglob("*.hpp"))
        if not inner & set(path.parts) and not path.stem.endswith("_body")
    ]


def names_in(header: Header) -> list[str]:
    """What it declares in `croft::`, macros aside, each once."""
    declared = [
        name
        for namespace, declarations in header.namespaces(header.root, "")
        if namespace == "croft"
        for each in declarations
        for name in names_of(each)
    ]
    return list(dict.fromkeys(name for name in declared if not name.isupper()))


def page() -> str:
    folders: dict[str, list[str]] = {}
    known: set[str] = set()
    for path in headers():
        header = Header(path.read_text(encoding="utf-8"))
        names = [name for name in names_in(header) if name not in known]
        known |= set(names)
        if names:
            shown = path.relative_to(INCLUDE)
            said = ", ".join(f"`{name}`" for name in names)
            row = f"| {said} | [`{shown}`](../include/{shown}) | {header.first_sentence()} |"
            folders.setdefault(shown.parts[1] if len(shown.parts) > 2 else "croft", []).append(row)
    parts = [PAGE.format(count=len(known))]
    for folder, rows in folders.items():
        parts.append("\n".join([f"## {folder}", "", "| names | header | |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(part.strip() for part in parts) + "\n"
