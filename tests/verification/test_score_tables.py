"""Inputs and expected scores of kube-scheduler's own unit tests."""

from __future__ import annotations

import json

import numpy as np
import pytest

from tests.support.paths import DATA, needs_shared
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.config import parse_configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.plugins.noderesources.balancedallocation import NodeResourcesBalancedAllocation
from wavetank.scheduling.plugins.noderesources.fit import NodeResourcesFit

TABLES = DATA / "k8s-score-tables"
VERSION = (1, 36)
DEFAULT_SHAPE = [{"utilization": 0, "score": 10}, {"utilization": 100, "score": 0}]


pytestmark = needs_shared(TABLES)


@pytest.mark.parametrize(
    ("strategy", "count"),
    [("BalancedAllocation", 8), ("LeastAllocated", 11), ("MostAllocated", 9), ("RequestedToCapacityRatio", 3)],
)
def test_scores_are_those_of_the_real_plugins(strategy, count):
    cases = json.loads((TABLES / f"{strategy}_v1.36plus.json").read_text())["cases"]
    assert len(cases) == count
    for case in cases:
        assert scores_of(strategy, case) == case["expected_scores"], case["name"]


def scores_of(strategy, case):
    table = NodeTable()
    for node in case["nodes"]:
        table.set_node(Node({"metadata": {"name": node["name"]}, "status": {"allocatable": node["allocatable"]}}))
    for i, pod in enumerate(case["existing_pods"]):
        table.add_pod(pod_of_case(pod, f"e{i}"), pod["node"])
    plugin = plugin_of(strategy, case)
    nodes = np.array([table.slots[name] for name in case["expected_scores"]], np.int64)
    cycle = Cycle(Framework("tables", {}, {}), table, pod_of_case(case["pod"], "p"))
    scores = plugin.normalize(plugin.score(cycle, nodes))
    return dict(zip(case["expected_scores"], scores.tolist(), strict=True))


def pod_of_case(pod, uid):
    containers = [{"resources": {"requests": requests}} for requests in pod["containers"]]
    parsed = Pod({"metadata": {"name": uid}}, PodSpec({"containers": containers}))  # some have none, which no API takes
    parsed.uid = uid
    return parsed


def plugin_of(strategy, case):
    name, args = "NodeResourcesFit", {"scoringStrategy": {"type": strategy, "resources": case["resources"]}}
    if strategy == "BalancedAllocation":
        name, args = "NodeResourcesBalancedAllocation", {"resources": case["resources"]}
    elif strategy == "RequestedToCapacityRatio":
        args["scoringStrategy"]["requestedToCapacityRatio"] = {"shape": case["shape"] or DEFAULT_SHAPE}
    profile = {"schedulerName": "tables", "pluginConfig": [{"name": name, "args": args}]}
    kind = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    read = parse_configuration({**kind, "profiles": [profile]}, VERSION).profiles[0].args[name]
    return NodeResourcesFit(read) if name == "NodeResourcesFit" else NodeResourcesBalancedAllocation(read, VERSION)
