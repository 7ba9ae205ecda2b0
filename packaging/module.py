"""Prints modules/croft.cppm: ``make docs`` after a header declares a new name for users."""

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "site"))
from api_reference import DECLARED, Header, names_of
from single_header import INCLUDE, public_headers, without_known

HEAD = """\
// croft as a C++20 module: import croft; (made by packaging/module.py of the headers' names; not to be edited)
module;

{includes}

export module croft;

"""


def declared(headers: Iterable[str]) -> Iterator[tuple[str, Header, list[tuple[str, str]]]]:
    """Those that declare names for users, and the names, each with its namespace."""
    for header in headers:
        if "engine" in Path(header).parts or header.endswith("_body.hpp"):
            continue
        lines = without_known((INCLUDE / header).read_text(encoding="utf-8").splitlines())
        read = Header("\n".join(lines))
        found = [
            (namespace, name)
            for namespace, declarations in read.namespaces(read.root, "")
            for node in declarations
            if node.type in DECLARED
            for name in names_of(node)
            if not name.startswith("operator")
        ]
        if found:
            yield header, read, found


def module() -> str:
    """The text of the module."""
    headers: list[str] = []
    names: dict[str, set[str]] = {}
    for header, _, found in declared(public_headers()):
        headers.append(header)
        for namespace, name in found:
            names.setdefault(namespace, set()).add(name)
    text = HEAD.format(includes="\n".join(f"#include <{header}>" for header in headers))
    for namespace in sorted(names):
        uses = "\n".join(f"using {namespace}::{name};" for name in sorted(names[namespace]))
        text += f"export namespace {namespace} {{\n{uses}\n}}\n\n"
    return text.rstrip() + "\n"


if __name__ == "__main__":
    sys.stdout.write(module())
