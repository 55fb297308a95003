from __future__ import annotations

import json

import pytest

from tests.explanation.clusters import BALANCED, FIT, explained
from tests.support.objects import a_taint, node_manifest, pod_manifest


def test_every_filter_and_every_score_is_told(tmp_path):
    nodes = [
        node_manifest("empty"),
        node_manifest("used"),
        node_manifest("tainted", taints=[a_taint("gpu")]),
        node_manifest("cordoned", unschedulable=True),
        node_manifest("small", cpu="500m"),
    ]
    [told] = explained(tmp_path, [*nodes, pod_manifest("there", "used")], [pod_manifest("p")])
    assert told["outcome"] == "bound"
    assert told["feasible"] == ["empty", "used"]
    assert told["filtered"] == {
        "cordoned": {"plugin": "NodeUnschedulable", "reasons": ["node(s) were unschedulable"]},
        "small": {"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"]},
        "tainted": {"plugin": "TaintToleration", "reasons": ["node(s) had untolerated taint(s)"]},
    }
    assert told["scores"]["TaintToleration"] == {"empty": 300, "used": 300}
    assert told["scores"]["NodeResourcesFit"] == {"empty": FIT[1], "used": FIT[2]}
    assert told["scores"]["NodeResourcesBalancedAllocation"] == {"empty": BALANCED[1], "used": BALANCED[2]}
    assert told["totals"] == {"empty": 300 + 81 + 93, "used": 300 + 62 + 87}
    assert (told["candidates"], told["chosen"], told["diverged"]) == (["empty"], "empty", False)


def test_pods_are_scheduled_one_after_the_other(tmp_path):
    pods = [pod_manifest(f"p{i}") for i in range(3)]
    told = explained(tmp_path, [node_manifest("n0"), node_manifest("n1")], pods)
    assert [pod["chosen"] for pod in told] == ["n0", "n1", "n0"]
    assert [pod["candidates"] for pod in told] == [["n0", "n1"], ["n1"], ["n0", "n1"]]
    assert told[2]["totals"] == dict.fromkeys(("n0", "n1"), 300 + FIT[2] + BALANCED[2])


def test_a_single_feasible_node_is_not_scored(tmp_path):
    [told] = explained(tmp_path, [node_manifest("n0")], [pod_manifest("p")])
    assert (told["scores"], told["totals"], told["candidates"], told["chosen"]) == ({}, {}, ["n0"], "n0")


def test_a_failure_has_the_message_of_the_condition_and_leaves_no_trace(tmp_path):
    nodes = [node_manifest("n0"), node_manifest("n1"), node_manifest("n2", taints=[a_taint("gpu")])]
    failed, after = explained(tmp_path, nodes, [pod_manifest("big", cpu="5"), pod_manifest("p")])
    assert (failed["outcome"], failed["chosen"]) == ("unschedulable", None)
    assert failed["message"] == (
        "0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, "
        "preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling."
    )
    assert failed["refusals"] == [
        {"plugin": "TaintToleration", "reasons": ["node(s) had untolerated taint(s)"], "nodes": 1},
        {"plugin": "NodeResourcesFit", "reasons": ["Insufficient cpu"], "nodes": 2},
    ]
    assert after["candidates"] == ["n0", "n1"]


def test_nodes_outside_the_node_set_of_a_pre_filter_are_told_too(tmp_path):
    term = {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [term]}}}
    [told] = explained(tmp_path, [node_manifest("n0"), node_manifest("n1")], [pod_manifest("p", affinity=affinity)])
    reason = "node(s) didn't satisfy plugin(s) [NodeAffinity]"
    assert told["filtered"] == {"n0": {"plugin": "NodeAffinity", "reasons": [reason]}}
    assert (told["evaluated"], told["chosen"]) == (1, "n1")


def test_a_preemption_names_its_victims_which_are_gone_before_the_next_pod(tmp_path):
    low = [pod_manifest("low0", "n0", cpu="3", priority=1), pod_manifest("low1", "n1", cpu="3", priority=2)]
    pods = [pod_manifest("high", cpu="2", priority=9), pod_manifest("next", cpu="2")]
    first, retry, after = explained(tmp_path, [node_manifest("n0"), node_manifest("n1"), *low], pods)
    assert (first["outcome"], first["nominated"], first["victims"]) == ("nominated", "n0", ["default/low0"])
    assert first["message"] == "0/2 nodes are available: 2 Insufficient cpu."
    assert (retry["pod"], retry["attempt"], retry["outcome"]) == ("default/high", 2, "bound")
    assert retry["chosen"] == "n0"
    assert after["chosen"] == "n0"


def test_start_times_decide_between_victims(tmp_path):
    def running(name, node, day):
        status = {"phase": "Running", "startTime": f"2024-01-{day:02}T00:00:00Z"}
        return pod_manifest(name, node, cpu="3", priority=1, status=status)

    cluster = [node_manifest("n0"), node_manifest("n1"), running("old", "n0", 1), running("new", "n1", 2)]
    first, _ = explained(tmp_path, cluster, [pod_manifest("high", cpu="2", priority=9)])
    assert first["victims"] == ["default/new"]


@pytest.mark.parametrize(
    ("spec", "outcome"),
    [
        pytest.param({"schedulingGates": [{"name": "wait"}]}, "gated", id="a scheduling gate"),
        pytest.param({"schedulerName": "other"}, "ignored", id="a schedulerName without a scheduler"),
        pytest.param({"nodeName": "n0"}, "prebound", id="a node of its own"),
    ],
)
def test_a_pod_that_is_never_tried_says_why(tmp_path, spec, outcome):
    untried, after = explained(
        tmp_path, [node_manifest("n0"), node_manifest("n1")], [pod_manifest("p", **spec), pod_manifest("q")]
    )
    assert (untried["outcome"], untried["attempt"], untried["feasible"]) == (outcome, 0, [])
    assert after["candidates"] == (["n1"] if outcome == "prebound" else ["n0", "n1"])


def test_finished_and_unbound_pods_of_the_cluster_take_no_room(tmp_path):
    cluster = [
        node_manifest("n0"),
        pod_manifest("done", "n0", cpu="4", status={"phase": "Succeeded"}),
        pod_manifest("waiting", cpu="4"),
    ]
    [told] = explained(tmp_path, cluster, [pod_manifest("p", cpu="4")])
    assert told["chosen"] == "n0"


def test_several_profiles(tmp_path):
    config = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": [
            {"schedulerName": "default-scheduler"},
            {
                "schedulerName": "packer",
                "pluginConfig": [
                    {"name": "NodeResourcesFit", "args": {"scoringStrategy": {"type": "MostAllocated"}}},
                ],
            },
        ],
    }
    path = tmp_path / "config.yaml"
    path.write_text(json.dumps(config))
    cluster = [node_manifest("n0"), node_manifest("n1"), pod_manifest("there", "n1")]
    pods = [pod_manifest("spread"), pod_manifest("packed", schedulerName="packer")]
    spread, packed = explained(tmp_path, cluster, pods, "--config", path)
    assert spread["chosen"] == "n0"
    # by now both hold one pod: (2 / 4 + 2 / 8) / 2 in percent
    assert packed["scores"]["NodeResourcesFit"] == {"n0": 37, "n1": 37}
