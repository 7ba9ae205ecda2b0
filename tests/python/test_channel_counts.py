"""Messages from core to core by channel: `croft run --lines`, `croft lines`, and the page of `croft report`."""

import json
from collections import Counter

import pytest

import croft
from commands import call
from croft.recording.channel_use import USER_NETWORK, Channel
from croft.reports.page import page
from croft.reports.run_data import RunData
from croft.results.trace_file import encode
from program_sources import PROGRAMS
from stripped import stripped
from trace_files import flows_of

pytestmark = pytest.mark.slow("a farm and other programs, each built with its symbols and without")

MESSAGES = PROGRAMS / "messages.cpp"
SLOTS = {"ra": 3, "ra-home": 3, "ra-hf": 3, "turns": 3, "batched": 3, "null-slot": 16, "lamport": 16, "answers": 1}
"""How many messages each kind of channel has room for; an unbounded one for any number."""
CASES = [(kind, "tilepro64") for kind in (*SLOTS, "unbounded")] + [("turns", "big-tiny-64-gwb"), ("lamport", "o3x4")]


def both(program, machine, *arguments):
    """A run that records nothing, and one that records lines and a trace: they do not differ."""
    without = croft.run(program, machine, arguments=arguments)
    result = croft.run(program, machine, arguments=arguments, lines=1 << 30, trace=1 << 28)
    assert (without.cycles, without.instructions, without.output) == (result.cycles, result.instructions, result.output)
    assert without.statistics == result.statistics
    return result


def sent(result):
    """Messages by their two cores."""
    counted = Counter()
    for each in result.lines.channels:
        counted[each.sender, each.receiver] += each.messages
    return dict(counted)


def most_at_once(times):
    """Of (sent, received): one that is received as another is sent is not under way any more."""
    changes = sorted([(time, -1) for _, time in times] + [(time, 1) for time, _ in times])
    most = now = 0
    for _, change in changes:
        now += change
        most = max(most, now)
    return most


@pytest.mark.parametrize(("kind", "machine"), CASES)
def test_every_message_in_memory_is_counted(kind, machine):
    result = both(MESSAGES, machine, kind)
    assert sent(result) == {(0, 1): 101} | ({(1, 0): 100} if kind == "answers" else {})  # and the end
    assert result.lines.unreceived == 0
    flows, _ = flows_of(encode(result))
    for sender, receiver in sent(result):
        times = [(begin[2], end[2]) for begin, end in flows if (begin[0], end[0]) == (sender, receiver)]
        parts = [each for each in result.lines.channels if (each.sender, each.receiver) == (sender, receiver)]
        assert sum(each.under_way for each in parts) == sum(received - sent for sent, received in times)
        if kind == "unbounded":
            continue  # by the places that allocate its rings
        (channel,) = parts
        assert channel.most == most_at_once(times) <= SLOTS[kind]
        assert channel.identity.kind == "allocation"
        assert channel.latency == channel.under_way / channel.messages
        assert channel.fill(result.cycles) <= channel.most


def test_a_sender_that_waits_for_room_has_filled_its_queue():
    (channel,) = croft.run(MESSAGES, arguments=["null-slot"], lines=1 << 30).lines.channels
    assert channel.most == SLOTS["null-slot"]
    assert channel.fill(croft.run(MESSAGES, arguments=["null-slot"]).cycles) > 1


def test_messages_of_the_user_network_are_counted():
    result = both(MESSAGES, "tilepro64", "udn")
    counted = {(each.sender, each.receiver): each for each in result.lines.channels}
    assert counted[0, 1].messages == 101
    assert {each.identity for each in counted.values()} == {USER_NETWORK}
    flows, single = flows_of(encode(result))
    assert result.lines.unreceived == single
    for (sender, receiver), channel in counted.items():  # what says that there is room goes back
        times = [(begin[2], end[2]) for begin, end in flows if (begin[0], end[0]) == (sender, receiver)]
        assert channel.messages == len(times)
        assert channel.under_way == sum(received - sent for sent, received in times)
        assert channel.most == most_at_once(times)


def test_a_farm_sends_each_item_to_a_worker_and_on():
    counted = sent(croft.run(PROGRAMS / "marks.cpp", "tilepro64", arguments=["farm"], lines=1 << 30))
    out = {receiver: count for (sender, receiver), count in counted.items() if sender == 0}
    back = {sender: count for (sender, receiver), count in counted.items() if sender != 0}
    assert len(counted) == 6
    assert out == back  # the collector gets what each worker got
    assert sum(out.values()) == 100 + 3  # and to each the end


def test_the_host_decides_nothing():
    first, second = (croft.run(MESSAGES, arguments=["ra"], lines=1 << 30, run_ahead=ahead) for ahead in (0, 200))
    assert first.lines.channels == second.lines.channels


def channels_of(*runs):
    """The section of a page."""
    return page(list(runs)).partition('<h2 id="channels">')[2].partition("</section>")[0]


def test_without_debug_information_nothing_is_counted(tmp_path, simulated):
    bare_program = stripped(simulated("messages"), tmp_path)
    bare = croft.run(bare_program, arguments=["null-slot"], lines=1 << 30)
    assert bare.lines.channels == []
    section = channels_of(RunData(json.loads(bare.to_json())))
    assert "No message from core to core was counted" in section
    assert "<table" not in section


def test_the_page_shows_two_runs_with_their_channels():
    result = croft.run(MESSAGES, arguments=["null-slot"], lines=1 << 30)
    (channel,) = result.lines.channels
    content = json.loads(result.to_json())
    bare = content | {"lines": content["lines"] | {"channels": []}}  # as of queues that the library does not know
    section = channels_of(RunData(content, "a.json"), RunData(bare, "b.json"))
    (row,) = (row for row in section.split("<tr>") if '<td class="n">101</td>' in row)
    assert '<span class="whole">core 0</span> → <span class="whole">core 1</span>' in row
    numbers = (f"{channel.fill(result.cycles):.2f}", "16", f"{channel.latency:,.0f}")
    assert "".join(f'<td class="n">{number}</td>' for number in numbers) in row
    waited = {(wait.core, wait.writer): wait.cycles for wait in result.lines.waits}
    assert f"core 0: {waited[0, 1]:,}" in row
    (row,) = (row for row in section.split("<tr>") if "channel: core 0 to core 1" in row and "not counted" in row)
    assert "cores 0 and 1</span>" in row


def test_a_channel_is_the_same_from_json():
    channels = croft.run(MESSAGES, arguments=["answers"], lines=1 << 30).lines
    assert [Channel.of_dict(row) for row in channels.to_dict()["channels"]] == channels.channels
    assert channels.totals()["sent"] == 201


def test_the_command_prints_them(tmp_path):
    file = tmp_path / "lines.json"
    assert call("run", MESSAGES, "-q", "--lines", file, "--", "null-slot").returncode == 0
    printed = call("lines", file)
    assert printed.returncode == 0
    (row,) = (line for line in printed.stdout.partition("messages from core to core")[2].splitlines() if "101" in line)
    assert "channel: core 0 to core 1, for " in row
    content = json.loads(file.read_text())
    (channel,) = (Channel.of_dict(each) for each in content["lines"]["channels"])
    assert f"{channel.fill(content['cycles']):.2f}" in row
