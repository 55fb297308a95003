"""The real HorizontalPodAutoscaler controller and the built-in one rescale alike, on random loads."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.controllers.real.clusters import VERSION, real_manager
from tests.controllers.real.loads import HORIZON_S, RandomLoad
from wavetank.verification.podautoscaler.texts import stable_status

SEEDS = range(50) if os.environ.get("WAVETANK_ALL") else range(5)
REAL = {"version": VERSION, "controllers": ["horizontal-pod-autoscaler-controller"]}
TICK_NS = 10_000  # the clock of a real program advances by a nanosecond whenever it is read


def outcome(load: RandomLoad, process: dict[str, Any] | None) -> tuple[list[Any], dict[str, Any]]:
    """Returns all writes of the scale (when, to how many replicas, answered how) and the status at the end."""
    writes = []
    with load.cluster(process) as cluster:
        cluster.run(HORIZON_S)
        for each in cluster.requests("PUT", "/web/scale$"):
            assert each.body is not None
            writes.append((each.time_ns // TICK_NS * TICK_NS / 1e9, each.body["spec"]["replicas"], each.status))
        return writes, stable_status(cluster.get("hpa", "web").get("status") or {})


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_load_has_the_same_rescales(seed: int) -> None:
    real_manager()
    wanted = outcome(RandomLoad(seed), REAL)
    assert outcome(RandomLoad(seed), None) == wanted
