"""In place, a message's payload is written once and moved once: the statistics of a run show it."""

import pytest

import croft

WORDS = 64


def per_message(simulated, style, part, name):
    """What one more message adds to a statistic."""
    few, many = (croft.run(simulated("zero_copy"), cores=2, arguments=[style, str(count)]) for count in (100, 300))
    assert many.text == f"{sum(i * WORDS + WORDS * (WORDS - 1) // 2 for i in range(300))}\n"
    return (many.total(part, name) - few.total(part, name)) / 200


@pytest.mark.slow("the program of all channels")
def test_in_place_every_word_is_stored_once_and_travels_once(simulated):
    stores = per_message(simulated, "place", "core", "stores")
    assert WORDS <= stores < WORDS + 16  # beside the payload only flags and the sides' own state
    assert WORDS <= per_message(simulated, "place", "l2", "stores_sent") < WORDS + 8
    assert per_message(simulated, "place", "l2", "misses") < 8  # nobody fetches a line of the payload


def test_by_value_it_is_stored_again(simulated):
    assert per_message(simulated, "value", "core", "stores") >= 2 * WORDS
