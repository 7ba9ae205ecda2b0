"""A program sees the directories it was given, and nothing else of the host."""

import pytest

import croft


@pytest.fixture
def files(simulated):
    """Runs files.cpp; returns its lines as {name: what became of it}."""
    program = simulated("files")

    def run(*arguments, **options):
        result = croft.run(program, cores=1, arguments=[str(argument) for argument in arguments], **options)
        assert result.ending == "exited", result.message
        return dict(line.split(": ", 1) for line in result.text.splitlines())

    return run


@pytest.fixture
def tree(tmp_path):
    """open/ is given to the program, secret/ is not."""
    for name in ("open", "secret"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(f"{name} content\n")
    return tmp_path


DENIED = ("No such file or directory", "Permission denied", "Operation not permitted", "Not a directory")


def test_nothing_is_there_without_a_grant(files, tree):
    names = [tree / "open" / "file", "/etc/passwd", "/proc/self/maps", "file", "/"]
    answers = files(*names)
    assert set(answers) == set(map(str, names))
    assert set(answers.values()) <= {*DENIED, "Is a directory", "(empty)"}
    assert answers["/etc/passwd"] in DENIED
    assert answers["/proc/self/maps"] in DENIED


def test_a_granted_directory_has_its_own_name(files, tree):
    path = tree / "open" / "file"
    assert files(path, directories=[tree / "open"]) == {str(path): "open content"}


def test_a_granted_directory_may_have_another_name(files, tree):
    assert files("/data/file", directories=[f"{tree / 'open'}::/data"]) == {"/data/file": "open content"}
    with pytest.raises(croft.UsageError, match="absolute"):
        files("x", directories=[f"{tree / 'open'}::data"])


def test_relative_names_start_at_the_current_directory(files, tree, monkeypatch):
    monkeypatch.chdir(tree)
    answers = files("open/file", "file", directories=["."])
    assert answers["open/file"] == "open content"
    assert answers["file"] in DENIED
    monkeypatch.chdir(tree / "open")
    assert files("file", directories=["."])["file"] == "open content"
    assert files("file", directories=[tree])["file"] == "open content"


def test_writing_reaches_the_host(files, tree):
    target = tree / "open" / "new"
    assert files("write", target, directories=[tree / "open"]) == {str(target): "written"}
    assert target.read_text() == "written\n"


def test_a_directory_that_may_only_be_read(files, tree):
    target = tree / "open" / "new"
    read_only = [f"{tree / 'open'}:ro"]
    assert files("write", target, directories=read_only) == {str(target): "Read-only file system"}
    assert not target.exists()
    there = tree / "open" / "file"
    assert files(there, directories=read_only) == {str(there): "open content"}
    assert files("/data/file", directories=[f"{tree / 'open'}::/data:ro"]) == {"/data/file": "open content"}


def test_a_directory_that_is_not_there(files, tree):
    with pytest.raises(croft.UsageError, match=r"--dir .*nowhere: no such directory"):
        files("x", directories=[tree / "nowhere"])


ESCAPES = [
    "../secret/file",
    "sub/../../secret/file",
    "./.././secret/file",
    "../open/../secret/file",
    "..//secret//file",
]


@pytest.mark.parametrize("route", ESCAPES)
@pytest.mark.parametrize("mode", [[], ["write"]], ids=["read", "write"])
def test_dots_do_not_lead_out(route, mode, files, tree, monkeypatch):
    (tree / "open" / "sub").mkdir()
    monkeypatch.chdir(tree / "open")
    absolute = f"{tree}/open/{route}"
    answers = files(*mode, route, absolute, directories=["."])
    assert answers[route] in DENIED
    assert answers[absolute] in DENIED
    assert (tree / "secret" / "file").read_text() == "secret content\n"


def test_symbolic_links_do_not_lead_out(files, tree):
    inside = tree / "open"
    links = {
        "absolute": tree / "secret" / "file",
        "relative": "../secret/file",
        "folder": tree / "secret",
        "root": "/",
        "twice": inside / "relative",
        "loop": inside / "loop",
        "new": tree / "secret" / "made",
    }
    for name, target in links.items():
        (inside / name).symlink_to(target)
    routes = ["absolute", "relative", "folder/file", "root/etc/passwd", "twice", "loop", "new"]
    for mode in ([], ["write"]):
        answers = files(*mode, *(inside / route for route in routes), directories=[inside])
        for route in routes:
            assert answers[str(inside / route)] in (*DENIED, "Symbolic link loop", "Too many levels of symbolic links")
    assert (tree / "secret" / "file").read_text() == "secret content\n"
    assert not (tree / "secret" / "made").exists()


def test_symbolic_links_inside_work(files, tree):
    inside = tree / "open"
    (inside / "sub").mkdir()
    (inside / "sub" / "up").symlink_to("../file")
    (inside / "whole").symlink_to(inside / "file")
    answers = files(inside / "sub" / "up", inside / "whole", directories=[inside])
    assert answers == {str(inside / "sub" / "up"): "open content", str(inside / "whole"): "open content"}
