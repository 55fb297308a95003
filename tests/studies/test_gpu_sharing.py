"""GPU sharing: each claim holds or does not, as before."""

from __future__ import annotations

from tests.studies.checking import CANNOT_BE_CHECKED, HOLDS, small_findings, verdicts

# The last two are about Alibaba's trace, on which only the full form runs.
CLAIMS = {
    "most-allocated": HOLDS,
    "least-fragmented": HOLDS,
    "unallocated": CANNOT_BE_CHECKED,
    "same-digits": CANNOT_BE_CHECKED,
}


def test_the_claims_hold_as_before(tmp_path):
    findings = small_findings("gpu-sharing", tmp_path)
    assert verdicts(findings) == CLAIMS
    assert "FGD" in findings.pictures[0].drawing.svg
