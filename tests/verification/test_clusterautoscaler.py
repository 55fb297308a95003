"""Recorded scenarios of the real cluster-autoscaler; WAVETANK_ALL=1 compares all of them instead of a sample."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.cluster.manifests import read_text
from wavetank.verification import find_recordings, verify
from wavetank.verification.clusterautoscaler import ClusterAutoscalerRecording, parse_cluster_autoscaler_recording
from wavetank.verification.clusterautoscaler.comparison import compare

SCENARIOS = DATA / "autoscaler"
FAMILIES = sorted({path.name.rpartition("-")[0] for path in SCENARIOS.glob("*.json.gz")}) or ["none"]
LONG = "diurnal"  # one scenario of 30 hours

pytestmark = needs_shared(SCENARIOS)


@pytest.mark.parametrize("family", [family for family in FAMILIES if family != LONG])
def test_the_autoscaler_decides_as_the_real_one(family: str) -> None:
    files = list(find_recordings(SCENARIOS, family))
    verification = verify(files if os.environ.get("WAVETANK_ALL") else files[:1], 100)
    # docs/fidelity.md tells why two statuses differ
    assert [mismatch for mismatch in verification.mismatches if mismatch.aspect != "status"] == []


def a_recording() -> ClusterAutoscalerRecording:
    file = find_recordings(SCENARIOS, "single_group")[0]
    return parse_cluster_autoscaler_recording(read_text(file), file)


def test_a_changed_size_is_found_and_named() -> None:
    recording = a_recording()
    time, group, before, after = recording.outputs.replicas[0]
    recording.outputs.replicas[0] = (time, group, before, after + 1)
    agreement, mismatches = compare(recording, "changed")
    assert agreement.files.equal == 0
    assert {(mismatch.step, mismatch.aspect) for mismatch in mismatches} == {(0, "free"), (0, "sizes")}


def test_another_plan_is_found_in_its_loop_and_the_recorded_one_is_carried_out() -> None:
    recording = a_recording()
    number, loop = next((place, loop) for place, loop in enumerate(recording.outputs.loops) if loop.get("plan"))
    (name, before, after, most) = loop["plan"][0]
    loop["plan"] = [[name, before, after + 1, most]]
    agreement, mismatches = compare(recording, "changed")
    first = next(mismatch for mismatch in mismatches if mismatch.aspect == "scale-up")
    assert (first.step, first.got) == (number, {"plan": [(name, before, after, most)]})
    assert agreement.attempts.equal < agreement.attempts.compared


def test_an_event_that_was_not_sent_is_named() -> None:
    recording = a_recording()
    event = recording.outputs.events.pop(0)
    _, mismatches = compare(recording, "changed")
    assert [(mismatch.aspect, mismatch.got) for mismatch in mismatches] == [("events", [event[1:5]])]
