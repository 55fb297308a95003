"""Extenders: services outside the scheduler that filter, prioritize, preempt and bind, with kube-scheduler's JSON."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.scheduling.framework.extenders.answers import (
    ExtenderError,
    FilterAnswer,
    read_filter,
    read_priorities,
    read_refusal,
    read_victims,
)
from wavetank.scheduling.framework.plugin import Reason
from wavetank.scheduling.framework.selection import RandomTies

SCORE_SCALE = 10  # an extender's best score is 10, a plugin's is 100


class ExtenderClient(Protocol):
    """Carries a call to an extender and brings back its answer."""

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        """Returns the decoded JSON of the answer; ExtenderError, with kube-scheduler's text, if there is none."""
        ...


@runtime_checkable
class InProcessExtender(Protocol):
    """A client of an extender in the same process, which needs no JSON to filter."""

    def filter_nodes(self, pod: Pod, names: Sequence[str]) -> FilterAnswer:
        """Answers a filter call with the names of nodes; ExtenderError if it fails."""
        ...


class Filtered(NamedTuple):
    """The nodes that an extender keeps, in its own order, and why it rejects others.

    `without_pods` if the scheduler rebuilds the nodes from the answer, and so forgets the pods on them.
    """

    nodes: Sequence[Node]
    refused: Mapping[str, Reason]
    without_pods: bool = False


class Victims(NamedTuple):
    """The pods that would have to leave a node, and how many of these evictions violate a disruption budget."""

    pods: tuple[Pod, ...]
    violations: int


class Extender:
    """One extender of a KubeSchedulerConfiguration, called through its client.

    A verb that is not configured does nothing: all nodes pass, all scores are 0. Calls raise ExtenderError.
    """

    def __init__(self, config: Mapping[str, Any], client: ExtenderClient) -> None:
        self.name = str(config.get("urlPrefix") or "")
        self.ignorable = bool(config.get("ignorable"))
        self.filter_verb = str(config.get("filterVerb") or "")
        self.prioritize_verb = str(config.get("prioritizeVerb") or "")
        self.preempt_verb = str(config.get("preemptVerb") or "")
        self.bind_verb = str(config.get("bindVerb") or "")
        self._weight = int(config.get("weight") or 0)
        self._knows_nodes = bool(config.get("nodeCacheCapable"))
        self._managed = frozenset(str(item["name"]) for item in config.get("managedResources") or ())
        self._client = client
        self._in_process = client if isinstance(client, InProcessExtender) else None

    def is_interested(self, pod: Pod) -> bool:
        """Returns whether the pod requests a resource that this extender manages; one without any takes all pods."""
        return not self._managed or not self._managed.isdisjoint(_asked_for(pod))

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        """Calls the filter verb: which of the nodes the pod may run on."""
        if not self.filter_verb:
            return Filtered(nodes, {})
        if self._in_process is not None and self._knows_nodes:
            answer = self._in_process.filter_nodes(pod, [node.name for node in nodes])
        else:
            answer = read_filter(self._client.call(self.filter_verb, self._about(pod, nodes)))
        without_pods = not (self._knows_nodes and answer.names is not None)
        kept = (answer.nodes if without_pods else answer.names) or ()
        named = {node.name: node for node in nodes}
        unknown = next((name for name in kept if name not in named), None)
        if unknown is not None:
            # kube-scheduler looks only where it had sent names; with whole nodes it would bind to the invented one
            message = f'claims a filtered node "{unknown}" which is not found in the input node list'
            raise ExtenderError(f'extender "{self.name}" {message}')
        return Filtered([named[name] for name in kept], answer.refused, without_pods)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, int]:
        """Calls the prioritize verb and returns the nodes' scores on the scale of the plugins, weighted."""
        if not self.prioritize_verb:
            return {node.name: 0 for node in nodes}
        scores = read_priorities(self._client.call(self.prioritize_verb, self._about(pod, nodes)))
        return {name: score * self._weight * SCORE_SCALE for name, score in scores.items()}

    def preempt(
        self, pod: Pod, candidates: Mapping[str, Victims], pods_on: Mapping[str, Mapping[str, Pod]]
    ) -> dict[str, Victims]:
        """Calls the preempt verb: the nodes to preempt on, and the victims; `pods_on` has the pods of a node by uid."""
        render = _uid_of if self._knows_nodes else _bare
        victims = {
            name: {"Pods": [render(victim) for victim in found.pods], "NumPDBViolations": found.violations}
            for name, found in sorted(candidates.items())
        }
        request = {
            "Pod": _bare(pod),
            "NodeNameToVictims": None if self._knows_nodes else victims,
            "NodeNameToMetaVictims": victims if self._knows_nodes else None,
        }
        answer = read_victims(self._client.call(self.preempt_verb, request))
        return {name: self._victims(name, *found, pods_on) for name, found in answer.items()}

    def bind(self, pod: Pod, node_name: str) -> None:
        """Calls the bind verb."""
        request = {"PodName": pod.name, "PodNamespace": pod.namespace, "PodUID": pod.uid, "Node": node_name}
        read_refusal(self._client.call(self.bind_verb, request))

    def _about(self, pod: Pod, nodes: Sequence[Node]) -> Mapping[str, Any]:
        if self._knows_nodes:
            return {"Pod": _bare(pod), "Nodes": None, "NodeNames": [node.name for node in nodes]}
        items = [_bare(node) for node in nodes]
        return {"Pod": _bare(pod), "Nodes": {"metadata": {}, "items": items}, "NodeNames": None}

    def _victims(
        self, node_name: str, uids: Sequence[str], violations: int, pods_on: Mapping[str, Mapping[str, Pod]]
    ) -> Victims:
        if node_name not in pods_on:
            raise ExtenderError(f'nodeinfo not found for node name "{node_name}"')
        lost = next((uid for uid in uids if uid not in pods_on[node_name]), None)
        if lost is not None:
            claim = (
                f"claims to preempt pod (UID: &{{{lost}}}) on node: {node_name}, but the pod is not found on that node"
            )
            raise ExtenderError(f"extender: {self.name} {claim}")
        return Victims(tuple(pods_on[node_name][uid] for uid in uids), violations)


class Extenders:
    """All extenders of a scheduler, in the order of their calls: those that may be ignored come after the others.

    An error of one that may be ignored is as if it were not there. `ties` breaks ties between nodes that an extender
    has scored, which kube-scheduler leaves to chance.
    """

    def __init__(self, extenders: Iterable[Extender] = (), draws: random.Random | None = None) -> None:
        self._extenders = sorted(extenders, key=lambda extender: extender.ignorable)
        self.ties = RandomTies(draws or random.Random(0))

    def __len__(self) -> int:
        return len(self._extenders)

    @property
    def judge_nodes(self) -> bool:
        """Returns whether any of them filters or prioritizes, so that one feasible node is not enough."""
        return any(extender.filter_verb or extender.prioritize_verb for extender in self._extenders)

    @property
    def choose_victims(self) -> bool:
        """Returns whether any of them takes part in preemption, by what it knows besides the request."""
        return any(extender.preempt_verb for extender in self._extenders)

    def filter(self, pod: Pod, nodes: Sequence[Node]) -> Filtered:
        """Calls them one after the other; each sees the nodes that the one before has kept."""
        refused: dict[str, Reason] = {}
        without_pods = False
        for extender in self._interested(pod):
            if not nodes:
                break
            try:
                answer = extender.filter(pod, nodes)
            except ExtenderError:
                if not extender.ignorable:
                    raise
                continue
            nodes = answer.nodes
            refused.update(answer.refused)
            without_pods |= answer.without_pods
        return Filtered(nodes, refused, without_pods)

    def prioritize(self, pod: Pod, nodes: Sequence[Node]) -> dict[str, Mapping[str, int]]:
        """Returns what each extender adds to the nodes' scores; one that fails adds nothing, ignorable or not."""
        found = {}
        for extender in self._interested(pod):
            try:
                found[extender.name] = extender.prioritize(pod, nodes)
            except ExtenderError:
                continue
        return found

    def preempt(
        self, pod: Pod, candidates: Mapping[str, Victims], pods_on: Mapping[str, Mapping[str, Pod]]
    ) -> Mapping[str, Victims]:
        """Returns the candidates that are left, with the victims that the extenders chose."""
        for extender in self._interested(pod):
            if not extender.preempt_verb or not candidates:
                continue
            try:
                found = extender.preempt(pod, candidates, pods_on)
                empty = [name for name, victims in found.items() if not victims.pods]
                if empty and not extender.ignorable:
                    raise ExtenderError(f'expected at least one victim pod on node "{empty[0]}"')
            except ExtenderError:
                if not extender.ignorable:
                    raise
                continue
            candidates = {name: victims for name, victims in found.items() if name not in empty}
        return candidates

    def bind(self, pod: Pod, node_name: str) -> bool:
        """Lets an extender bind the pod; returns False if none does, so that the scheduler has to."""
        for extender in self._interested(pod):
            if extender.bind_verb:
                try:
                    extender.bind(pod, node_name)
                except ExtenderError:
                    if not extender.ignorable:
                        raise
                    continue
                return True
        return False

    def _interested(self, pod: Pod) -> Iterator[Extender]:
        return (extender for extender in self._extenders if extender.is_interested(pod))


def _asked_for(pod: Pod) -> set[str]:
    spec = pod.spec.manifest
    containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
    resources = [container.get("resources") or {} for container in containers]
    return {name for item in resources for kind in ("requests", "limits") for name in item.get(kind) or ()}


def _bare(resource: Resource) -> dict[str, Any]:
    """Renders an object as kube-scheduler's own structs are: without kind and apiVersion."""
    return {field: value for field, value in resource.render().items() if field not in ("kind", "apiVersion")}


def _uid_of(pod: Pod) -> dict[str, Any]:
    return {"UID": pod.uid}
