"""How extenders take part in choosing whom to evict."""

from __future__ import annotations

import pytest

from tests.scheduling.extenders.scripted import URL, Scripted, an_extender
from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod
from wavetank.scheduling.framework.extenders.answers import ExtenderError

FULL = "0/2 nodes are available: 2 Too many pods."


def a_full_cluster(client, **config):
    """Two nodes that hold one pod each."""
    cluster = CachedCluster(
        a_node("n0", pods="1"),
        a_node("n1", pods="1"),
        extenders=[an_extender(client, preemptVerb="preempt", **config)],
    )
    for node in ("n0", "n1"):
        cluster.place(a_pod(f"on-{node}"), node)
    return cluster


def preempt(cluster):
    return cluster.schedule(a_pod("important", priority=10))


def victims(**nodes):
    return {"NodeNameToMetaVictims": {node: {"Pods": [{"UID": uid} for uid in uids]} for node, uids in nodes.items()}}


def test_it_is_sent_uids_or_whole_pods():
    client = Scripted(preempt=victims(n1=["uid-of-on-n1"]))
    preempt(a_full_cluster(client))
    ((_, request),) = client.calls
    assert request["NodeNameToVictims"] is None
    assert request["NodeNameToMetaVictims"]["n0"] == {"Pods": [{"UID": "uid-of-on-n0"}], "NumPDBViolations": 0}

    client = Scripted(preempt=victims(n1=["uid-of-on-n1"]))
    preempt(a_full_cluster(client, cached=False))
    ((_, request),) = client.calls
    (pod,) = request["NodeNameToVictims"]["n1"]["Pods"]
    assert (pod["metadata"]["name"], request["NodeNameToMetaVictims"]) == ("on-n1", None)


def test_it_chooses_among_the_nodes():
    outcome = preempt(a_full_cluster(Scripted(preempt=victims(n1=["uid-of-on-n1"]))))
    assert outcome.preemption.nominated == "n1"
    assert [pod.name for pod in outcome.preemption.victims] == ["on-n1"]
    assert outcome.message == FULL


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        pytest.param(
            victims(), "no new claims to deallocate, preemption: no candidate node for preemption", id="no node is left"
        ),
        pytest.param(ExtenderError("down"), "preemption: down", id="no answer"),
        pytest.param(
            victims(n1=[]), 'preemption: expected at least one victim pod on node "n1"', id="a node without victims"
        ),
        pytest.param(
            victims(n1=["x"]),
            f"preemption: extender: {URL}/a claims to preempt pod (UID: &{{x}}) on node: n1, "
            "but the pod is not found on that node",
            id="an unknown pod",
        ),
        pytest.param(victims(n9=["x"]), 'preemption: nodeinfo not found for node name "n9"', id="a node unknown"),
    ],
)
def test_a_preemption_that_fails_says_why(answer, message):
    outcome = preempt(a_full_cluster(Scripted(preempt=answer)))
    assert outcome.message == f"{FULL} {message}"


@pytest.mark.parametrize("answer", [ExtenderError("down"), victims(n0=["x"])])
def test_errors_of_one_that_may_be_ignored_change_nothing(answer):
    assert preempt(a_full_cluster(Scripted(preempt=answer), ignorable=True)).preemption.nominated in ("n0", "n1")


def test_a_node_that_only_an_extender_refuses_is_no_candidate():
    answer = {"NodeNames": [], "FailedNodes": {"n0": "no", "n1": "no"}}
    cluster = CachedCluster(
        a_node("n0"), a_node("n1"), extenders=[an_extender(Scripted(filter=answer), filterVerb="filter")]
    )
    cluster.place(a_pod("there"), "n0")
    assert preempt(cluster).message == (
        '0/2 nodes are available: 2 no. preemption: expected at least one victim pod on node "n0"'
    )
