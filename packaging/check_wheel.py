"""``python packaging/check_wheel.py WHEEL``: installed anew, the wheel runs a program in the cycles of this build."""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import croft

RUN = """
import croft, sys
print(croft.run(sys.argv[1], "big-tiny-64-mesi", name="wheel", arguments=sys.argv[2:]).cycles)
"""


def main() -> None:
    program, arguments = croft.build("cilk5/sort"), ["--size", "3000", "--grain", "128"]
    here = croft.run(program, "big-tiny-64-mesi", name="wheel", arguments=arguments).cycles
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder, "bin", "python")
        install = [python, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", sys.argv[1]]
        subprocess.run(install, check=True)
        command = [python, "-c", RUN, program, *arguments]
        there = int(subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout)
    if there != here:
        raise SystemExit(f"check_wheel: {sys.argv[1]} takes {there} cycles where this build takes {here}")
    print(f"{sys.argv[1]}: {there} cycles, as this build")


if __name__ == "__main__":
    main()
