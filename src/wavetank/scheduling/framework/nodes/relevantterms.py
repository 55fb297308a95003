"""Which of very many affinity terms of a pod can make a difference."""

from __future__ import annotations

from collections.abc import Callable

from wavetank.cluster.fields.podaffinity import AffinityTerm, PodAffinity
from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.nodes.nodetable import NodeTable

MANY_TERMS = 32  # from which on it is worth to look


def relevant_terms(affinity: PodAffinity, pod: Pod, table: NodeTable) -> PodAffinity:
    """Returns the terms with which a pod is scheduled in the same way, as long as the same pods and nodes are there.

    A term without an effect means pods that do not exist, or a topology that no node has; one of them is kept if there
    are only such terms. If a required one is such a term, no node passes, and the others do not matter.
    """
    means, nodes_have = _means_pods(pod, table), table.topologies.labels()

    def has_effect(term: AffinityTerm) -> bool:
        return term.topology_key in nodes_have and means(term)

    return PodAffinity(
        _decisive(affinity.required, means, nodes_have),
        tuple(filter(has_effect, affinity.required_anti)) or affinity.required_anti[:1],
        tuple(item for item in affinity.preferred if has_effect(item.term)) or affinity.preferred[:1],
    )


def _means_pods(pod: Pod, table: NodeTable) -> Callable[[AffinityTerm], bool]:
    """Returns a function that tells whether a term may mean pods on nodes, or the pod itself."""
    namespace, labels, has_label = pod.namespace, pod.labels, table.index.has_label

    def means(term: AffinityTerm) -> bool:
        label = term.own_label
        return label is None or labels.get(label[0]) == label[1] or has_label((namespace, *label))

    return means


def _decisive(
    required: tuple[AffinityTerm, ...], means: Callable[[AffinityTerm], bool], nodes_have: set[str]
) -> tuple[AffinityTerm, ...]:
    """Returns required terms, or two of them if no node passes: one without pods, one without a topology, if any."""
    pointless = next((term for term in required if not means(term)), None)
    nowhere = next((term for term in required if term.topology_key not in nodes_have), None)
    if pointless is None and nowhere is None:
        return required
    return tuple(term for term in (pointless, nowhere) if term is not None)
