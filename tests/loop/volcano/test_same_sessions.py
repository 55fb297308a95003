"""The built-in Volcano and Volcano's own scheduler, in lockstep on random workloads, do the same in every session."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.loop.programs import run_entry
from tests.loop.volcano.sessions import compare_sessions
from tests.loop.volcano.workloads import a_case, an_experiment_of, find_volcano
from wavetank.kernel.durations import SECOND
from wavetank.results.recording.recorder import Recorder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

ALL = bool(os.environ.get("WAVETANK_ALL"))
SEEDS = range(100) if ALL else (5, 15)  # the second one with evictions
# Without victims no decision depends on the order of a Go map, so that whole runs can be compared.
WITHOUT_VICTIMS = [seed for seed in range(100) if a_case(seed).conf["actions"] == "enqueue, allocate, backfill"]


@pytest.fixture(scope="module", autouse=True)
def volcano() -> None:
    find_volcano()


@pytest.mark.parametrize("seed", SEEDS)
def test_binds_evictions_and_phases_are_the_same_in_every_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    agreement = compare_sessions(seed, tmp_path, monkeypatch)
    print(agreement)
    assert agreement.sessions == 239
    assert agreement.binds > 10
    assert not agreement.differing


def sessions(recorder: Recorder) -> list[tuple[object, ...]]:
    """Returns where each pod was bound, and in which session: the real one binds up to 20 ms after its session."""
    return sorted(
        (row.name, row.node, -1 if row.scheduled is None else row.scheduled // SECOND, row.phase)
        for row in recorder.rows
    )


REAL_CONTROLLERS = [{"name": "vc-controller-manager", "process": {}}]


@pytest.mark.parametrize("seed", WITHOUT_VICTIMS if ALL else WITHOUT_VICTIMS[:1])
@pytest.mark.parametrize(
    "controllers",
    [
        pytest.param({}, id="built-in controllers"),
        pytest.param(
            {"controllers": REAL_CONTROLLERS},
            id="its own controllers",
            marks=pytest.mark.skipif(not ALL, reason="takes minutes: make test-all"),
        ),
    ],
)
def test_pods_are_bound_to_the_same_nodes_in_the_same_sessions(
    tmp_path: Path, seed: int, controllers: dict[str, Any]
) -> None:
    case = a_case(seed)
    built_in = sessions(run_entry(an_experiment_of(case, tmp_path), 0))
    real = sessions(run_entry(an_experiment_of(case, tmp_path, **controllers), 1))
    assert len(built_in) > 10
    assert built_in == real
