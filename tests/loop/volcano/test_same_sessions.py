"""The built-in Volcano and Volcano's own scheduler, in lockstep on the same jobs, bind alike in the same sessions."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.loop.programs import run_entry
from tests.loop.volcano.workloads import a_case, an_experiment_of
from wavetank.errors import InputError
from wavetank.kernel.durations import SECOND
from wavetank.loop.building.cache import Cache
from wavetank.results.recording.recorder import Recorder

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="programs run in the loop on Linux")

CASES = 100 if os.environ.get("WAVETANK_ALL") else 4


@pytest.fixture(scope="module", autouse=True)
def volcano() -> None:
    try:
        Cache().find("vc-scheduler", "v1.15.1", "controller")
    except InputError as error:
        pytest.skip(str(error))


def sessions(recorder: Recorder) -> dict[str, tuple[object, ...]]:
    """Returns where each pod was bound, and in which session: the real one holds its sessions later in the second."""
    return {row.name: (row.node, None if row.scheduled is None else row.scheduled // SECOND) for row in recorder.rows}


@pytest.mark.parametrize("seed", range(CASES))
def test_pods_are_bound_to_the_same_nodes_in_the_same_sessions(tmp_path: Path, seed: int) -> None:
    experiment = an_experiment_of(a_case(seed), tmp_path)
    built_in, real = (sessions(run_entry(experiment, number)) for number in range(2))
    assert len(built_in) > 10
    assert built_in == real
