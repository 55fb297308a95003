"""Recorded scenarios of the real cluster-autoscaler; WAVETANK_ALL=1 compares all of them instead of a sample."""

from __future__ import annotations

import os

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.cluster.manifests import read_text
from wavetank.verification import find_recordings, verify
from wavetank.verification.clusterautoscaler import parse_cluster_autoscaler_recording
from wavetank.verification.clusterautoscaler.comparison import compare

SCENARIOS = DATA / "autoscaler"
FAMILIES = sorted({path.name.rpartition("-")[0] for path in SCENARIOS.glob("*.json.gz")}) or ["none"]

pytestmark = needs_shared(SCENARIOS)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_autoscaler_decides_as_the_real_one(family: str) -> None:
    files = list(find_recordings(SCENARIOS, family))
    verification = verify(files if os.environ.get("WAVETANK_ALL") else files[:1], 100)
    assert [mismatch for mismatch in verification.mismatches if mismatch.aspect == "sizes"] == []


def test_a_changed_size_is_found_and_named() -> None:
    file = find_recordings(SCENARIOS, "single_group")[0]
    recording = parse_cluster_autoscaler_recording(read_text(file), file)
    time, group, before, after = recording.outputs.replicas[0]
    recording.outputs.replicas[0] = (time, group, before, after + 1)
    agreement, mismatches = compare(recording, "changed")
    assert agreement.files.equal == 0
    assert (mismatches[0].step, mismatches[0].aspect) == (0, "sizes")
