"""Runs the notebooks of docs/, and writes what their cells print into them (``make docs``).

Each runs in an empty folder. What depends on who runs it when is left out: the version of Python, times.
"""

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"


def executed(notebook: Path, seconds: int = 600) -> nbformat.NotebookNode:
    """The notebook as it is when all of its cells have run. Raises CellExecutionError."""
    content = nbformat.read(notebook, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            content, timeout=seconds, record_timing=False, resources={"metadata": {"path": folder}}
        ).execute()
    content.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return content


def main() -> None:
    for notebook in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(executed(notebook), notebook)
        print(f"{notebook.name}: {notebook.stat().st_size / 1e3:.0f} kB", file=sys.stderr)


if __name__ == "__main__":
    main()
