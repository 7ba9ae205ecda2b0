"""Source trees of libraries that are in no package: where in the folder that the user names."""

from pathlib import Path

HEADERS = {
    "fastflow": ["ff/ff.hpp"],
    "lace": ["src/lace.h"],
    "libfork": ["single_header/libfork.hpp", "include/libfork.hpp"],
    "fork_union": ["include/fork_union.hpp"],
    "citor": ["include/citor/thread_pool.h"],
}
"""A header that tells each, below its tree; the first that is there."""

INCLUDED = {"fastflow": "ff/ff.hpp", "citor": "citor/thread_pool.h"}
"""How it is included, where that is more than its file's name."""


def find(folder: Path | None) -> dict[str, Path]:
    """The folder to include from for each library that is there.

    A tree may have any name, and may be the folder itself.
    """
    if folder is None:
        return {}
    if not folder.is_dir():
        raise SystemExit(f"bench: there is no folder {folder}, in which other libraries are to be found")
    folder = folder.resolve()
    trees = [folder, *sorted(each for each in folder.iterdir() if each.is_dir())]
    found = {}
    for name, headers in HEADERS.items():
        for header in (tree / path for path in headers for tree in trees):
            if header.is_file():
                found[name] = header.parents[len(Path(INCLUDED.get(name, header.name)).parts) - 1]
                break
    if not found:
        wanted = "; ".join(f"{name} by {headers[-1]}" for name, headers in HEADERS.items())
        raise SystemExit(f"bench: in {folder} there is none of the libraries looked for: {wanted}")
    return found
