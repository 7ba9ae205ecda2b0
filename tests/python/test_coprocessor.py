"""Programs that a host offloads work to: by a script in simulated time, and live from Python."""

import random
import struct
import threading

import numpy as np
import pytest

import croft

pytestmark = pytest.mark.slow("its program takes half a minute to compile")

NUMBERS = range(40)


def packed(numbers):
    return [struct.pack("<i", number) for number in numbers]


def unpacked(messages):
    return [struct.unpack("<q", message)[0] for message in messages]


SQUARES = [number * number for number in NUMBERS]


def scripted(program, which, messages, **options):
    script = croft.HostScript(messages, **{"input_slots": 4, "output_slots": 4} | options)
    return croft.run(program("coprocessor"), cores=8, arguments=[which], host=script)


def live(program, which, **options):
    return croft.Accelerator(program("coprocessor"), cores=8, arguments=[which], **options)


def answers(result):
    assert (result.ending, result.exit_code, result.errors) == ("exited", 0, b""), result.errors
    return [message for _, message in result.host_results]


def test_a_scripted_run_is_deterministic_and_counts_what_crossed_the_link(simulated):
    first, second = (scripted(simulated, "copies", packed(NUMBERS)) for _ in range(2))
    assert unpacked(answers(first)) == SQUARES
    assert first == second
    assert first.to_json() == second.to_json()
    counts = first.frame[first.frame["part"] == "host_link"].set_index(["name", "index"])["value"]
    assert (counts["messages", 0], counts["bytes", 0]) == (40, 160)
    assert (counts["messages", 1], counts["bytes", 1]) == (40, 320)


def test_cycles_of_results_grow_and_windows_do_not_move_them(simulated):
    script = croft.HostScript(packed(NUMBERS), input_slots=4, output_slots=4)
    wide, narrow = (
        croft.run(simulated("coprocessor"), cores=8, arguments=["copies"], host=script, run_ahead=ahead)
        for ahead in (200, 0)
    )
    cycles = [cycle for cycle, _ in wide.host_results]
    assert cycles == sorted(set(cycles))
    assert wide.host_results == narrow.host_results
    assert wide.cycles == narrow.cycles


@pytest.mark.parametrize("slots", [1, 3])
def test_views_of_slots_give_the_same_with_few_slots(simulated, slots):
    result = scripted(simulated, "views", packed(NUMBERS), input_slots=slots, output_slots=slots)
    assert sorted(unpacked(answers(result))) == SQUARES


def test_a_script_repeats_and_paces_its_messages(simulated):
    result = scripted(simulated, "copies", packed([3, 4]), count=5, every=500_000)
    assert unpacked(answers(result)) == [9, 16, 9, 16, 9]
    cycles = [cycle for cycle, _ in result.host_results]
    assert np.diff(cycles[1:]) == pytest.approx(500_000, abs=5_000)


def test_messages_of_any_length_up_to_a_slot_arrive_whole(simulated):
    random.seed(7)
    messages = [random.randbytes(length) for length in (0, 1, 63, 64, 65, 4096, 65536, 2, 65535)]
    assert answers(scripted(simulated, "bytes", messages)) == [message[::-1] for message in messages]


def test_slots_without_homes_bring_what_was_written_and_the_check_finds_nothing(simulated):
    arrays = [np.random.default_rng(seed).integers(0, 100, 64, dtype=np.int32) for seed in range(30)]
    script = croft.HostScript([array.tobytes() for array in arrays], input_slots=4, output_slots=4)
    result = croft.run(simulated("coprocessor"), cores=8, arguments=["homeless"], host=script, check="coherence")
    assert sorted(answers(result)) == sorted(array.cumsum(dtype=np.int32).tobytes() for array in arrays)
    assert result.coherence_count == 0


def test_a_live_caller_gets_what_a_script_gets(simulated):
    with live(simulated, "copies", input_slots=4, output_slots=4) as squares:
        got, waiting = [], packed(NUMBERS)
        while waiting:
            if squares.try_offload(waiting[0]):
                waiting.pop(0)
            else:
                got.append(squares.get_result())
        squares.close()
        got += squares
    assert unpacked(got) == SQUARES == unpacked(answers(scripted(simulated, "copies", packed(NUMBERS))))
    assert squares.wait().exit_code == 0


def test_a_live_caller_may_offload_and_take_in_two_threads_and_offload_arrays(simulated):
    with live(simulated, "views", input_slots=2, output_slots=2) as squares:
        numbers = np.arange(40, dtype=np.int32)

        def offload():
            for number in numbers:
                squares.offload(number[None])
            squares.close()

        offloader = threading.Thread(target=offload)
        offloader.start()
        assert sorted(unpacked(squares)) == SQUARES
        offloader.join()
        assert squares.get_result() is None


def test_one_by_one_a_caller_gets_each_answer_before_it_asks_again(simulated):
    with live(simulated, "copies") as squares:
        assert squares.get_result(block=False) is None
        for number in range(10):
            squares.offload(struct.pack("<i", number))
            assert unpacked([squares.get_result()]) == [number * number]
        with pytest.raises(TimeoutError, match="no result within"):
            squares.get_result(timeout=0.01)


def test_whoever_waits_is_told_that_the_program_failed(simulated):
    squares = live(simulated, "throws")
    with pytest.raises(croft.AcceleratorError, match="ended with status 3: five is right out"):
        for number in range(100):
            squares.offload(struct.pack("<i", number))
            squares.get_result()


def test_whoever_waits_is_told_that_the_program_left(simulated):
    squares = live(simulated, "leaves")
    squares.offload(struct.pack("<i", 1))
    with pytest.raises(croft.AcceleratorError, match="ended before it closed the link"):
        squares.get_result()


def test_offloading_to_a_closed_link_is_refused(simulated):
    squares = live(simulated, "closes", input_slots=1)
    with pytest.raises(croft.AcceleratorError, match="closed the link before its stream ended"):
        for number in range(10):
            squares.offload(struct.pack("<i", number))
    assert squares.get_result() is None


def test_a_program_that_hangs_is_a_deadlock_for_the_caller_and_can_be_stopped(simulated):
    squares = live(simulated, "hangs")
    squares.offload(struct.pack("<i", 1))
    squares.close()
    with pytest.raises(croft.AcceleratorError, match="deadlock"):
        squares.get_result()
    stopped = live(simulated, "copies")
    stopped.stop()
    with pytest.raises(croft.AcceleratorError, match="interrupted"):
        stopped.get_result()


def test_leaving_with_an_error_stops_the_run(simulated):
    with pytest.raises(ZeroDivisionError), live(simulated, "copies") as squares:
        squares.offload(struct.pack("<i", 1 // 0))


def test_mistakes_are_told_in_a_sentence(simulated, small):
    program = simulated("coprocessor")
    with pytest.raises(croft.UsageError, match=r"plain has no link to a host: its machine file has no \[host_link\]"):
        croft.Accelerator(program, small.model_copy(update={"name": "plain", "host_link": None}))
    with pytest.raises(croft.UsageError, match="1 to 1024 input slots, not 0"):
        croft.Accelerator(program, input_slots=0)
    with pytest.raises(croft.UsageError, match="has none to send"):
        croft.HostScript([], count=1)
    with pytest.raises(croft.UsageError, match="1 to 64 cores"):
        croft.Accelerator(program, cores=65, arguments=["copies"]).get_result()
    with live(simulated, "copies") as squares:
        with pytest.raises(croft.UsageError, match="65537 bytes is longer than a slot of the link, 65536"):
            squares.offload(bytes(65537))
        squares.close()
        with pytest.raises(croft.UsageError, match="after close"):
            squares.offload(b"")
    with pytest.raises(croft.AcceleratorError, match="message of 3 bytes, and an item has 4"):
        squares = live(simulated, "copies")
        squares.offload(b"abc")
        squares.get_result()


def test_a_link_without_a_host_or_a_machine_without_a_link_ends_the_run(simulated):
    program = simulated("coprocessor")
    alone = croft.run(program, cores=8, arguments=["copies"])
    assert alone.ending == "fault"
    assert "no host is at its other end" in alone.message
    chip = croft.machine("tilepro64").model_copy(update={"host_link": None})
    unlinked = croft.run(program, chip, cores=8, arguments=["copies"], host=croft.HostScript([b"abcd"]))
    assert unlinked.ending == "fault"
    assert "its file has no [host_link]" in unlinked.message


def test_natively_there_is_no_link(native):
    with pytest.raises(Exception, match="returned non-zero exit status 3"):
        native("coprocessor", "copies")
