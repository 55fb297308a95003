from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from wavetank.kernel.randomness import Streams

SEEDS = st.integers(0, 2**63)
NAMES = st.text(max_size=8)


def draws(streams: Streams, name: str, number: int = 3) -> list[float]:
    return [streams.stream(name).random() for _ in range(number)]


@given(SEEDS, NAMES, st.lists(NAMES, max_size=6))
def test_a_new_name_never_shifts_another_ones_numbers(seed: int, name: str, others: list[str]) -> None:
    alone, crowded = Streams(seed), Streams(seed)
    expected = draws(alone, name, 6)
    seen = draws(crowded, name)
    for other in others:
        if other != name:
            draws(crowded, other)
    assert seen + draws(crowded, name) == expected


@given(SEEDS, st.lists(NAMES, unique=True, min_size=2, max_size=6))
def test_streams_of_different_names_differ(seed: int, names: list[str]) -> None:
    streams = Streams(seed)
    assert len({tuple(draws(streams, name)) for name in names}) == len(names)


@given(SEEDS, SEEDS, NAMES)
def test_the_seed_decides(seed: int, other: int, name: str) -> None:
    same = draws(Streams(seed), name) == draws(Streams(other), name)
    assert same == (seed == other)


def test_the_seed_and_the_name_do_not_run_into_each_other() -> None:
    assert draws(Streams(1), "1/a") != draws(Streams(11), "/a")


def test_a_name_has_one_stream() -> None:
    streams = Streams(1)
    assert streams.stream("a") is streams.stream("a")


def test_the_numbers_are_the_same_on_every_machine_and_for_ever() -> None:
    assert [round(number, 12) for number in draws(Streams(1), "nodes/latency", 2)] == [0.718151900803, 0.678285456797]
