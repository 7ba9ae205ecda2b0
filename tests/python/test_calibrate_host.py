"""What `croft calibrate` reads of a host's cores and caches, from trees like Linux's /sys/devices/system/cpu."""

import pytest

from croft.base.core_lists import listed, numbers
from croft.base.errors import UsageError
from croft.calibration import host as module
from croft.calibration.calibration import pairs_of
from croft.calibration.described import described, fitting
from croft.calibration.host import Cache, read_host, this_host


def cache(level, size, sharers, *, kind="Unified", ways="8", line="64"):
    return {
        "level": level,
        "type": kind,
        "size": size,
        "shared_cpu_list": sharers,
        "ways_of_associativity": ways,
        "coherency_line_size": line,
    }


def l1(sharers, size="32K", **more):
    return [cache(1, size, sharers, kind=kind, **more) for kind in ("Data", "Instruction")]


def tree(folder, cores, package=lambda core: 0):
    """A folder such as Linux's, with the caches that ``cores`` says of each core."""
    for core, caches in cores.items():
        for index, described_cache in enumerate(caches):
            place = folder / f"cpu{core}" / "cache" / f"index{index}"
            place.mkdir(parents=True)
            for name, value in described_cache.items():
                if value is not None:
                    (place / name).write_text(f"{value}\n", encoding="utf-8")
        topology = folder / f"cpu{core}" / "topology"
        topology.mkdir(parents=True)
        (topology / "physical_package_id").write_text(f"{package(core)}\n", encoding="utf-8")
    return folder


def own(core):
    return [*l1(core), cache(2, "512K", core)]


def hierarchy(host):
    return {level.name: (level.cache.size >> 10, level.groups) for level in host.levels}


def test_private_l2s_and_an_l3_for_all(tmp_path):
    cores = {core: [*own(core), cache(3, "32768K", "0-3", ways="16")] for core in range(4)}
    host = read_host(tree(tmp_path, cores), range(4), processor="a processor")
    assert (host.cores, host.l1d, host.l1i) == ((0, 1, 2, 3), Cache(32768, 8), Cache(32768, 8))
    assert hierarchy(host) == {"l2": (512, ((0,), (1,), (2,), (3,))), "l3": (32768, ((0, 1, 2, 3),))}
    chip = described(host, "mine", 3000).machine()
    assert [(level.name, level.shared_by, level.size, level.ways) for level in chip.level] == [
        ("l2", 1, 524288, 8),
        ("l3", "all", 33554432, 16),
    ]
    assert (chip.cores, chip.clock_mhz, chip.network.topology) == (4, 3000, "crossbar")
    assert chip.sources["level.1.size"] == "this host"
    assert pairs_of(host, 28) == {"l3": [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]}
    assert len(pairs_of(host, 2)["l3"]) == 2


def test_an_l2_that_two_cores_share_and_no_l3(tmp_path):
    cores = {core: [*l1(core), cache(2, "2048K", "0-1" if core < 2 else "2-3")] for core in range(4)}
    host = read_host(tree(tmp_path, cores), range(4))
    assert hierarchy(host) == {"l2": (2048, ((0, 1), (2, 3)))}
    chip = described(host, "mine", 3000).machine()
    assert [(level.name, level.shared_by, level.inclusion) for level in chip.level] == [
        ("l2", 2, None),
        ("filter", "all", "filter"),
    ]
    assert pairs_of(host, 28) == {"l2": [(0, 1), (2, 3)], "no cache": [(0, 2), (0, 3), (1, 2), (1, 3)]}
    assert host.common_level(0, 1) == 0
    assert host.common_level(1, 2) == 1


def test_two_packages_whose_numbers_go_round(tmp_path):
    def of(core):
        return [*own(core), cache(3, "36864K", "0,2" if core % 2 == 0 else "1,3", ways="12")]

    host = read_host(tree(tmp_path, {core: of(core) for core in range(4)}, lambda core: core % 2), range(4))
    assert host.cores == (0, 2, 1, 3)
    assert hierarchy(host)["l3"] == (36864, ((0, 1), (2, 3)))
    made = described(host, "mine", 3000)
    assert [level.shared_by for level in made.machine().level] == [1, 2, "all"]
    assert made.machine().level[1].ways == 9
    assert made.notes == ["The l3 of the file is not quite this host's: with 9 ways for 12."]


def test_threads_of_a_core_are_one_core(tmp_path):
    def of(core):
        both = f"{core % 2},{core % 2 + 2}"
        return [*l1(both), cache(2, "512K", both), cache(3, "8192K", "0-3")]

    host = read_host(tree(tmp_path, {core: of(core) for core in range(4)}), range(4))
    assert host.cores == (0, 1)
    assert "one thread of each core is measured" in host.notes[0]
    assert read_host(tmp_path, {1, 2, 3}).cores == (2, 1)  # the first threads of those that may be used


def test_hybrid_cores_are_refused_and_a_kind_of_them_is_not(tmp_path):
    big = {core: [*l1(core, "48K", ways="12"), cache(2, "2048K", core)] for core in range(2)}
    little = {core: [*l1(core), cache(2, "4096K", "2-5")] for core in range(2, 6)}
    folder = tree(tmp_path, big | little)
    with pytest.raises(UsageError) as raised:
        read_host(folder, range(6))
    assert str(raised.value) == (
        "the cores are of 2 kinds: cores 0-1 have l1d 48 KiB, l1i 48 KiB, l2 2,048 KiB; cores 2-5 have l1d 32 KiB, "
        "l1i 32 KiB, l2 4,096 KiB; take one of them, --cores 2-5"
    )
    host = read_host(folder, range(6), numbers("0-1", "--cores"))
    assert host.cores == (0, 1)
    assert described(host, "mine", 3000).machine().big.l1d.size == 49152


WRONG = [
    ({0: own(0)}, None, "it may use only one core here"),
    ({0: own(0), 1: own(1)}, [1], "it may use only one core here"),
    ({0: own(0), 1: own(1)}, [1, 7], "--cores 7: this process may use the cores 0-1"),
    ({0: [], 1: []}, None, "describes no caches, as in some virtual machines"),
    ({0: l1(0), 1: l1(1)}, None, "no caches behind its L1s"),
    ({core: [*own(core), cache(4, "64M", "0-1")] for core in range(2)}, None, "this host has an L4"),
    ({core: l1(core, line="128") for core in range(2)}, None, "lines have 128 bytes; those of levels have 64"),
    ({core: [cache(1, None, core, kind="Data")] for core in range(2)}, None, "does not say the level, the size and"),
    (
        {core: [*l1(core), cache(2, "1M", "0" if core == 0 else "1-2")] for core in range(3)},
        None,
        "an L2 is shared by 1 and 2 of these cores, and a level of a machine by the same number: --cores takes a part, "
        "1-2 for instance",
    ),
]


@pytest.mark.parametrize(("cores", "chosen", "said"), WRONG)
def test_what_a_machine_file_cannot_describe_is_one_sentence(tmp_path, cores, chosen, said):
    with pytest.raises(UsageError) as raised:
        read_host(tree(tmp_path, cores), cores, chosen)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_another_system_than_linux_is_refused(monkeypatch):
    monkeypatch.setattr(module.platform, "system", lambda: "Darwin")
    with pytest.raises(UsageError, match="asks Linux for the caches of this host, and this is Darwin"):
        this_host()


def test_lists_of_cores():
    assert numbers("0-2,8", "--cores") == [0, 1, 2, 8]
    assert listed([0, 1, 2, 8]) == "0-2,8"
    assert listed([8, 0, 9, 1]) == "8,0,9,1"
    for wrong in ("", "a", "3-1", "1,,2", "0-99999"):
        with pytest.raises(UsageError, match="it must be a list of cores"):
            numbers(wrong, "--cores")


@pytest.mark.parametrize(
    ("cache", "expected"),
    [
        (Cache(512 << 10, 8), (512 << 10, 8, "")),
        (Cache(48 << 10, 12), (48 << 10, 12, "")),
        (Cache(36 << 20, 12), (36 << 20, 9, ", with 9 ways for 12")),
        (Cache(1 << 20, 0), (1 << 20, 8, ", which does not say its ways: 8 assumed")),
        (Cache(33 << 20, 11), (33 << 20, 33, ", with 33 ways for 11")),
        (Cache(511 << 10, 16), (504 << 10, 63, ", 504 KiB in 63 ways for 511 KiB in 16")),
    ],
)
def test_sizes_and_ways_that_a_file_allows(cache, expected):
    size, ways, said = fitting(cache, 64)
    sets = size / (64 * ways)
    assert sets == int(sets)
    assert int(sets) & (int(sets) - 1) == 0
    assert (size, ways, said) == expected
