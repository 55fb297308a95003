"""Changes that are worth a trial: what the pod demands, and what the nodes that reject it have against it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from wavetank.cluster.fields.taints import Taint
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.explanation.advice.nodeedits import UNSCHEDULABLE, LabelNode, Uncordon, Untaint
from wavetank.explanation.advice.podedits import (
    REQUIRED,
    DropHostPort,
    DropNodeAffinity,
    DropNodeSelector,
    DropPodAffinity,
    DropVolume,
    RelaxSpread,
    RemoveGates,
    Tolerate,
)
from wavetank.explanation.advice.trials import Edit
from wavetank.workloads.manifests.nodes import STATE_TAINTS

# Begin labels that come with a node, and are not set by hand.
_WITH_THE_NODE = ("kubernetes.io/", "topology.kubernetes.io/", "node.kubernetes.io/")
_ANYWHERE = ("configMap", "downwardAPI", "emptyDir", "hostPath", "projected", "secret")  # volumes on every node


def demands(pod: Pod) -> Iterator[Edit]:
    """Yields what drops one demand of the pod each, the gravest first; resources are not among them."""
    spec = pod.render()["spec"]
    affinity = spec.get("affinity") or {}
    yield from _volumes(spec)
    for name in ("podAffinity", "podAntiAffinity"):
        terms = (affinity.get(name) or {}).get(REQUIRED) or ()
        yield from (DropPodAffinity(name, term) for term in _distinct(terms))
    yield from _node_affinity(affinity.get("nodeAffinity") or {})
    yield from (DropNodeSelector(key, value) for key, value in (spec.get("nodeSelector") or {}).items())
    yield from (DropHostPort(port, protocol) for _, protocol, port in sorted(pod.spec.ports))
    yield from (RelaxSpread(constraint) for constraint in hard_constraints(pod))
    if pod.gates:
        yield RemoveGates(pod.gates)


def hard_constraints(pod: Pod) -> list[Mapping[str, Any]]:
    """Returns the topology spread constraints that must be satisfied."""
    constraints = pod.spec.manifest.get("topologySpreadConstraints") or ()
    return _distinct(each for each in constraints if each.get("whenUnsatisfiable") != "ScheduleAnyway")


def tolerations(pod: Pod, nodes: Iterable[Node]) -> Iterator[Edit]:
    """Yields tolerations for the taints of nodes, each set of taints once; not for those of a node's state."""
    for taints in dict.fromkeys(untolerated(pod, node) for node in nodes):
        if taints and not any(taint.key.startswith(STATE_TAINTS) for taint in taints):
            yield Tolerate(taints)


def node_changes(pod: Pod, node: Node) -> Iterator[Edit]:
    """Yields what could be changed about one node: its taints, that it is cordoned, and labels that the pod selects."""
    if node.unschedulable:
        yield Uncordon(node.name)
    taints = tuple(taint for taint in untolerated(pod, node) if taint.key != UNSCHEDULABLE)
    if taints:
        yield Untaint(node.name, taints)
    selector = pod.spec.manifest.get("nodeSelector") or {}
    missing = {key: value for key, value in selector.items() if node.labels.get(key) != value}
    if missing and not any(key.startswith(_WITH_THE_NODE) for key in missing):
        yield LabelNode(node.name, missing)


def untolerated(pod: Pod, node: Node) -> tuple[Taint, ...]:
    """Returns the taints that keep the pod off a node."""
    hard = (taint for taint in node.taints if taint.effect != "PreferNoSchedule")
    return tuple(taint for taint in hard if not pod.spec.tolerations.accept(taint))


def _volumes(spec: Mapping[str, Any]) -> Iterator[Edit]:
    for volume in spec.get("volumes") or ():
        if any(kind in volume for kind in _ANYWHERE):
            continue
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName") or ""
        yield DropVolume(str(volume.get("name")), claim)


def _node_affinity(affinity: Mapping[str, Any]) -> Iterator[Edit]:
    terms: Sequence[Mapping[str, Any]] = (affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()
    requirements = _distinct(
        each for term in terms for field in ("matchExpressions", "matchFields") for each in term.get(field) or ()
    )
    if len(requirements) > 1:
        yield DropNodeAffinity()
    yield from (DropNodeAffinity(requirement) for requirement in requirements)


def _distinct(items: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    for item in items:
        if item not in found:
            found.append(item)
    return found
