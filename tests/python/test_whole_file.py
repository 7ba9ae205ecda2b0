"""Files appear whole or not at all, however many write them at once."""

import stat
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

import croft
from croft.base.whole_file import WholeFile, whole_file


def test_until_all_of_it_is_there_the_old_file_stays(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("old")
    with whole_file(file) as partial:
        partial.write_text("new")
        assert file.read_text() == "old"
        assert partial.suffix == ".txt"
    assert file.read_text() == "new"
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_a_write_that_fails_leaves_the_old_file(tmp_path, error):
    file = tmp_path / "a"
    file.write_text("old")
    with pytest.raises(error), whole_file(file) as partial:
        partial.write_text("ne")
        raise error
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_two_at_once_are_each_whole(tmp_path):
    file = tmp_path / "a"
    one, other = WholeFile(file), WholeFile(file)
    one.partial.write_text("one")
    other.partial.write_text("other")
    one.put(lasting=True)
    assert file.read_text() == "one"
    other.put()
    one.drop()
    assert file.read_text() == "other"
    assert list(tmp_path.iterdir()) == [file]


def test_a_link_stays_one_and_permissions_stay(tmp_path):
    file, link = tmp_path / "a", tmp_path / "link"
    file.touch(mode=0o640)
    link.symlink_to(file)
    with whole_file(link) as partial:
        partial.write_text("new")
    assert link.is_symlink()
    assert file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_builds_of_one_program_at_once_do_not_collide(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, program = tmp_path / "hello.c", tmp_path / "bin" / "hello"
    source.write_text('#include <stdio.h>\nint main(void) { puts("hello"); }\n')
    with ThreadPoolExecutor(4) as pool:
        builds = [pool.submit(croft.build, source, native=True, output=program) for _ in range(8)]
    assert {build.result() for build in builds} == {program}
    assert subprocess.run([program], capture_output=True, text=True, check=True).stdout == "hello\n"
    assert list(program.parent.iterdir()) == [program]
    assert not list((tmp_path / "cache").rglob(".*"))
