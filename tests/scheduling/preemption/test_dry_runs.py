"""A preemption tried on all nodes at once comes to what trying them one by one comes to."""

from random import Random

import pytest

from tests.support.clusters import CachedCluster
from tests.support.objects import a_node, a_pod
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.framework.selection import ExactTies


def a_budget(app, allowed):
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": allowed},
    }


class Full:
    """Two clusters full of the same pods, of which one is kept from trying all nodes at once."""

    def __init__(self, random):
        self.random = random
        self.count = 0
        budgets = [a_budget("a0", random.randrange(2)), a_budget("a1", 1)] if random.random() < 0.5 else []
        nodes = [self.node(i) for i in range(random.choice([8, 150]))]
        self.fast, self.exact = self.clusters = [CachedCluster(*nodes, *budgets) for _ in range(2)]
        for node in nodes:
            for _ in range(random.randrange(7)):
                self.place(self.pod(random.choice([0, 5, 20])), node.name)

    def node(self, i):
        pods = self.random.choice([3, 110])
        taints = [{"key": "t", "effect": "NoSchedule"}] if self.random.random() < 0.1 else []
        return a_node(f"n{i}", pods=pods, taints=taints)

    def pod(self, priority):
        self.count += 1
        random = self.random
        requests = {"memory": random.choice(["1Gi", "3Gi"]), **({"x/gpu": "1"} if random.random() < 0.02 else {})}
        labels = {"app": random.choice(["a0", "a1", "a2"])}
        requests["cpu"] = random.choice(["500m", "1", "2"])
        pod = a_pod(f"p{self.count}", priority=priority, requests=requests, labels=labels)
        pod.started = random.choice([None, random.randrange(5) * SECOND])
        return pod

    def place(self, pod, node_name):
        for cluster in self.clusters:
            cluster.place(pod, node_name)

    def attempt(self):
        pod = self.pod(self.random.choice([5, 10, 30]))
        fast, exact = (cluster.cycle(pod) for cluster in self.clusters)
        exact.plan._fast_filter = None
        exact.plan._node_changes = -1
        found = fast.decide(self.fast.rotation, ExactTies())
        expected = exact.run(self.exact.rotation, ExactTies())
        assert (found.node_name, found.message, found.rejectors) == (
            expected.node_name,
            expected.message,
            expected.rejectors,
        )
        assert told(found.preemption) == told(expected.preemption)
        self.go_on(pod, found)

    def go_on(self, pod, outcome):
        if outcome.node_name:
            self.place(pod, outcome.node_name)
        elif outcome.preemption and outcome.preemption.nominated:
            for cluster in self.clusters:
                cluster.table.nominator.set(pod, outcome.preemption.nominated)
                for victim in outcome.preemption.victims:
                    if victim.uid in cluster.table.placements:
                        cluster.table.remove_pod(victim.uid)


def told(preemption):
    if preemption is None:
        return None
    victims = {name: [pod.name for pod in pods] for name, pods in preemption.victims_on.items()}
    return list(victims.items()), preemption.nominated, preemption.equally_good, preemption.potential.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_trying_all_nodes_at_once_is_trying_them_one_by_one(seed):
    full = Full(Random(seed))
    for _ in range(30):
        full.attempt()
