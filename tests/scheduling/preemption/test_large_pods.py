"""What is counted of pods with very many labels or terms comes to what is counted of any others, in trials too."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from tests.support.clusters import CachedCluster, ScheduledCluster
from tests.support.objects import HOSTNAME, ZONE, a_node, a_pod, node_manifest, pod_manifest
from wavetank.cluster.fields.selectors import LabelSelector
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.whatifnode import WhatIfNode
from wavetank.scheduling.framework.nodes import podindex
from wavetank.scheduling.framework.nodes.podqueries import Selected
from wavetank.scheduling.plugins import interpodaffinity
from wavetank.scheduling.plugins.podtopologyspread import plugin as podtopologyspread

SEEDS = range(12)
STEPS = 60
NEVER = 10**9
TOPOLOGIES = [HOSTNAME, ZONE, "rack"]
REQUIRED, PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))

Outcomes = list[list[tuple[str, str, str, str]]]


class Eventful:
    """A small cluster in which pods come, are relabelled, evicted, preempted and deleted at random."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.cluster = ScheduledCluster()
        self.count = 0
        for i in range(self.random.randrange(2, 7)):
            zone, cpu = self.random.choice(["a", "b", None]), self.random.choice([3, 5])
            self.cluster.create(node_manifest(f"n{i}", cpu=cpu, zone=zone, labels={"rack": f"r{i % 2}"}))

    def run(self) -> Outcomes:
        """Returns after each step the node, message and nomination of each pod."""
        outcomes = []
        acts = self.random.choices([self.create, self.delete, self.relabel, self.evict], [7, 1, 2, 3], k=STEPS)
        for act in acts:
            act()
            self.cluster.run(self.random.choice([0, 0, 2, 15]))
            pods = self.cluster.store.list("Pod")
            outcomes.append([(pod.name, pod.node_name, pod.unschedulable, pod.nominated_node) for pod in pods])
        return outcomes

    def create(self) -> None:
        """Creates a pod, whose priority may be higher than that of others."""
        self.count += 1
        fields: dict[str, Any] = {"affinity": self.affinity()}
        if self.random.random() < 0.5:
            fields["topologySpreadConstraints"] = self.spread()
        cpu, priority = self.random.choice(["500m", "1"]), self.random.choice([0, 0, 10])
        pod = pod_manifest(f"p{self.count}", labels=self.labels(), cpu=cpu, memory=None, priority=priority, **fields)
        self.cluster.create(pod)

    def delete(self) -> None:
        """Deletes a pod at once."""
        for pod in self.any_pod():
            self.cluster.store.delete(pod)

    def relabel(self) -> None:
        """Gives a pod other labels."""
        for pod in self.any_pod():
            new, labels = pod.copy(), self.labels()
            new.manifest = {**pod.manifest, "metadata": {**pod.manifest["metadata"], "labels": labels}}
            new.labels = labels
            self.cluster.store.update(new)

    def evict(self) -> None:
        """Lets a bound pod terminate for 30 s."""
        for pod in self.any_pod():
            if pod.node_name and pod.deleted is None:
                self.cluster.store.evict(pod, "Evicted", 30)

    def any_pod(self) -> list[Pod]:
        pods = list(self.cluster.store.list("Pod"))
        return [self.random.choice(pods)] if pods else []

    def labels(self) -> dict[str, str]:
        return {key: self.random.choice("xy") for key in self.random.sample(["app", "tier", "version"], 2)}

    def affinity(self) -> dict[str, Any]:
        found: dict[str, Any] = {"podAffinity": {}, "podAntiAffinity": {}}
        for side, rules in found.items():
            if self.random.random() < 0.4:
                rules[PREFERRED] = [{"weight": weight, "podAffinityTerm": self.term()} for weight in (1, 5, 5)]
            if self.random.random() < 0.3:
                rules[REQUIRED] = [self.term() for _ in range(1 if side == "podAffinity" else 3)]
        return found

    def term(self) -> dict[str, Any]:
        return {"labelSelector": {"matchLabels": self.labels()}, "topologyKey": self.random.choice(TOPOLOGIES)}

    def spread(self) -> list[dict[str, Any]]:
        def constraint(key: str) -> dict[str, Any]:
            hard = self.random.choice(["DoNotSchedule", "ScheduleAnyway"])
            selector = {"matchLabels": self.labels()}
            return {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": hard, "labelSelector": selector}

        return [constraint(key) for key in self.random.sample(TOPOLOGIES, 2)]


@pytest.mark.parametrize("threshold", [NEVER, 1])
def test_a_terminating_pod_that_is_removed_on_trial_is_counted_as_before(
    threshold: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(podindex, "VERY_MANY", threshold)
    pod = a_pod("p", "n", labels={"app": "web", "tier": "front"})
    pod.deleted = 30
    table = CachedCluster(a_node("n"), pod).table
    web, slots = Selected("default", LabelSelector.parse({"matchLabels": {"app": "web"}})), table.order
    with WhatIfNode(table, 0) as supposed:
        supposed.remove(pod)
        assert table.index.counts(web, slots).tolist() == [-1]  # as in a real scheduler
    assert table.index.counts(web, slots).tolist() == [0]
    relabelled = pod.copy()
    relabelled.labels = {"app": "db", "tier": "front"}
    table.replace_pod(relabelled)
    table.remove_pod(pod.uid)
    assert table.index.counts(web, slots).tolist() == [0]


@pytest.mark.parametrize("seed", SEEDS)
def test_large_pods_are_scheduled_like_small_ones(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = []
    for threshold in (NEVER, 1):  # that is exceeded by no pod, by nearly all
        monkeypatch.setattr(podindex, "VERY_MANY", threshold)
        monkeypatch.setattr(interpodaffinity, "MANY_TERMS", threshold)
        monkeypatch.setattr(podtopologyspread, "_MANY", threshold)
        outcomes.append(Eventful(seed).run())
    assert outcomes[0] == outcomes[1]
