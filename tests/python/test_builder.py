"""Builds: the same source gives the same program wherever it lies."""

import shutil

import pytest

import croft
from croft.symbols.symbols import Symbols
from program_sources import PROGRAMS


def test_a_program_does_not_depend_on_where_its_source_lies(tmp_path, monkeypatch):
    parts = []
    for folder in (tmp_path / "here", tmp_path / "a" / "much" / "longer" / "path" / "there"):
        folder.mkdir(parents=True)
        shutil.copy(PROGRAMS / "mutex.cpp", folder)
        monkeypatch.chdir(folder)
        parts.append(Symbols(croft.build("mutex.cpp").read_bytes()).loaded())
    assert parts[0] == parts[1]
    assert len(parts[0]) > 10_000


def test_what_cannot_be_built(tmp_path):
    with pytest.raises(croft.UsageError, match="either natively or for a machine"):
        croft.build(PROGRAMS / "mutex.cpp", native=True, machine="tilepro64")
    with pytest.raises(croft.UsageError, match="nothing to build"):
        croft.build([])
    with pytest.raises(croft.MachineError, match="no machine is called 'tilepro'"):
        croft.build(PROGRAMS / "mutex.cpp", machine="tilepro")
    with pytest.raises(croft.BuildError, match="the native compiler 'no-such-compiler' does not run"):
        croft.build(PROGRAMS / "mutex.cpp", native=True, compiler="no-such-compiler")
    with pytest.raises(croft.UsageError, match=r"nowhere: (Not a directory|File exists)"):
        croft.build(PROGRAMS / "misaligned.cpp", native=True, output=PROGRAMS / "mutex.cpp" / "nowhere")
