"""Programs on cores that share an L2, whose L1s keep coherent in hardware or by acquires and releases."""

import tomllib

import pytest

import croft
from croft.base.errors import MachineError
from croft.machines.file import machine_path, machine_values

SHARED = [name for name in croft.machine_names() if machine_values(name).get("shared")]
MACHINES = [name for name in SHARED if machine_values(name)["cores"] == 64]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(("threads", "episodes"), [(2, 60), (16, 20), (64, 8)])
def test_no_word_is_stale_and_no_episode_lost(machine, threads, episodes, simulated):
    result = croft.run(
        simulated("coherence_stress"), machine, cores=threads, arguments=[str(threads), str(episodes), "1"]
    )
    assert (result.ending, result.text) == ("exited", f"ok total={threads * episodes}\n")


@pytest.mark.parametrize("machine", sorted(set(SHARED) - set(MACHINES)))
def test_the_smaller_and_the_larger_ones_run_too(machine, simulated):
    cores = min(croft.machine(machine).cores, 1023)  # see the largest one's file
    threads = min(cores, 128)
    result = croft.run(simulated("coherence_stress"), machine, cores=cores, arguments=[str(threads), "4", "1"])
    assert (result.ending, result.text) == ("exited", f"ok total={threads * 4}\n")


@pytest.mark.parametrize("machine", MACHINES)
def test_the_standard_librarys_threads_run_unmodified(machine, simulated):
    tiled = croft.run(simulated("threads"), "tilepro64", cores=8, arguments=["8"])
    shared = croft.run(simulated("threads"), machine, cores=8, arguments=["8"])
    assert (shared.ending, shared.text) == ("exited", tiled.text)


@pytest.mark.parametrize("machine", ["tiny-64-mesi", "tiny-64-gwb", "big-tiny-64-dnv"])
@pytest.mark.parametrize(("window", "run_ahead"), [(1, None), (None, 0), (None, 200)])
def test_the_window_changes_nothing(machine, window, run_ahead, simulated):
    longest, other = (
        croft.run(
            simulated("coherence_stress"), machine, cores=8, arguments=["8", "10", "3"], window=w, run_ahead=ahead
        )
        for w, ahead in ((None, None), (window, run_ahead))
    )
    assert other.cycles == longest.cycles
    assert other.frame.equals(longest.frame)


@pytest.mark.parametrize("machine", MACHINES)
def test_no_load_is_stale_and_the_check_changes_no_result(machine, simulated):
    result = croft.run(simulated("coherence_stress"), machine, cores=16, arguments=["16", "10", "4"], check="coherence")
    assert result.text == "ok total=160\n"
    assert result.coherence_count == 0


@pytest.mark.parametrize("machine", MACHINES)
def test_perturbed_messages_change_no_result(machine, simulated):
    for seed in (1, 2, 3):
        result = croft.run(
            simulated("coherence_stress"), machine, cores=8, arguments=["8", "20", str(seed)], perturb=seed
        )
        assert result.text == "ok total=160\n"


def test_a_machine_file_may_be_based_on_another(tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('based_on = "tiny-64-mesi"\nname = "mine"\nuli = false\n[tiny.l1d]\nsize = 8192\n')
    machine = croft.machine(mine)
    assert (machine.name, machine.tiny.l1d.size, machine.tiny.l1d.ways, machine.uli) == ("mine", 8192, 2, None)
    other = tmp_path / "other.toml"
    other.write_text('based_on = "mine.toml"\nname = "other"\n')
    assert croft.machine(other).tiny.l1d.size == 8192


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('based_on = "nothing"\n', "no machine is called 'nothing'"),
        ('based_on = "mine.toml"\n', "it is based on itself"),
        ("based_on = 3\n", "`based_on` = 3: it should be the name of a machine"),
        ('based_on = "tiny-64-mesi"\ncores = 63\n', "`cores` (63) must be those of all kinds together (64)"),
        (
            'based_on = "tiny-64-mesi"\ntiny = false\n',
            "`core` is missing, and `big` and `tiny` too: a machine has cores",
        ),
        ('based_on = "tiny-64-mesi"\n[l2]\nsize = 4096\n', "`l2` has no meaning beside `tiny`, where cores are said"),
        ('based_on = "tilepro64"\nhome = false\n', "`home` is missing"),
        (
            'based_on = "tiny-64-mesi"\n[tiny.l1d]\nline = 32\n',
            "`tiny.l1d.line` must be 64 beside a shared L2, but is 32",
        ),
        (
            'based_on = "o3x1"\n[big]\nprotocol = "gpu_wb"\n',
            "`big.out_of_order` needs protocol = 'ddc', 'mesi' or 'moesi', not 'gpu_wb': its loads are taken ",
        ),
        (
            'based_on = "o3x1"\n[big.out_of_order]\nbranch_targets = 100\n',
            "`big.out_of_order.branch_targets` must be a power of two, but is 100",
        ),
        (
            'based_on = "o3x1"\n[big.out_of_order]\nload_store_queue = 0\nstore_queue = 129\n',
            "`big.out_of_order.store_queue` (129) must not be larger than reorder_buffer (128)",
        ),
        (
            'based_on = "o3x1"\n[big.out_of_order]\nindirect_sets = 24\n',
            "`big.out_of_order.indirect_sets` (24) must be a power of two, or 0",
        ),
        (
            'based_on = "o3x1"\n[big.out_of_order]\nindirect_sets = 0\n',
            "`big.out_of_order.return_addresses` can be 0 only if indirect_sets is not",
        ),
        (
            'based_on = "o3x1"\n[big.core]\noutstanding_stores = 0\n',
            "`big.core.outstanding_stores` can be 0 only in order and with protocol = 'mesi', 'denovo', ",
        ),
        (
            'based_on = "tiny-64-gwt"\n[tiny.core]\noutstanding_stores = 0\n',
            "`tiny.core.outstanding_stores` can be 0 only in order and with protocol = 'mesi', 'denovo', ",
        ),
        ('based_on = "o3x1"\n[big.out_of_order]\nload_store_queue = 500\n', "must not be larger than reorder_buffer"),
        ('based_on = "o3x1"\n[big.out_of_order]\nissue_width = 16\n', "= 16: it should be an integer from 1 to 15"),
        ('based_on = "tiny-64-mesi"\nshared = false\n', "`shared` is missing, which protocol 'mesi' needs"),
        (
            'based_on = "tiny-64-mesi"\n[tiny]\nl1d = {hit = 3}\n'
            "l2 = {size = 4096, line = 64, ways = 1, hit = 2, store = 1}\n",
            "`tiny.l2.hit` (2) must not be less than l1d.hit (3)",
        ),
        (
            'based_on = "big-tiny-64-mesi"\n[tiny]\nprotocol = "ddc"\nl1i = false\ncore = { outstanding_stores = 3 }\n',
            "`tiny.l2` is missing, which 'ddc' needs",
        ),
        (
            'based_on = "big-tiny-64-mesi"\n[tiny]\nprotocol = "ddc"\nl1i = false\ncore = { outstanding_stores = 3 }\n'
            "l2 = { size = 65536, line = 64, ways = 4, hit = 8, store = 6 }\n",
            "`tiny.protocol` ('ddc') and big.protocol ('mesi') keep lines in different homes",
        ),
        (
            'based_on = "tiny-64-mesi"\n[shared]\nsize = 1000\n',
            "`shared.size` (1000) must be a multiple of line x ways (64 x ",
        ),
    ],
)
def test_a_wrong_one_is_told_in_one_sentence(text, sentence, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text(text)
    with pytest.raises(MachineError) as error:
        croft.machine(mine)
    assert sentence in str(error.value).splitlines()[0]


def test_what_a_file_based_on_another_says_itself_is_all_that_differs():
    base = tomllib.loads(machine_path("tiny-64-mesi").read_text(encoding="utf-8"))
    changed = machine_values("tiny-64-gwb")
    assert changed["name"] == "tiny-64-gwb"
    assert changed["tiny"]["protocol"] == "gpu_wb_fetch"
    assert changed["tiny"]["core"]["outstanding_stores"] == 1
    changed["name"], changed["tiny"]["protocol"] = base["name"], base["tiny"]["protocol"]
    changed["tiny"]["core"]["outstanding_stores"] = base["tiny"]["core"]["outstanding_stores"]
    assert changed == base
