"""Recorded sessions of the real Volcano scheduler; WAVETANK_ALL=1 replays all of them instead of one of a family."""

from __future__ import annotations

import os

import pytest

from verify.recordings import SHARED
from wavetank.cluster.manifests import read_text
from wavetank.experiments.verify import find_recordings, verify
from wavetank.experiments.verify.volcano import parse_scenario, replay_sessions

SESSIONS = SHARED / "data" / "volcano"
FAMILIES = sorted({path.name.rpartition("-")[0] for path in SESSIONS.glob("*.json.gz")}) or ["none"]

pytestmark = pytest.mark.skipif(
    not SESSIONS.is_dir(), reason=f"no sessions in {SESSIONS}: set WAVETANK_SHARED to the folder that has data/"
)


def chosen(family):
    files = find_recordings(SESSIONS, family)
    return files if os.environ.get("WAVETANK_ALL") else files[:1]


@pytest.mark.parametrize("family", FAMILIES)
def test_every_session_comes_to_the_same_step_by_step(family):
    verification = verify(chosen(family), 1)
    assert verification.mismatches == []
    assert verification.sessions[family].aspects["groups"].compared > 0


def test_a_changed_record_is_found_and_named():
    file = find_recordings(SESSIONS, "tiny")[0]
    scenario = parse_scenario(read_text(file), file)
    record = scenario.sessions[0]
    record.result.binds.append(["default/nobody", "nowhere"])
    _, mismatches = replay_sessions(scenario, file.name)
    assert [(mismatch.step, mismatch.aspect) for mismatch in mismatches] == [(record.index, "binds")]
