"""Nodes that take every pod, as Batkube's did."""

import pytest

from tests.nodes.clusters import KubeletCluster
from wavetank.errors import InputError
from wavetank.experiments.document.structures.spec import Conditions
from wavetank.simulation.execution import K8SSIM, KUBELET, SHARING


def phases(sharing):
    cluster = KubeletCluster(sharing=sharing)
    cluster.add_node()
    cluster.started("a", requests={"cpu": "3"})
    cluster.started("b", requests={"cpu": "3"})
    return cluster.pod("a").phase, cluster.pod("b").phase


def test_a_kubelet_rejects_what_does_not_fit_and_a_shared_node_takes_it():
    assert phases(sharing=False) == ("Running", "Failed")
    assert phases(sharing=True) == ("Running", "Running")


@pytest.mark.parametrize(
    ("value", "execution"),
    [("kubelet", KUBELET), ("k8ssim", K8SSIM), ({"sharing": True}, SHARING), ({"sharing": False}, KUBELET)],
)
def test_an_experiment_chooses_its_nodes(value, execution):
    assert Conditions.read({"execution": value}, "spec").execution == execution


@pytest.mark.parametrize(
    ("value", "problem"), [({"share": True}, "unknown field 'share'"), ("sharing", "expected kubelet or k8ssim")]
)
def test_other_executions_are_refused(value, problem):
    with pytest.raises(InputError, match=f"spec.execution: {problem}"):
        Conditions.read({"execution": value}, "spec")
