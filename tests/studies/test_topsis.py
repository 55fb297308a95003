"""The TOPSIS thesis: each claim holds or does not, as before."""

from __future__ import annotations

from tests.studies.checking import CANNOT_BE_CHECKED, DOES_NOT_HOLD, HOLDS, small_findings, verdicts

# Cases 2 to 4: kube-scheduler does not see memory that other programs use. weights-2: node 3 dominates node 2.
# kubernetes-1 depends on what the pods request, which the thesis does not say.
CLAIMS = {
    "figure-7": HOLDS,
    "weights-1": HOLDS,
    "weights-2": DOES_NOT_HOLD,
    "weights-3": HOLDS,
    "load-1-topsis": HOLDS,
    "load-1-default": HOLDS,
    "load-2-topsis": HOLDS,
    "load-2-default": DOES_NOT_HOLD,
    "load-3-topsis": HOLDS,
    "load-3-default": DOES_NOT_HOLD,
    "load-4-topsis": HOLDS,
    "load-4-default": DOES_NOT_HOLD,
    "kubernetes-1": CANNOT_BE_CHECKED,
    "replication-controller": HOLDS,
    "all-to-one": HOLDS,
    "overload": HOLDS,
    "network": HOLDS,
}


def test_the_claims_hold_as_before(tmp_path):
    assert verdicts(small_findings("topsis", tmp_path)) == CLAIMS
