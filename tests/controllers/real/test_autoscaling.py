"""The real HorizontalPodAutoscaler controller and the built-in one do the same on random loads."""

from __future__ import annotations

import os
from typing import Any

import pytest

from tests.controllers.real.clusters import VERSION, real_manager
from tests.controllers.real.loads import HORIZON_S, RandomLoad
from wavetank.testing import AuditedRequest, ScriptedCluster
from wavetank.verification.podautoscaler.texts import COMBINED, is_by_chance, stable_status

SEEDS = range(50) if os.environ.get("WAVETANK_ALL") else range(5)
REAL = {"version": VERSION, "controllers": ["horizontal-pod-autoscaler-controller"]}
TICK_NS = 10_000  # the clock of a real program advances by a nanosecond whenever it is read

Outcome = dict[str, Any]


def outcome(load: RandomLoad, process: dict[str, Any] | None) -> Outcome:
    """Returns all that an autoscaler asked for, wrote and reported until the end."""
    with load.cluster(process) as cluster:
        cluster.run(HORIZON_S)
        scales, statuses = cluster.requests("PUT", "/web/scale$"), cluster.requests("PUT", "autoscalers/web/status$")
        asked = cluster.requests("GET", r"(/web/scale|metrics\.k8s\.io/\w+/namespaces/.*)$")
        return {
            "rescales": [(*noted(each), (each.body or {})["spec"]["replicas"]) for each in scales],
            "end": stable_status(cluster.get("hpa", "web").get("status") or {}),
            "asked": [(*noted(each), each.path) for each in asked],
            "statuses": [(*noted(each), stable_status((each.body or {})["status"])) for each in statuses],
            "events": events(cluster),
        }


def noted(request: AuditedRequest) -> tuple[float, int]:
    """Returns when a request was made, as far as it is compared, and how it was answered."""
    return request.time_ns // TICK_NS * TICK_NS / 1e9, request.status


def events(cluster: ScriptedCluster) -> list[tuple[Any, ...]]:
    found = [each for each in cluster.events("web") if each.kind == "HorizontalPodAutoscaler"]
    return sorted((each.time, each.type, each.reason, each.message, each.count) for each in found)


def compared(found: Outcome) -> Outcome:
    """Returns an outcome without what the order of Go's maps decides: named pods, and which Events are combined."""
    messages = [event[3] for event in found["events"]]
    by_chance: tuple[str, ...] = ("events",) if any(each.startswith(COMBINED) for each in messages) else ()
    if any(map(is_by_chance, messages)):
        by_chance = ("events", "statuses")
    return {key: value for key, value in found.items() if key not in by_chance}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_random_load_has_the_same_rescales(seed: int) -> None:
    real_manager()
    wanted = outcome(RandomLoad(seed), REAL)
    assert compared(outcome(RandomLoad(seed), None)) == compared(wanted)
