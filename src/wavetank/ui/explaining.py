"""Why a pod of a served cluster is pending, or why it is on its node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wavetank.apiserver.errors import bad_request, not_found
from wavetank.apiserver.waiting import beside
from wavetank.cluster.objects.groupkinds import EVENT, LEASE, NODE, POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.releases import SERVED
from wavetank.cluster.store.store import Store
from wavetank.explanation.advice.advice import advise
from wavetank.explanation.advice.trials import Trials
from wavetank.explanation.explainer import Explainer
from wavetank.report.explanation import explanation_data
from wavetank.results.attempts.explanation import BOUND, Explanation
from wavetank.scheduling.attachable import Attachable
from wavetank.scheduling.config import default_configuration
from wavetank.scheduling.definition import SchedulerDefinition

_UNREAD = frozenset({EVENT, LEASE})  # by schedulers; there are many of them
_PENDING = "An attempt on the cluster as it is now."
_BOUND = "An attempt on the cluster as it is now, without this pod: nodes may have been emptier when it was scheduled."
_NONE = "No scheduler of wavetank is attached, so this is kube-scheduler with its default profile."


async def explain_pod(store: Store, schedulers: tuple[Attachable, ...], namespace: str, name: str) -> dict[str, Any]:
    """Returns the attempts of a scheduler for one pod on a copy of the cluster; StatusError if there is no such pod.

    The cluster itself does not notice it, and its clients do not wait.
    """
    pod = store.find(POD, namespace, name)
    if not isinstance(pod, Pod):
        raise not_found("pods", name)
    objects = _Copies(store, pod)
    return await beside(lambda: _explain(objects, pod, schedulers))


def _explain(objects: _Copies, pod: Pod, schedulers: tuple[Attachable, ...]) -> dict[str, Any]:
    explainer = Explainer(objects, _definition(schedulers), SERVED.version, {}, takes_all=True)
    unbound = pod.copy()
    unbound.node_name = unbound.unschedulable = unbound.nominated_node = ""
    note = _BOUND if pod.node_name else _PENDING
    note = note if schedulers else f"{note} {_NONE}"
    explained = explainer.explain(unbound)
    return {**explanation_data(explained), "note": note, "offers": _offers(explainer, unbound, explained[-1], objects)}


def _offers(explainer: Explainer, pod: Pod, last: Explanation, objects: _Copies) -> list[str]:
    """Returns what would let a pending pod in, and where, if that node exists; each was tried."""
    if last.outcome == BOUND:
        return []
    scheduler = explainer.scheduler
    found = advise(Trials(scheduler.framework_of, scheduler.table, pod), last.filtered)
    nodes = {node.name for node in objects.nodes}
    return [f"{offer.text}, for {offer.node}" if offer.node in nodes else offer.text for offer in found.offers]


def _definition(schedulers: tuple[Attachable, ...]) -> SchedulerDefinition:
    if not schedulers:
        return SchedulerDefinition("default", "", default_configuration(SERVED.version))
    found = schedulers[0]
    if len(schedulers) == 1 and isinstance(found, SchedulerDefinition):
        return found
    raise bad_request("only kube-scheduler and policies can be explained")


class _Copies:
    """The objects of a store, copied, without one pod and without other pending pods; nodes first, pods last."""

    def __init__(self, store: Store, without: Pod) -> None:
        kinds = [kind for kind in store.group_kinds() if kind not in _UNREAD and kind not in (NODE, POD)]
        self.nodes: list[Node] = list(store.list(NODE))
        self._others = [found for kind in (*kinds, POD) for found in store.list(kind)]
        self._without = without

    def resources(self, specs: SpecTable) -> list[Resource]:
        """Returns the copies; they share their specs with the originals."""
        return list(self._copies())

    def _copies(self) -> Iterator[Resource]:
        for found in (*self.nodes, *self._others):
            if not isinstance(found, Pod):
                yield _renewed(found.copy())
            elif found.node_name and not found.finished and found.key != self._without.key:
                yield _with_times(_renewed(found.copy()), found)


def _renewed(copy: Resource) -> Resource:
    copy.resource_version = 0
    return copy


def _with_times(copy: Resource, pod: Pod) -> Resource:
    """Writes into the manifest what the explainer reads there: since when a pod runs, and that it is terminating."""
    manifest = dict(pod.manifest)
    if pod.deleted is not None:
        manifest["metadata"] = {**(manifest.get("metadata") or {}), "deletionTimestamp": render_time(pod.deleted)}
    if pod.started is not None:
        manifest["status"] = {**(manifest.get("status") or {}), "startTime": render_time(pod.started)}
    copy.manifest = manifest
    return copy
