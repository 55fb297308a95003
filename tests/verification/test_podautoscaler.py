"""Recorded syncs of the real HPA controller; WAVETANK_ALL=1 compares all scenarios instead of one of a family."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.cluster.manifests import read_text
from wavetank.verification import find_recordings, verify
from wavetank.verification.podautoscaler import AutoscalerRecording, parse_autoscaler_recording
from wavetank.verification.podautoscaler.comparison import compare

SCENARIOS = DATA / "hpa"
FAMILIES = sorted({path.name.rpartition("-")[0] for path in SCENARIOS.glob("*.json.gz")}) or ["none"]

pytestmark = needs_shared(SCENARIOS)


def first(family: str) -> AutoscalerRecording:
    file = find_recordings(SCENARIOS, family)[0]
    return parse_autoscaler_recording(read_text(file), file)


@pytest.mark.parametrize("family", FAMILIES)
def test_autoscalers_decide_as_the_real_controller_freely_and_sync_by_sync(family: str) -> None:
    files = find_recordings(SCENARIOS, family)
    verification = verify(files if os.environ.get("WAVETANK_ALL") else files[:1], 1)
    assert verification.mismatches == []
    assert verification.autoscalers[family].aspects["forced decision"].compared > 0


def test_a_changed_decision_is_found_and_named() -> None:
    recording = first("scale_up_limit")
    recording.outputs.syncs[3] = recording.outputs.syncs[2]
    agreement, mismatches = compare(recording, "changed")
    assert agreement.files.equal == 0
    assert {mismatch.step for mismatch in mismatches} == {3}
    assert {"time"} <= {mismatch.aspect for mismatch in mismatches}
