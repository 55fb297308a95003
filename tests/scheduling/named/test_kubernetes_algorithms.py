"""The eleven of K8sSim for Kubernetes, worked out by hand on two nodes: small (4 CPU, 8 Gi), large (twice that)."""

import json
from random import Random

import numpy as np
import pytest

from tests.support.objects import a_node, a_pod
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.framework.cycle.cycle import Cycle, Rotation
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.selection import RandomTies, RoundRobinTies
from wavetank.scheduling.named import find_scheduler, named_schedulers
from wavetank.scheduling.named.switching import switched_definition
from wavetank.scheduling.registry import Handle

NAMES = ("LRP", "MRP", "BRA", "EP", "RLP", "TTP", "NAP", "ILP", "NPAPP", "NLP", "IPAP")
MIB = 1024 * 1024
SOFT = {"key": "slow", "effect": "PreferNoSchedule"}
HARD = {"key": "master", "effect": "NoSchedule"}


def labelled_node(name, cpu="4", memory="8Gi", *, labels=None, images=(), **fields):
    there = [{"names": [image], "sizeBytes": size} for image, size in images]
    labels = {"host": name, **(labels or {})}
    return a_node(name, cpu=cpu, memory=memory, labels=labels, status={"images": there}, **fields)


def two_nodes(small=None, large=None):
    return [labelled_node("small", **(small or {})), labelled_node("large", "8", "16Gi", **(large or {}))]


def wanting(limits=None, owner=None, requests=None, **fields):
    """Returns a pod without requests, unless they are given."""
    resources = {"requests": requests or {}, "limits": limits or {}}
    owners = [{"kind": owner[0], "uid": owner[1], "name": "o", "controller": True}] if owner else []
    container = {"name": "c", "image": "app:1", "resources": resources}
    return a_pod(containers=[container], metadata={"ownerReferences": owners}, **fields)


def attempt(wanted, pod, nodes=None, placed=(), version=(1, 35), ties=None, **args):
    """Makes one attempt by the named scheduler, with pods already placed on nodes."""
    definition = find_scheduler(wanted, version, args=args)
    (framework,) = definition.frameworks(Handle(version, Listers(), Random(0)), Streams(1))
    table = NodeTable()
    for node in nodes or two_nodes():
        table.set_node(node)
    for other, node_name in placed:
        table.add_pod(other, node_name)
    cycle = Cycle(framework, table, pod)
    return cycle, cycle.run(Rotation(), ties or RandomTies(Random(0)))


def scores(wanted, pod, *rest, **more):
    cycle, outcome = attempt(wanted, pod, *rest, **more)
    names = [cycle.name_of(slot) for slot in outcome.feasible]
    (found,) = outcome.scores.values()
    return {name: int(score) for name, score in zip(names, found, strict=True)}


LITTLE = {"cpu": "1", "memory": "1Gi"}


def bounded(**limits):
    return wanting(requests=LITTLE, limits=limits)


ONE_CPU = a_pod(requests={"cpu": "1", "memory": "1Gi"})
HALF_FULL = [(a_pod("q", requests={"cpu": "2", "memory": "2Gi"}), "small")]
PREFERS = {
    "nodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": weight, "preference": {"matchExpressions": [{"key": key, "operator": "Exists"}]}}
            for weight, key in ((30, "ssd"), (10, "gpu"))
        ]
    }
}
NEAR_WEB = {
    "podAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [
            {
                "weight": 5,
                "podAffinityTerm": {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "host"},
            }
        ]
    }
}
WEB = [(a_pod("web", requests={"cpu": "100m"}, labels={"app": "web"}), "small")]
AVOIDS = {
    "scheduler.alpha.kubernetes.io/preferAvoidPods": json.dumps(
        {"preferAvoidPods": [{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "abc"}}}]}
    )
}


@pytest.mark.parametrize(
    ("wanted", "pod", "more", "small", "large"),
    [
        # (4-1)/4 = 75 and (8-1)/8 = 87 (floored), mean 81; (8-1)/8 = 87 and (16-1)/16 = 93, mean 90
        pytest.param("LRP", ONE_CPU, {}, 81, 90, id="LRP, empty nodes"),
        # small has 2 CPU, 2 Gi in use: (4-3)/4 = 25, (8-3)/8 = 62, mean 43
        pytest.param("LRP", ONE_CPU, {"placed": HALF_FULL}, 43, 90, id="LRP, small half full"),
        # no requests count as 100m and 200 MiB: 97 and 97; 98 and 98
        pytest.param("LRP", wanting(), {}, 97, 98, id="LRP, nothing asked for"),
        # 1/4 = 25, 1/8 = 12, mean 18; 12 and 6, mean 9
        pytest.param("MRP", ONE_CPU, {}, 18, 9, id="MRP, empty nodes"),
        pytest.param("MRP", ONE_CPU, {"placed": HALF_FULL}, 56, 9, id="MRP, small half full: 75 and 37"),
        # shares .25 and .125, std .0625: 93; .125 and .0625, std .03125: 96
        pytest.param("BRA", ONE_CPU, {}, 93, 96, id="BRA until 1.35: how even it is with the pod"),
        # without the pod both are even (100): 50 + (50 + 93 - 100) // 2 = 71; 50 + (50 + 96 - 100) // 2 = 73
        pytest.param("BRA", ONE_CPU, {"version": (1, 36)}, 71, 73, id="BRA from 1.36: what the pod does to it"),
        pytest.param("EP", ONE_CPU, {"placed": HALF_FULL}, 1, 1, id="EP, whatever is there"),
        pytest.param("RLP", bounded(cpu="6"), {}, 0, 1, id="RLP, only large has six CPU"),
        pytest.param("RLP", bounded(cpu="6", memory="1Gi"), {}, 1, 1, id="RLP, one of the two is enough"),
        pytest.param("RLP", bounded(cpu="9", memory="17Gi"), {}, 0, 0, id="RLP, too much of both"),
        pytest.param("RLP", wanting(), {}, 0, 0, id="RLP, no limits"),
        pytest.param(
            "RLP",
            wanting(
                requests=LITTLE,
                limits={"cpu": "1"},
                initContainers=[{"name": "i", "resources": {"requests": LITTLE, "limits": {"cpu": "5"}}}],
            ),
            {},
            0,
            1,
            id="RLP, a larger init container",
        ),
        pytest.param(
            "TTP", ONE_CPU, {"nodes": two_nodes({"taints": [SOFT]})}, 0, 100, id="TTP, fewer taints are better"
        ),
        pytest.param("TTP", ONE_CPU, {}, 100, 100, id="TTP, no taints"),
        pytest.param(
            "NAP",
            wanting(affinity=PREFERS),
            {"nodes": two_nodes({"labels": {"gpu": "a"}}, {"labels": {"gpu": "a", "ssd": "b"}})},
            25,
            100,
            id="NAP, 10 of 40",
        ),
        # (500 MiB * 1/2 - 23 MiB) / (1000 - 23 MiB)
        pytest.param(
            "ILP", ONE_CPU, {"nodes": two_nodes({"images": [("app:1", 500 * MIB)]})}, 23, 0, id="ILP, on one of two"
        ),
        pytest.param("ILP", ONE_CPU, {}, 0, 0, id="ILP, no images"),
        pytest.param(
            "NPAPP",
            wanting(owner=("ReplicaSet", "abc")),
            {"nodes": two_nodes({"annotations": AVOIDS})},
            0,
            100,
            id="NPAPP, small avoids its ReplicaSet",
        ),
        pytest.param(
            "NPAPP",
            wanting(owner=("StatefulSet", "abc")),
            {"nodes": two_nodes({"annotations": AVOIDS})},
            100,
            100,
            id="NPAPP, another kind of owner",
        ),
        pytest.param(
            "NLP",
            ONE_CPU,
            {"nodes": two_nodes({"labels": {"ssd": "x"}}), "present": ["ssd"], "absent": ["old"]},
            100,
            50,
            id="NLP, both wishes or one",
        ),
        pytest.param("NLP", ONE_CPU, {}, 0, 0, id="NLP, no wishes"),
        pytest.param("IPAP", wanting(affinity=NEAR_WEB), {"placed": WEB}, 100, 0, id="IPAP, beside the web server"),
    ],
)
def test_only_this_score_counts(wanted, pod, more, small, large):
    assert scores(wanted, pod, **more) == {"small": small, "large": large}


@pytest.mark.parametrize(
    ("wanted", "pod", "more", "small", "large"),
    [
        # (4-1)*10/4 = 7, (8-1)*10/8 = 8, mean 7; 8 and 9, mean 8
        pytest.param("LRP", ONE_CPU, {}, 7, 8, id="LRP"),
        pytest.param("MRP", ONE_CPU, {}, 1, 0, id="MRP: 2 and 1; 1 and 0"),
        # a full node: 4 of 4 CPU is 10, but 5 of 4 would be 0
        pytest.param("MRP", a_pod(requests={"cpu": "4", "memory": "8Gi"}), {}, 10, 5, id="MRP, to the brim"),
        # (1 - .125) * 10 = 8; (1 - .0625) * 10 = 9
        pytest.param("BRA", ONE_CPU, {}, 8, 9, id="BRA: the difference, not the deviation"),
        pytest.param("BRA", a_pod(requests={"cpu": "4", "memory": "1Gi"}), {}, 0, 5, id="BRA, a full node is 0"),
        pytest.param("EP", ONE_CPU, {}, 1, 1, id="EP"),
        pytest.param("RLP", bounded(cpu="6"), {}, 0, 1, id="RLP"),
        pytest.param("TTP", ONE_CPU, {"nodes": two_nodes({"taints": [SOFT]})}, 1, 0, id="TTP prefers taints"),
        pytest.param(
            "NAP",
            wanting(affinity=PREFERS),
            {"nodes": two_nodes({"labels": {"gpu": "a"}}, {"labels": {"gpu": "a", "ssd": "b"}})},
            10,
            40,
            id="NAP, plain sums",
        ),
        pytest.param("ILP", ONE_CPU, {"nodes": two_nodes({"images": [("app:1", 500 * MIB)]})}, 2, 0, id="ILP"),
        pytest.param(
            "NPAPP",
            wanting(owner=("ReplicaSet", "abc")),
            {"nodes": two_nodes({"annotations": AVOIDS})},
            0,
            10,
            id="NPAPP",
        ),
        pytest.param("NLP", ONE_CPU, {}, 0, 0, id="NLP, all alike"),
        pytest.param("IPAP", wanting(affinity=NEAR_WEB), {"placed": WEB}, 10, 0, id="IPAP"),
    ],
)
def test_k8ssim_compat_scores_as_kubernetes_1_14_did(wanted, pod, more, small, large):
    assert scores(f"{wanted}-k8ssim-compat", pod, **more) == {"small": small, "large": large}


def test_a_hard_taint_keeps_pods_away_unless_only_general_predicates_filter():
    nodes = two_nodes(large={"taints": [HARD]})
    assert attempt("LRP", ONE_CPU, nodes)[1].node_name == "small"
    assert attempt("LRP-k8ssim-compat", ONE_CPU, nodes)[1].node_name == "large"


@pytest.mark.parametrize("name", NAMES)
def test_compat_takes_ties_in_turn(name):
    definition = find_scheduler(name, (1, 36), args={"k8ssim-compat": True})
    assert definition.own_ties is RoundRobinTies
    nodes = [labelled_node(f"n{i}") for i in range(3)]
    ties = RoundRobinTies()
    chosen = [attempt("EP-k8ssim-compat", a_pod(str(i)), nodes, ties=ties)[1].node_name for i in range(4)]
    assert chosen == ["n0", "n1", "n2", "n0"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("suffix", ["", "-k8ssim-compat"])
def test_no_pod_lands_on_a_full_node(name, suffix):
    full = [(a_pod("q", requests={"cpu": "4", "memory": "1Gi"}), "small")]
    assert attempt(name + suffix, ONE_CPU, placed=full)[1].node_name == "large"


def test_all_eleven_are_listed_with_formula_and_source():
    listed = named_schedulers()
    assert all(listed[name].formula and listed[name].source for name in NAMES)


@pytest.mark.parametrize(
    ("wanted", "args", "message"),
    [
        ("LRP", {"compat": True}, "args: LRP does not know the argument 'compat'"),
        ("LRP", {"k8ssim-compat": "yes"}, "args.k8ssim-compat: expected true or false, got 'yes'"),
        ("MRP", {"present": ["a"]}, "args: MRP does not know the argument 'present'"),
        ("NLP", {"present": "a"}, "args.present: expected a list of labels, got 'a'"),
        ("default-k8ssim-compat", {}, "args: default takes no arguments"),
        ("LRPP", {}, "there is no scheduler called 'LRPP' (did you mean LRP?)"),
    ],
)
def test_bad_arguments_are_refused(wanted, args, message):
    with pytest.raises(InputError) as refused:
        find_scheduler(wanted, (1, 36), args=args)
    assert str(refused.value) == message


def test_each_of_k8ssims_schedulers_counts_its_turns_for_itself():
    definition = switched_definition((1, 36), compat=True)
    ties, tied, pod = definition.own_ties(), np.array([4, 5, 6]), wanting()
    chosen = []
    for action in (1, 1, 2, 1, 2):
        definition.switch.turn(action)
        definition.switch.decide_on(pod)
        chosen.append(ties.choose(tied))
    assert chosen == [0, 1, 0, 2, 1]


@pytest.mark.parametrize(
    ("scheduler", "algorithm"),
    [("linc-scheduler-mrp", "MRP"), ("linc-scheduler-npapp", "NPAPP"), ("default-scheduler", "EP")],
)
def test_a_pod_may_say_whose_it_is(scheduler, algorithm):
    switch = switched_definition((1, 36), compat=False).switch
    switch.turn(-1)
    assert switch.decide_on(a_pod(schedulerName=scheduler)) == algorithm
