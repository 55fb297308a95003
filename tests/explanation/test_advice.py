"""What would help a pending pod: every case by itself, and that every offer keeps its promise."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.explanation.advising import advised, asked, lets_in
from tests.support.objects import ZONE, a_taint, node_manifest, pod_manifest

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
HOST = "kubernetes.io/hostname"
WEB = {"app": "web"}
PORT = [{"containerPort": 80, "hostPort": 80}]
CLAIM = [{"name": "d", "persistentVolumeClaim": {"claimName": "data"}}]


def anti_affinity(topology):
    term = {"labelSelector": {"matchLabels": WEB}, "topologyKey": topology}
    return {"podAntiAffinity": {REQUIRED: [term]}}


def affinity(topology):
    return {"podAffinity": anti_affinity(topology)["podAntiAffinity"]}


def node_affinity(**values):
    """Requires labels; `zone` stands for its label."""
    keys = {"zone": ZONE}
    matched = [{"key": keys.get(key, key), "operator": "In", "values": [value]} for key, value in values.items()]
    return {"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": matched}]}}}


def spread(topology=ZONE, skew=1):
    selector = {"matchLabels": WEB}
    return [{"maxSkew": skew, "topologyKey": topology, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}]


def volume(zone):
    """Returns a claim and its volume, which is in one zone."""
    required = node_affinity(zone=zone)["nodeAffinity"][REQUIRED]
    size, bound = {"storage": "1Gi"}, {"pv.kubernetes.io/bind-completed": "yes"}
    key = {"name": "data", "namespace": "default"}
    claim = {"volumeName": "v", "resources": {"requests": size}, "accessModes": ["ReadWriteOnce"]}
    disk = {
        "capacity": size,
        "nodeAffinity": {"required": required},
        "claimRef": key,
        "csi": {"driver": "d", "volumeHandle": "v"},
        "accessModes": ["ReadWriteOnce"],
    }
    status = {"phase": "Bound"}
    claimed = {"metadata": {**key, "annotations": bound}, "spec": claim, "status": status}
    return [
        {"apiVersion": "v1", "kind": "PersistentVolumeClaim", **claimed},
        {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": disk, "status": status},
    ]


def owned(kind, name):
    owner = {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": name, "controller": True}
    return {"metadata": {"namespace": "default", "ownerReferences": [owner]}}


NEW_NODE = "add a node like n0 (4 CPU, 8Gi memory)"
EVICT_Q = "evict default/q (priority 0)"
CASES = {
    "a taint": (
        [node_manifest("n0", taints=[a_taint("gpu", value="yes")]), pod_manifest()],
        "n0",
        ["add a toleration for gpu=yes:NoSchedule", "remove the taint gpu=yes:NoSchedule from node n0"],
    ),
    "two taints of one node": (
        [node_manifest("n0", taints=[a_taint("a"), a_taint("b", "NoExecute")]), pod_manifest()],
        "n0",
        [
            "add a toleration for a:NoSchedule and b:NoExecute",
            "remove the taints a:NoSchedule and b:NoExecute from node n0",
        ],
    ),
    "a node that is not ready": (
        [node_manifest("n0", taints=[a_taint("node.kubernetes.io/not-ready")]), pod_manifest()],
        "n0",
        [
            "mend the state of node n0 (node.kubernetes.io/not-ready:NoSchedule)",
            NEW_NODE,
        ],
    ),
    "a cordoned node": (
        [node_manifest("n0", unschedulable=True), pod_manifest()],
        "n0",
        ["uncordon node n0", NEW_NODE],
    ),
    "too little CPU": (
        [
            node_manifest("n0"),
            node_manifest("n1"),
            pod_manifest("q", "n0"),
            pod_manifest("r", "n1", cpu="2"),
            pod_manifest(cpu="3500m"),
        ],
        "n0",
        ["lower the request of cpu by 500m to 3", NEW_NODE, EVICT_Q, "evict default/r (priority 0)"],
    ),
    "too little memory on every node": (
        [node_manifest("n0"), pod_manifest(memory="10Gi")],
        "n0",
        ["lower the request of memory by 2Gi to 8Gi"],
    ),
    "too little of both": (
        [node_manifest("n0"), pod_manifest(cpu="5", memory="10Gi")],
        "n0",
        ["lower the request of cpu by 1 to 4 and memory by 2Gi to 8Gi"],
    ),
    "too many pods": (
        [node_manifest("n0", pods=1), pod_manifest("q", "n0"), pod_manifest()],
        "n0",
        [NEW_NODE, EVICT_Q],
    ),
    "a node selector": (
        [node_manifest("n0"), pod_manifest(nodeSelector={"disk": "ssd"})],
        "n0",
        ["drop the node selector disk=ssd", "label node n0 disk=ssd"],
    ),
    "one of two requirements of a node affinity": (
        [
            node_manifest("n0", zone="a"),
            pod_manifest(affinity=node_affinity(zone="a", disk="ssd")),
        ],
        "n0",
        ["drop the node affinity disk In [ssd]"],
    ),
    "both requirements of a node affinity": (
        [node_manifest("n0"), pod_manifest(affinity=node_affinity(zone="a", disk="ssd"))],
        "n0",
        ["drop the required node affinity"],
    ),
    "anti-affinity": (
        [node_manifest("n0"), pod_manifest("q", "n0", labels=WEB), pod_manifest(affinity=anti_affinity(HOST))],
        "n0",
        [
            "drop the pod anti-affinity to app=web per kubernetes.io/hostname",
            NEW_NODE,
            EVICT_Q,
        ],
    ),
    "anti-affinity of a pod elsewhere in the zone": (
        [
            node_manifest("n0", zone="a", cpu="1"),
            node_manifest("n1", zone="a"),
            pod_manifest("q", "n0", affinity=anti_affinity(ZONE)),
            pod_manifest(cpu="2", labels=WEB),
        ],
        "n1",
        [EVICT_Q],
    ),
    "affinity to a pod that is not there": (
        [node_manifest("n0"), pod_manifest(affinity=affinity(HOST))],
        "n0",
        ["drop the pod affinity to app=web per kubernetes.io/hostname"],
    ),
    "a topology spread": (
        [
            node_manifest("n0", zone="a"),
            node_manifest("n1", zone="b", cpu="1"),
            pod_manifest("q", "n0", labels=WEB),
            pod_manifest("r", "n0", labels=WEB),
            pod_manifest(cpu="2", labels=WEB, topologySpreadConstraints=spread()),
        ],
        "n0",
        [
            "lower the request of cpu by 1 to 1",
            "raise maxSkew of the spread over topology.kubernetes.io/zone from 1 to 3",
            "evict default/q (priority 0), default/r (priority 0)",
        ],
    ),
    "a host port": (
        [node_manifest("n0"), pod_manifest("q", "n0", ports=PORT), pod_manifest(ports=PORT)],
        "n0",
        ["drop the host port 80/TCP", NEW_NODE, EVICT_Q],
    ),
    "a claim that is not there": (
        [node_manifest("n0"), pod_manifest(volumes=CLAIM)],
        None,
        ["drop the volume d (claim data)"],
    ),
    "a volume in a full zone": (
        [
            node_manifest("n0", zone="a"),
            node_manifest("n1", zone="b"),
            pod_manifest("q", "n0", cpu="4"),
            *volume("a"),
            pod_manifest(volumes=CLAIM),
        ],
        "n0",
        [
            "drop the volume d (claim data)",
            f"{NEW_NODE} in zone a",
            EVICT_Q,
        ],
    ),
    "several reasons at once": (
        [node_manifest("n0", taints=[a_taint("gpu")], cpu="1"), pod_manifest(cpu="2", ports=PORT)],
        "n0",
        ["add a toleration for gpu:NoSchedule, and lower the request of cpu by 1 to 1"],
    ),
    "a taint and two requirements of a node affinity": (
        [node_manifest("n0", taints=[a_taint("x")]), pod_manifest(affinity=node_affinity(zone="a", disk="ssd"))],
        "n0",
        [
            f"drop the node affinity {ZONE} In [a], and drop the node affinity disk In [ssd]"
            ", and add a toleration for x:NoSchedule"
        ],
    ),
    "scheduling gates": (
        [node_manifest("n0"), pod_manifest(schedulingGates=[{"name": "g"}])],
        None,
        ["remove the scheduling gate g"],
    ),
    "a scheduler that is not there": (
        [node_manifest("n0"), pod_manifest(schedulerName="other")],
        None,
        ["set schedulerName to default-scheduler"],
    ),
    "a new node has pods of DaemonSets from the beginning": (
        [
            node_manifest("n0"),
            pod_manifest("agent-x", "n0", cpu="1", **owned("DaemonSet", "agent")),
            pod_manifest("q", "n0"),
            pod_manifest(cpu="3500m"),
        ],
        "n0",
        ["lower the request of cpu by 1500m to 2"],
    ),
    "nothing helps": ([node_manifest("n0"), pod_manifest(requests={"example.com/gpu": 1})], "n0", []),
}


@pytest.mark.parametrize(("objects", "nearest", "texts"), CASES.values(), ids=CASES)
def test_what_would_help(objects, nearest, texts):
    advice = advised(objects)
    assert [offer.text for offer in advice.offers] == texts
    assert (advice.nearest and advice.nearest.name) == nearest


@pytest.mark.parametrize(("objects", "nearest", "texts"), CASES.values(), ids=CASES)
def test_it_does_help(objects, nearest, texts):
    assert all(lets_in(offer, objects) for offer in advised(objects).offers)


def test_the_fewest_pods_are_evicted_and_of_these_the_least_important():
    objects = [
        node_manifest("n0"),
        *(pod_manifest(f"small-{i}", "n0", cpu="500m", priority=1) for i in range(4)),
        pod_manifest("low", "n0", priority=5),
        pod_manifest("high", "n0", priority=7),
        pod_manifest(priority=6, preemptionPolicy="Never"),
    ]
    evictions = [offer.text for offer in advised(objects).offers if offer.kind == "eviction"]
    assert evictions == ["evict default/low (priority 5)"]


def test_pods_of_the_same_controller_are_not_evicted():
    mates = owned("ReplicaSet", "web")
    objects = [node_manifest("n0"), pod_manifest("q", "n0", cpu="3", **mates), pod_manifest(cpu="2", **mates)]
    assert [offer.kind for offer in advised(objects).offers] == ["request", "node"]


def test_the_nearest_node_is_the_one_that_lacks_least():
    objects = [
        node_manifest("tainted", taints=[a_taint("x")]),
        node_manifest("small", cpu="1"),
        node_manifest("nearly"),
        pod_manifest("q", "nearly", cpu="2500m"),
        pod_manifest(cpu="2"),
    ]
    advice = advised(objects)
    assert [node.name for node in advice.nodes] == ["nearly", "tainted", "small"]
    (short,) = advice.nodes[0].shortages
    assert (short.resource, short.requested, short.free, short.missing) == ("cpu", 2000, 1500, 500)


def test_a_pod_that_preempts_others_needs_no_help():
    objects = [node_manifest("n0"), pod_manifest("q", "n0", cpu="4"), pod_manifest(priority=10)]
    answer = asked(objects)
    assert [each.outcome for each in answer.explanations] == ["nominated", "bound"]
    assert answer.advice is None


def test_a_pod_on_a_node_is_scheduled_again():
    answer = asked([node_manifest("n0"), node_manifest("n1", cpu="8"), pod_manifest("p", "n0")])
    (explained,) = answer.explanations
    assert (explained.chosen, explained.feasible) == ("n1", ["n0", "n1"])
    assert answer.notes == ["the pod is on n0: it was scheduled again, with all others where they are now"]


def test_other_pending_pods_are_mentioned():
    answer = asked([node_manifest("n0"), pod_manifest("other", cpu="9"), pod_manifest(cpu="9")])
    assert "another pod is pending, and may be scheduled first" in answer.notes


def test_requests_of_several_containers_are_lowered_the_largest_first():
    pod = pod_manifest(cpu="3")
    containers = pod["spec"]["containers"]
    containers.append({"name": "side", "image": "s", "resources": {"limits": {"cpu": "2"}}})
    pod["spec"]["initContainers"] = [{"name": "init", "image": "i", "resources": {"requests": {"cpu": "5"}}}]
    objects = [node_manifest("n0"), pod]
    (offer,) = advised(objects).offers
    assert offer.text == "lower the request of cpu by 1 to 4"
    assert lets_in(offer, objects)


# random clusters

TAINTS = st.sampled_from([None, None, [a_taint("x")], [a_taint("x"), a_taint("y", "NoExecute")]])
CPUS = st.sampled_from(["500m", "1", "1500m", "2"])
MEMORIES = st.sampled_from(["512Mi", "1Gi", "2Gi"])
LABELS = st.sampled_from([{}, WEB])
AFFINITIES = st.sampled_from(
    [None, None, anti_affinity(HOST), anti_affinity(ZONE), affinity(ZONE), node_affinity(zone="a", disk="ssd")]
)


@st.composite
def nodes(draw, name):
    cordoned = {"unschedulable": True} if draw(st.integers(0, 5)) == 0 else {}
    return node_manifest(
        name,
        cpu=draw(st.sampled_from(["1", "2", "4"])),
        memory=draw(st.sampled_from(["1Gi", "4Gi"])),
        pods=draw(st.sampled_from([1, 3, 110])),
        zone=draw(st.sampled_from([None, "a", "b"])),
        taints=draw(TAINTS),
        labels=draw(st.sampled_from([{}, {"disk": "ssd"}])),
        **cordoned,
    )


@st.composite
def pods(draw, name, node="", **fields):
    chosen = {"affinity": draw(AFFINITIES), **fields}
    return pod_manifest(
        name,
        node,
        cpu=draw(CPUS),
        memory=draw(MEMORIES),
        labels=draw(LABELS),
        ports=draw(st.sampled_from([None, None, PORT])),
        priority=draw(st.integers(0, 2)),
        **{key: value for key, value in chosen.items() if value is not None},
    )


@st.composite
def clusters(draw):
    made = [draw(nodes(f"n{i}")) for i in range(draw(st.integers(1, 4)))]
    placed = draw(st.lists(st.integers(0, len(made) - 1), max_size=6))
    bound = [draw(pods(f"q{i}", f"n{node}")) for i, node in enumerate(placed)]
    subject = draw(
        pods(
            "p",
            nodeSelector=draw(st.sampled_from([None, None, {"disk": "ssd"}])),
            topologySpreadConstraints=draw(st.sampled_from([None, spread(), spread(HOST)])),
            schedulingGates=draw(st.sampled_from([None, None, None, [{"name": "g"}]])),
            preemptionPolicy="Never",
        )
    )
    return [*made, *bound, subject]


@settings(max_examples=60)
@given(clusters())
def test_every_change_that_is_offered_lets_the_pod_in(objects):
    answer = asked(objects)
    assume(answer.advice is not None)
    assert [offer.text for offer in answer.advice.offers if not lets_in(offer, objects)] == []
    assert asked(objects).advice.data == answer.advice.data
