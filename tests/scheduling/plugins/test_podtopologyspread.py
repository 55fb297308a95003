"""PodTopologySpread on four nodes, each value worked out by hand from kube-scheduler's rules.

A hard constraint allows a domain if (pods that match in it) + (1 if the pod itself matches) - (fewest pods of any
eligible domain) is at most maxSkew. Scores are round(sum of pods * ln(domains + 2) + maxSkew - 1) per soft
constraint, then 100 * (highest + lowest - score) // highest.
"""

from __future__ import annotations

import pytest

from tests.scheduling.plugins.four_nodes import four_nodes, only_score, scores
from tests.support.objects import HOSTNAME, ZONE, a_pod, a_taint
from wavetank.scheduling.framework.events import ClusterEvent as E
from wavetank.scheduling.framework.nodes import podindex
from wavetank.scheduling.framework.nodes.topology import TopologyTable
from wavetank.scheduling.plugins.podtopologyspread import plugin

APP_A = {"matchLabels": {"app": "a"}}
UNEVEN = "node(s) didn't match pod topology spread constraints"
MISSING = f"{UNEVEN} (missing required label)"
SSD = {"a": {"labels": {"disk": "ssd"}}, "b": {"labels": {"disk": "ssd"}}}
TAINTED_C = {"c": {"taints": [a_taint()]}}


@pytest.fixture(autouse=True, params=[None, 1], ids=["few", "many"])
def many(request, monkeypatch):
    """Lets the rules for very many constraints and labels apply to any number; they must not change a result."""
    if request.param is not None:
        monkeypatch.setattr(podindex, "VERY_MANY", 0)
        monkeypatch.setattr(plugin, "_MANY", request.param)


def hard(key=ZONE, skew=1, selector=APP_A, **more):
    return {
        "maxSkew": skew,
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": selector,
        **more,
    }


def soft(key=ZONE, skew=1, **more):
    return {**hard(key, skew, **more), "whenUnsatisfiable": "ScheduleAnyway"}


def bound(labels=None, namespace="default", **counts):
    """Returns so many bound pods on each node."""
    return [
        a_pod(
            f"{namespace}-{node}-{i}",
            node,
            cpu="100m",
            labels=labels or {"app": "a"},
            metadata={"namespace": namespace},
        )
        for node, number in counts.items()
        for i in range(number)
    ]


def terminating(**counts):
    pods = bound(**counts)
    for pod in pods:
        pod.deleted = 1
    return pods


def spread(*constraints, labels=None, **fields):
    """Returns a pod of app a with constraints."""
    return a_pod(
        labels={"app": "a"} if labels is None else labels, topologySpreadConstraints=list(constraints), **fields
    )


@pytest.mark.parametrize(
    ("pods", "constraints", "feasible"),
    [
        pytest.param(bound(a=1, c=1), [hard()], "abc", id="even zones: 1 + 1 - 1 = 1 in both"),
        pytest.param(bound(a=1), [hard()], "c", id="z1 is ahead: 1 + 1 - 0 = 2"),
        pytest.param(bound(a=1, b=1), [hard(skew=2)], "c", id="skew 3 is more than 2"),
        pytest.param(bound(a=1, b=1), [hard(skew=3)], "abc", id="skew 3 is allowed by maxSkew 3"),
        pytest.param(bound(a=1), [hard(HOSTNAME)], "bcd", id="every node is a domain of its own"),
        pytest.param(bound(d=5), [hard()], "abc", id="pods outside of all domains do not count"),
        pytest.param(bound(a=1, c=1), [hard(minDomains=2)], "abc", id="as many domains as minDomains"),
        pytest.param(
            bound(a=1, c=1), [hard(minDomains=3)], "", id="fewer domains than minDomains: the fewest count as 0"
        ),
        pytest.param([], [hard(minDomains=3)], "abc", id="fewer domains, but no pods yet: 0 + 1 - 0"),
        pytest.param(bound(a=1, c=1), [hard(), hard(HOSTNAME)], "b", id="a and c are ahead of b by host"),
        pytest.param(bound(a=2, namespace="other"), [hard()], "abc", id="pods of other namespaces do not count"),
        pytest.param(terminating(a=2), [hard()], "abc", id="terminating pods do not count"),
        pytest.param(bound(a=2, labels={"app": "b"}), [hard()], "abc", id="other pods do not count"),
        pytest.param(bound(a=5), [hard(selector={})], "abc", id="an empty selector counts no pods"),
        pytest.param(bound(a=5), [hard(selector=None)], "abc", id="no selector counts no pods"),
    ],
)
def test_a_hard_constraint_limits_the_skew(pods, constraints, feasible):
    assert four_nodes(pods).feasible(spread(*constraints)) == set(feasible)


def test_a_pod_that_its_own_selector_does_not_match_is_not_counted():
    cluster = four_nodes(bound(a=1))
    assert cluster.feasible(spread(hard(), labels={"app": "b"})) == set("abc")  # 1 + 0 - 0 = 1


def test_reasons_tell_a_missing_label_from_an_uneven_spread():
    cluster = four_nodes(bound(a=1), changes=TAINTED_C)
    assert cluster.reasons(spread(hard())) == [
        f"1 {MISSING}",
        "1 node(s) had untolerated taint(s)",
        f"2 {UNEVEN}",
    ]


@pytest.mark.parametrize(
    ("policy", "feasible"),
    [
        pytest.param({}, "ab", id="honoured by default: z2 has no eligible node, 1 + 1 - 1"),
        pytest.param({"nodeAffinityPolicy": "Honor"}, "ab", id="honoured"),
        pytest.param({"nodeAffinityPolicy": "Ignore"}, "", id="ignored: z2 has the fewest, 1 + 1 - 0"),
    ],
)
def test_node_affinity_policy_decides_which_nodes_count(policy, feasible):
    cluster = four_nodes(bound(a=1), changes=SSD)
    assert cluster.feasible(spread(hard(**policy), nodeSelector={"disk": "ssd"})) == set(feasible)


@pytest.mark.parametrize(
    ("policy", "tolerations", "feasible"),
    [
        pytest.param({}, [], "", id="ignored by default: z2 has the fewest, and its only node is tainted"),
        pytest.param({"nodeTaintsPolicy": "Ignore"}, [], "", id="ignored"),
        pytest.param({"nodeTaintsPolicy": "Honor"}, [], "ab", id="honoured: z2 has no eligible node"),
        pytest.param(
            {"nodeTaintsPolicy": "Honor"}, [{"operator": "Exists"}], "c", id="honoured, and the pod tolerates it"
        ),
    ],
)
def test_node_taints_policy_decides_which_nodes_count(policy, tolerations, feasible):
    cluster = four_nodes(bound(a=1), changes=TAINTED_C)
    assert cluster.feasible(spread(hard(**policy), tolerations=tolerations)) == set(feasible)


@pytest.mark.parametrize(
    ("keys", "labels", "feasible"),
    [
        pytest.param([], {"app": "a", "version": "2"}, "c", id="without them all versions count"),
        pytest.param(["version"], {"app": "a", "version": "2"}, "abc", id="only the pod's own version counts"),
        pytest.param(["version"], {"app": "a", "version": "1"}, "c", id="the pods there are of its version"),
        pytest.param(["version"], {"app": "a"}, "c", id="a key that the pod lacks is left out"),
    ],
)
def test_match_label_keys_narrow_the_selector(keys, labels, feasible):
    cluster = four_nodes(bound(a=3, labels={"app": "a", "version": "1"}))
    assert cluster.feasible(spread(hard(matchLabelKeys=keys), labels=labels)) == set(feasible)


@pytest.mark.parametrize(
    ("pods", "constraints", "expected"),
    [
        # two zones: ln 4 = 1.386; z1 2.77 -> 3, z2 1.39 -> 1: 100 * (3 + 1 - 3) // 3 = 33
        pytest.param(bound(a=1, b=1, c=1), [soft()], {"a": 33, "b": 33, "c": 100, "d": 0}, id="fewer pods are better"),
        # maxSkew - 1 = 2 more: 4.77 -> 5, 3.39 -> 3: 100 * (8 - 5) // 5 = 60
        pytest.param(
            bound(a=1, b=1, c=1), [soft(skew=3)], {"a": 60, "b": 60, "c": 100, "d": 0}, id="maxSkew levels the scores"
        ),
        pytest.param([], [soft()], {"a": 100, "b": 100, "c": 100, "d": 0}, id="no pods yet"),
        # four hosts: ln 6 = 1.792; a 3.58 -> 4, c 1.79 -> 2, b and d 0: 100 * (4 - 2) // 4 = 50
        pytest.param(
            bound(a=2, c=1), [soft(HOSTNAME)], {"a": 0, "b": 100, "c": 50, "d": 100}, id="every node is a domain"
        ),
        # d is ignored: ln 4 by zone, ln 5 = 1.609 by host; a 2.996 -> 3, b 1.39 -> 1, c 0: 100 * (3 - 1) // 3 = 66
        pytest.param(
            bound(a=1), [soft(), soft(HOSTNAME)], {"a": 0, "b": 66, "c": 100, "d": 0}, id="two constraints add up"
        ),
        pytest.param(
            bound(a=2, namespace="other"), [soft()], {"a": 100, "b": 100, "c": 100, "d": 0}, id="another namespace"
        ),
        pytest.param(terminating(a=2), [soft()], {"a": 100, "b": 100, "c": 100, "d": 0}, id="terminating pods"),
    ],
)
def test_soft_constraints_score_nodes(pods, constraints, expected):
    cluster = four_nodes(pods, **only_score("PodTopologySpread"))
    assert scores(cluster, spread(*constraints)) == expected


def service():
    metadata = {"name": "s", "namespace": "default"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": {"selector": {"app": "a"}}}


def test_pods_of_a_service_are_spread_by_the_system_defaults():
    """maxSkew 3 by host and 5 by zone; d counts as a zone of its own, so ln 6 = 1.792 by host and ln 5 = 1.609 by zone.

    a: 2 * 1.792 + 2 + 2 * 1.609 + 4 = 12.80 -> 13; b: 2 + 2 * 1.609 + 4 = 9.22 -> 9;
    c: 1.792 + 2 + 1.609 + 4 = 9.40 -> 9; d: 2. So 100 * (15 - 13) // 13 = 15, 100 * (15 - 9) // 13 = 46, 100.
    """
    cluster = four_nodes([*bound(a=2, c=1), service()], **only_score("PodTopologySpread"))
    assert scores(cluster, a_pod(labels={"app": "a"})) == {"a": 15, "b": 46, "c": 46, "d": 100}


def test_pods_of_no_service_or_controller_have_no_defaults():
    cluster = four_nodes(bound(a=2, c=1), **only_score("PodTopologySpread"))
    assert set(scores(cluster, a_pod(labels={"app": "a"})).values()) <= {0}


@pytest.mark.parametrize(
    ("objects", "feasible"),
    [
        pytest.param([service()], "c", id="with the selector of the service"),
        pytest.param([], "abcd", id="not without a service"),
    ],
)
def test_a_profile_may_have_hard_constraints_for_pods_without_their_own(objects, feasible):
    constraint = {key: value for key, value in hard().items() if key != "labelSelector"}
    profile = only_score("PodTopologySpread", defaultingType="List", defaultConstraints=[constraint])
    cluster = four_nodes([*bound(a=1), *objects], **profile)
    assert cluster.feasible(a_pod(labels={"app": "a"})) == set(feasible)


NODE = four_nodes().table.nodes[0]
A, B = a_pod("x", "a", labels={"app": "a"}), a_pod("x", "a", labels={"app": "b"})


@pytest.mark.parametrize(
    ("event", "old", "new", "helps"),
    [
        pytest.param(E.ASSIGNED_POD_DELETE, A, None, True, id="a counted pod ends"),
        pytest.param(E.ASSIGNED_POD_DELETE, B, None, False, id="another pod ends"),
        pytest.param(E.ASSIGNED_POD_ADD, None, A, True, id="a counted pod is bound"),
        pytest.param(E.ASSIGNED_POD_ADD, None, B, False, id="another pod is bound"),
        pytest.param(E.ASSIGNED_POD_LABEL, A, B, True, id="a pod is counted no more"),
        pytest.param(E.ASSIGNED_POD_LABEL, A, A, False, id="a label that no selector reads"),
        pytest.param(E.NODE_ADD, None, NODE, True, id="a node of the topology comes"),
    ],
)
def test_an_event_requeues_a_pod_if_it_may_change_a_count(event, old, new, helps):
    cluster = four_nodes()
    assert cluster.framework.hints["PodTopologySpread"][event](spread(hard()), old, new) is helps


@pytest.mark.parametrize("kind", [hard, soft])
@pytest.mark.parametrize("labelled", [(), ("a",), ("a", "b", "c", "d")], ids=["no node", "one node", "all nodes"])
def test_topologies_of_very_many_constraints_are_not_kept(monkeypatch, kind, labelled):
    asked = set()
    find = TopologyTable.of
    monkeypatch.setattr(TopologyTable, "of", lambda self, key: asked.add(key) or find(self, key))
    labels = {f"k{i}": "v" for i in range(500)}
    cluster = four_nodes(changes={node: {"labels": labels} for node in labelled})
    constraints = [kind(f"k{i}") for i in range(500)]
    _, outcome = cluster.attempt(a_pod("p", topologySpreadConstraints=constraints))
    assert not asked
    assert bool(outcome.node_name) is (kind is soft or bool(labelled))
