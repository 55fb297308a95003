"""Filters and scores of a user beside those of kube-scheduler."""

from __future__ import annotations

import pytest

import wavetank
from wavetank.errors import InputError
from wavetank.testing import PluginConformance


class LastNode:
    """Prefers nodes with a high number."""

    def score(self, pod, node):
        return int(node.name.rpartition("-")[2])


class NotFirst:
    """Refuses the first node."""

    def filter(self, pod, node):
        return True if node.name != "node-0" else "node(s) came first"


class Broken:
    def score(self, pod, node):
        return float("nan")


class TestConformance(PluginConformance):
    policy = LastNode
    weight = 3


CLUSTER = {"nodes": [{"count": 3, "cpu": 4, "memory": "8Gi"}]}
POD = {"generator": {"kind": "burst", "name": "p", "pods": 1, "duration": 10, "requests": {"cpu": 1}}}


def node_of(*plugins, workload=POD, **entry):
    scheduler = {"name": "mine", "plugins": list(plugins), **entry}
    results = wavetank.run(cluster=CLUSTER, workload=workload, schedulers=[scheduler], ties="exact", jobs=1)
    return [pod["node"] for pod in results.pods("mine", 1, frame="rows")]


def test_a_score_decides_where_the_default_ones_are_equal():
    assert node_of({"python": LastNode}) == ["node-2"]


@pytest.mark.parametrize(("weight", "spread"), [(1, True), (100, False)])
def test_its_weight_is_against_those_of_the_others(weight, spread):
    scores = {"disabled": [{"name": "*"}], "enabled": [{"name": "NodeResourcesFit", "weight": 20}]}
    burst = {"generator": {**POD["generator"], "pods": 3}}
    nodes = node_of({"python": LastNode, "weight": weight}, workload=burst, config=profile(score=scores))
    assert (len(set(nodes)) > 1) is spread


def profile(**plugins):
    head = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    return {**head, "profiles": [{"plugins": plugins}]}


def test_a_filter_takes_part_with_its_reason():
    huge = {"generator": {**POD["generator"], "pods": 3, "requests": {"cpu": 3}, "duration": None}}
    huge["generator"].pop("duration")
    assert sorted(node_of({"python": NotFirst}, workload=huge)) == ["", "node-1", "node-2"]


def test_a_configuration_may_be_its_base():
    config = profile(score={"disabled": [{"name": "*"}]})
    burst = {"generator": {**POD["generator"], "pods": 3}}
    assert node_of({"python": LastNode}, workload=burst, config=config) == ["node-2"] * 3


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ({"plugins": [{"python": object}]}, "schedulers[0].plugins[0]: object is not a policy"),
        ({"plugins": [{"python": LastNode, "weight": 0}]}, "schedulers[0].plugins[0].weight"),
        ({"plugins": [{"python": LastNode}] * 2}, "a second plugin called 'LastNode'"),
        ({"plugins": [{"python": LastNode, "name": "NodeName"}]}, "a second plugin called 'NodeName'"),
        ({"plugins": [{"python": LastNode}], "policy": "best-fit"}, "plugins go with config"),
        ({"plugins": [{"python": LastNode}], "name": "best-fit"}, "plugins go with config"),
        ({"plugins": [{"python": "nope:Nope"}]}, "nope"),
    ],
)
def test_what_cannot_be_a_plugin_is_refused(entry, message):
    with pytest.raises(InputError) as refused:
        wavetank.run(cluster=CLUSTER, workload=POD, schedulers=[{"name": "mine", **entry}])
    assert message in str(refused.value)


def test_a_score_that_is_no_number_ends_the_run():
    with pytest.raises(wavetank.SchedulerError, match="a score is not a finite number"):
        node_of({"python": Broken})
