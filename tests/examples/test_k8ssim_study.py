"""K8sSim's study is whole: 20 scenarios, eleven and thirteen algorithms, half as many nodes to half as many more."""

from __future__ import annotations

from tests.support.paths import EXAMPLES
from wavetank.sweeps.document import read_sweep

STUDY = EXAMPLES / "k8ssim/experiment.yaml"


def test_the_study_has_all_of_its_runs():
    sweep = read_sweep(STUDY)
    assert sweep.runs == 240
    assert [len(scenario.experiment.schedulers) for scenario in sweep.scenarios] == [11] * 10 + [13] * 10
    nodes = [len(scenario.experiment.cluster.node_names) for scenario in sweep.scenarios]
    assert nodes == [8, 4, 6, 10, 12] * 4
