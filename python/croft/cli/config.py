"""The command ``croft config``."""

from typing import Annotated

import typer

from croft.base import folders


def config(
    cmake_dir: Annotated[bool, typer.Option("--cmake-dir", help="The folder of croftConfig.cmake.")] = False,
    include_dir: Annotated[bool, typer.Option("--include-dir", help="The folder of the headers.")] = False,
    many_core_dir: Annotated[
        bool, typer.Option("--many-core-dir", help="The folder of the headers for many-cores and the papers' programs.")
    ] = False,
    machines_dir: Annotated[bool, typer.Option("--machines-dir", help="The folder of the machine files.")] = False,
    programs_dir: Annotated[bool, typer.Option("--programs-dir", help="The folder of the programs' sources.")] = False,
) -> None:
    """Print where croft's files are, for other build systems."""
    chosen = {
        "cmake-dir": (cmake_dir, folders.cmake_folder),
        "include-dir": (include_dir, folders.include_folder),
        "many-core-dir": (many_core_dir, folders.many_core_folder),
        "machines-dir": (machines_dir, folders.machines_folder),
        "programs-dir": (programs_dir, folders.programs_folder),
    }
    asked = [folder for wanted, folder in chosen.values() if wanted]
    for folder in asked:
        print(folder())
    if not asked:
        for key, (_, folder) in chosen.items():
            print(f"{key}: {folder()}")
