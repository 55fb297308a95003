"""Expansion policies of the cluster autoscaler: each claim holds or does not, as before."""

from __future__ import annotations

import yaml

from tests.studies.checking import DOES_NOT_HOLD, HOLDS, small_findings, verdicts
from tests.support.paths import EXAMPLES
from wavetank.studies.clusterscaling.runs import experiment, write_pods

# cheaper: a large machine costs twice a small one for twice the CPUs.
CLAIMS = {
    "small-first": HOLDS,
    "random-both": HOLDS,
    "slow-cores": HOLDS,
    "many-decisions": HOLDS,
    "both-stop": HOLDS,
    "cheaper": DOES_NOT_HOLD,
    "shrink": HOLDS,
}


def test_the_claims_hold_as_before(tmp_path):
    findings = small_findings("cluster-scaling", tmp_path)
    assert verdicts(findings) == CLAIMS
    assert all(name in findings.pictures[0].drawing.svg for name in ("least-waste", "random"))


def test_the_study_runs_the_experiment_of_the_example(tmp_path):
    folder = EXAMPLES / "cluster-scaling"
    written = yaml.safe_load((folder / "experiment.yaml").read_text())
    pods = write_pods(tmp_path)
    assert pods.read_text() == (folder / "pods.csv").read_text()
    written["spec"]["workload"]["file"] = str(pods)
    assert experiment("least-waste", pods) == written
