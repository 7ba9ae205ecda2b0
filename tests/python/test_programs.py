"""The papers' programs do the same natively and on the simulated machine."""

import subprocess

import pytest

import croft
from croft.programs.pictures import convert, photograph
from croft.results import fields


@pytest.fixture(scope="module")
def farm():
    return croft.build("farm_convolution")


@pytest.fixture(scope="module")
def native_farm():
    return croft.build("farm_convolution", native=True)


@pytest.mark.slow("what `make demo` does")
@pytest.mark.parametrize("kind", ["int", "float"])
@pytest.mark.parametrize("size", [32, 128])
def test_a_photograph_is_filtered_to_the_same_bytes(kind, size, farm, native_farm, tmp_path):
    from PIL import Image

    small = tmp_path / "small.png"
    with Image.open(photograph()) as picture:
        picture.resize((150, 170)).save(small)
    photo = convert(small, tmp_path / "photo.pgm")
    options = ["--size", str(size), "--type", kind]
    here, there = tmp_path / "here.pgm", tmp_path / "there.pgm"
    subprocess.run([native_farm, photo, "-o", here, *options, "--workers", "3"], check=True, stdout=subprocess.PIPE)
    arguments = [str(photo), "-o", str(there), *options, "--workers", "7"]
    result = croft.run(farm, arguments=arguments, directories=[tmp_path])
    assert (result.ending, result.exit_code, result.errors) == ("exited", 0, b"")
    assert here.read_bytes() == there.read_bytes()
    assert here.read_bytes() != photo.read_bytes()
    assert here.stat().st_size == photo.stat().st_size


@pytest.mark.slow("builds the filter of photographs for this host")
@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "."), (b"P5\n10 10\n255\nshort", "."), (b"\x89PNG\r\n\x1a\n", "."), (b"P5\n99999999 99999999\n255\n", ".")],
    ids=["empty", "truncated", "PNG", "enormous"],
)
def test_an_unreadable_picture_is_one_sentence(content, reason, farm, native_farm, tmp_path):
    picture = tmp_path / "picture.pgm"
    picture.write_bytes(content)
    arguments = [str(picture), "-o", str(tmp_path / "out.pgm")]
    here = subprocess.run([native_farm, *arguments], capture_output=True, text=True, timeout=60)
    there = croft.run(farm, arguments=arguments, directories=[tmp_path], cores=8, max_cycles=1_000_000_000)
    assert here.returncode == there.exit_status == 2
    assert here.stderr == there.errors.decode()
    assert here.stderr.count("\n") == 1
    assert str(picture) in here.stderr
    assert not (tmp_path / "out.pgm").exists()


@pytest.mark.slow("builds the program of pictures")
def test_a_picture_outside_of_the_sandbox_is_unreadable(farm, tmp_path):
    picture = tmp_path / "picture.pgm"
    picture.write_bytes(b"P5\n1 1\n255\n\x00")
    answer = croft.run(farm, arguments=[str(picture)])
    assert answer.exit_status == 2
    assert str(picture) in answer.errors.decode()


def test_pingpong_tells_one_time_by_two_clocks():
    points = [croft.Point("pingpong", ("--hops", str(hops), "--count", "500")) for hops in (1, 5, 14)]
    rows = croft.sweep(points, "tilepro64")
    assert list(rows["hops"]) == [1, 5, 14]
    assert set(rows["pinned"]) == {"yes"}
    # Reading the clocks takes some hundred cycles, over a thousand messages.
    assert ((rows["ns"] * 0.866 - rows["cycles"]).abs() < 1).all()


@pytest.mark.slow("the program of `make demo`")
def test_a_farm_gets_faster_with_workers(farm):
    def service_time(workers):
        arguments = ["--size", "32", "--type", "int", "--workers", str(workers), "--count", "40"]
        printed = croft.run(farm, arguments=arguments).text
        return fields.find(printed, "farm_convolution")["service_time_cycles"]

    sequential, one, three = (service_time(workers) for workers in (0, 1, 3))
    assert three < 0.5 * one
    assert three < 0.5 * sequential


@pytest.mark.slow("builds programs for this host")
@pytest.mark.parametrize("name", ["read_latency", "write_latency", "chip_latency"])
def test_what_times_simulated_caches_says_so_elsewhere(name):
    answer = subprocess.run([croft.build(name, native=True)], capture_output=True, text=True, timeout=60)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"{name}: it times the caches of a simulated many-core and runs on nothing else")
    assert answer.stderr.count("\n") == 1


@pytest.mark.slow("counts the messages of a farm of 32 workers")
@pytest.mark.parametrize("runtime", ["ra_udn", "ra_sm", "ff_queue"])
@pytest.mark.parametrize(("pattern", "size"), [("farm", "32"), ("map", "56")])
def test_requests_for_the_lines_of_messages_are_counted(pattern, size, runtime):
    arguments = ["--pattern", pattern, "--size", size, "--runtime", runtime, "--workers", "4", "--count", "20"]
    result = croft.run("coherence_requests", "tilepro64", arguments=arguments)
    assert (result.exit_status, result.errors) == (0, b"")
    assert result.text.endswith(
        f"coherence_requests pattern={pattern} runtime={runtime} size={size} workers=4 count=20\n"
    )
    assert result.frame.query("part == 'requests' and name == 'reads'").value.sum() > 20
