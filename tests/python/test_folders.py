"""Where croft keeps what it builds: a home that is missing, empty or read-only is no obstacle."""

import os
import subprocess
import tempfile
import warnings

import pytest

from commands import call
from croft.base import folders as places
from croft.base.errors import CacheWarning


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder for temporary files, and no place of the cache."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    places._cache_folder.cache_clear()
    yield folder
    places._cache_folder.cache_clear()


def test_the_cache_is_at_home_or_where_the_user_says(temporary, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert places.cache_folder() == tmp_path / "home" / ".cache" / "croft"
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
        assert places.cache_folder() == tmp_path / "caches" / "croft"
    assert not places.cache_is_temporary()


@pytest.mark.parametrize(
    ("home", "why"), [("", "HOME is empty"), (os.devnull, "/dev/null/.cache/croft cannot be written")]
)
def test_without_a_home_it_is_a_temporary_folder_of_this_user(home, why, temporary, monkeypatch):
    monkeypatch.setenv("HOME", home)
    expected = temporary / f"croft-{os.getuid()}"
    with pytest.warns(CacheWarning, match=f"{why}: what is built is kept in {expected}"):
        assert places.cache_folder() == expected
    assert expected.stat().st_mode & 0o777 == 0o700
    assert places.cache_is_temporary()


@pytest.mark.parametrize("trap", ["link", "open"])
def test_a_temporary_folder_that_others_can_change_is_not_taken(trap, temporary, tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", os.devnull)
    name = temporary / f"croft-{os.getuid()}"
    if trap == "link":
        (tmp_path / "elsewhere").mkdir()
        name.symlink_to(tmp_path / "elsewhere")
    else:
        name.mkdir()
        name.chmod(0o777)
    with pytest.warns(CacheWarning):
        found = places.cache_folder()
    assert found != name
    assert found.parent == temporary


@pytest.mark.parametrize("home", [None, "", os.devnull])
def test_the_command_says_it_in_one_sentence(home, tmp_path, monkeypatch):
    source = tmp_path / "hello.c"
    source.write_text('#include <stdio.h>\nint main(void) { puts("hello"); }\n')
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    if home is None:
        monkeypatch.delenv("HOME")
    else:
        monkeypatch.setenv("HOME", home)
    answer = call("build", source, "--native", "-o", tmp_path / "hello")
    said = [line for line in answer.stderr.splitlines() if line.startswith("croft: ")]
    assert (answer.returncode, len(said)) == (0, 0 if home is None else 1), answer.stderr
    assert "Warning" not in answer.stderr
    assert subprocess.run([tmp_path / "hello"], capture_output=True, text=True).stdout == "hello\n"


def test_the_package_says_that_it_has_types():
    assert (places._PACKAGE / "py.typed").is_file()


def test_shells_complete_commands_and_machines():
    def complete(words, **variables):
        surroundings = {**os.environ, "_CROFT_COMPLETE": "complete_bash", "COMP_WORDS": words, **variables}
        return call(env=surroundings).stdout.split()

    assert complete("croft mach", COMP_CWORD="1") == ["machines"]
    assert complete("croft run x --machine tile", COMP_CWORD="4") == ["tilepro64"]
