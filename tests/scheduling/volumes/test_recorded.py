"""A sample of the recorded cycles about volumes, one of each kind of thing; tests/verification replays more."""

from __future__ import annotations

import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.verification import read_recording
from wavetank.verification.decisions.replay import replay

GOLDEN = DATA / "golden"


@needs_shared(GOLDEN)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("volume_prebound-012", id="claims bound before, some lost or gone"),
        pytest.param("volume_wffc_static-009", id="pods that follow each other at once"),
        pytest.param("volume_wffc_static-013", id="volumes of equal size"),
        pytest.param("volume_immediate_unbound-000", id="a claim that is bound later"),
        pytest.param("volume_dynamic-001", id="provisioning that fails the first time"),
        pytest.param("volume_dynamic-004", id="scores by capacity"),
        pytest.param("volume_zone-000", id="zones and regions"),
        pytest.param("volume_limits-000", id="volumes per node"),
        pytest.param("volume_restrictions-001", id="disks and claims that cannot be shared"),
        pytest.param("ephemeral_volumes-000", id="claims made for pods"),
    ],
)
def test_every_decision_is_the_real_one(name):
    _, mismatches = replay(read_recording(GOLDEN / f"{name}.json.gz"), name)
    assert mismatches == []
