"""A decision without tables is the one with tables: the same node, and the same place to go on from."""

from random import Random

import pytest

from tests.support.clusters import CachedCluster
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.scheduling.framework.nodes.podindex import PodIndex
from wavetank.scheduling.framework.nodes.termindex import TermIndex
from wavetank.scheduling.framework.selection import ExactTies

HOSTNAME, ZONE, RACK = "kubernetes.io/hostname", "topology.kubernetes.io/zone", "rack"
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "s", "namespace": "default"},
    "spec": {"selector": {"app": "a0"}},
}
NAMESPACE = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "other", "labels": {"team": "red"}}}


# Scores that a profile may do without, while their filters stay.
DISABLED = (
    [{"name": "InterPodAffinity"}],
    [{"name": "PodTopologySpread"}, {"name": "TaintToleration"}],
    [{"name": "InterPodAffinity"}, {"name": "PodTopologySpread"}, {"name": "NodeAffinity"}],
)


class Twins:
    """Two clusters in which the same things happen; one decides without tables, by counts that it keeps."""

    def __init__(self, random):
        self.random = random
        self.specs = SpecTable()
        nodes = [self.node(i) for i in range(random.choice([5, 30, 150]))]
        objects = [NAMESPACE, *([SERVICE] if random.random() < 0.3 else [])]
        version = random.choice([(1, 29), (1, 35), (1, 36)])
        profiles = random.choice(
            [{}, {}, {"profiles": [{"plugins": {"score": {"disabled": random.choice(DISABLED)}}}]}]
        )
        self.fast, self.exact = (CachedCluster(*nodes, *objects, version=version, **profiles) for _ in range(2))
        self.placed, self.nominated, self.count = [], [], 0

    def node(self, i):
        random = self.random
        labels = {HOSTNAME: f"n{i}", ZONE: random.choice("abc"), RACK: f"r{random.randrange(8)}", "disk": "ssd"}
        for key in (HOSTNAME, ZONE, RACK, "disk"):
            if random.random() < 0.05:
                del labels[key]
        effects = [effect for effect in ("NoSchedule", "PreferNoSchedule") if random.random() < 0.1]
        allocatable = {"cpu": str(random.choice([4, 8])), "memory": "16Gi", "pods": "9"}
        images = [{"names": ["big:v1"], "sizeBytes": 500 << 20}] if random.random() < 0.1 else []
        return Node(
            {
                "metadata": {"name": f"n{i}", "labels": labels},
                "spec": {"taints": [{"key": "t", "effect": effect} for effect in effects]},
                "status": {"allocatable": allocatable, "images": images},
            }
        )

    def pod(self):
        random = self.random
        self.count += 1
        requests = {"cpu": random.choice(["100m", "1", "3"]), "memory": random.choice(["100Mi", "2Gi"])}
        container = {"name": "c", "image": random.choice(["small:v1", "big:v1"]), "resources": {"requests": requests}}
        if random.random() < 0.1:
            container["ports"] = [{"hostPort": 80, "containerPort": 80}]
        spec = {"containers": [container], "priority": random.choice([0, 10]), **self.constraints()}
        name = f"p{self.count}"
        metadata = {
            "name": name,
            "uid": name,
            "namespace": random.choice(["default", "default", "other"]),
            "labels": {"app": random.choice(["a0", "a1"]), "tier": random.choice("xy")},
        }
        return Pod.parse({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}, self.specs)

    def constraints(self):
        random = self.random
        found = {}
        affinity = {}
        if random.random() < 0.5:
            affinity["podAffinity"] = self.terms()
        if random.random() < 0.5:
            affinity["podAntiAffinity"] = self.terms()
        if random.random() < 0.2:
            preference = {"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a"]}]}
            affinity["nodeAffinity"] = {
                "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 3, "preference": preference}]
            }
        if random.random() < 0.4:
            found["topologySpreadConstraints"] = [self.spread() for _ in range(random.randrange(1, 3))]
        if random.random() < 0.3:
            found["tolerations"] = [{"operator": "Exists"}]
        if random.random() < 0.2:
            found["nodeSelector"] = {"disk": "ssd"}
        if random.random() < 0.15:
            return {"affinity": {"nodeAffinity": self.pinned()}, **({} if random.random() < 0.5 else found)}
        return {**found, "affinity": affinity} if random.random() < 0.8 else {}

    def pinned(self):
        """Names one node, or two; it may be full, tainted, or not exist."""
        random = self.random
        terms = [
            {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [f"n{random.randrange(6)}"]}]}
            for _ in range(random.choice([1, 1, 1, 2]))
        ]
        if random.random() < 0.3:
            terms[0]["matchExpressions"] = [{"key": ZONE, "operator": "In", "values": ["a"]}]
        return {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}

    def terms(self):
        random = self.random
        if random.random() < 0.3:
            return {"requiredDuringSchedulingIgnoredDuringExecution": [self.term()]}
        weighted = [{"weight": random.choice([1, 50]), "podAffinityTerm": self.term()} for _ in range(2)]
        return {"preferredDuringSchedulingIgnoredDuringExecution": weighted}

    def term(self):
        random = self.random
        term = {"topologyKey": random.choice([HOSTNAME, ZONE, RACK]), "labelSelector": self.selector()}
        if random.random() < 0.2:
            term["namespaceSelector"] = random.choice([{}, {"matchLabels": {"team": "red"}}])
        return term

    def selector(self):
        app = {"app": self.random.choice(["a0", "a1"])}
        return {"matchLabels": self.random.choice([app, {**app, "tier": "x"}])}

    def spread(self):
        random = self.random
        return {
            "maxSkew": random.choice([1, 3]),
            "topologyKey": random.choice([HOSTNAME, ZONE, RACK]),
            "whenUnsatisfiable": random.choice(["DoNotSchedule", "ScheduleAnyway"]),
            "labelSelector": random.choice([self.selector(), {}]),
            "nodeTaintsPolicy": random.choice(["Honor", "Ignore"]),
            "matchLabelKeys": random.choice([[], ["tier"]]),
        }

    # what happens

    def attempt(self):
        pod = self.pod()
        decided = self.fast.cycle(pod).decide(self.fast.rotation, ExactTies())
        recount(self.exact.table)
        explained = self.exact.cycle(pod).run(self.exact.rotation, ExactTies())
        assert (decided.node_name, decided.message) == (explained.node_name, explained.message)
        assert self.fast.rotation.start == self.exact.rotation.start
        if decided.node_name:
            self.placed.append(pod.uid)
            self.both(lambda table: table.add_pod(pod, decided.node_name))
        elif self.random.random() < 0.3:
            name = f"n{self.random.randrange(5)}"
            self.nominated.append(pod.uid)
            self.both(lambda table: table.nominator.set(pod, name))

    def release(self):
        if self.placed:
            uid = self.placed.pop(self.random.randrange(len(self.placed)))
            self.both(lambda table: table.remove_pod(uid))
        if self.nominated and self.random.random() < 0.3:
            uid = self.nominated.pop()
            self.both(lambda table: table.nominator.remove(uid))

    def change_node(self):
        node = self.node(self.random.randrange(len(self.fast.table.nodes)))
        if self.random.random() < 0.3 and self.fast.table.nodes[self.fast.table.slots[node.name]] is not None:
            self.both(lambda table: table.remove_node(node))
        else:
            self.both(lambda table: table.set_node(node))

    def both(self, change):
        for cluster in (self.fast, self.exact):
            change(cluster.table)
            cluster.table.version += 1


def recount(table):
    table.index, table.terms = PodIndex(table.placements), TermIndex()
    for pod, slot in table.placements.values():
        table.terms.add(pod, slot)


@pytest.mark.parametrize("seed", range(25))
def test_a_decision_without_tables_is_the_one_with_tables(seed):
    random = Random(seed)
    twins = Twins(random)
    for _ in range(80):
        twins.attempt()
        if random.random() < 0.3:
            twins.release()
        if random.random() < 0.1:
            twins.change_node()
