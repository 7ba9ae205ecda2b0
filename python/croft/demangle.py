"""C++ names as their programmer wrote them."""

import itanium_demangler


def demangle(name: str) -> str:
    """The C++ name of a mangled symbol; a name that cannot be read so is returned as it is."""
    if not name.startswith("_Z"):
        return name
    try:
        tree = itanium_demangler.parse(name)
    except (NotImplementedError, ValueError, IndexError, AttributeError):
        return name
    return name if tree is None else _without_parameters(tree)


def _without_parameters(tree: itanium_demangler.Node) -> str:
    # A function's parameter types are longer than its name and do not help to find its line.
    while tree.kind == "func":
        tree = tree.name
    return str(tree)
