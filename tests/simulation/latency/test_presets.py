from __future__ import annotations

import pytest

from wavetank.simulation.latency.model import IDEAL, parse_latency
from wavetank.simulation.latency.presets import PRESETS


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_can_be_read_and_has_its_name(name: str) -> None:
    assert parse_latency(name, "latency").name == name


def test_in_the_ideal_preset_nothing_takes_time() -> None:
    assert parse_latency("ideal", "latency") == IDEAL
