from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeVar

from wavetank.cluster.objects.kinds import PriorityClass
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import SpecTable
from wavetank.cluster.objects.resource import Resource, parse_time
from wavetank.cluster.objects.volcano import PodGroup, Queue
from wavetank.scheduling.plugins.defaultpreemption.plugin import PREEMPTED
from wavetank.scheduling.volcano.model.cache import Cache
from wavetank.verification.volcano.recording import PodState, Scenario, SessionRecord

R = TypeVar("R", bound=Resource)


class ScenarioObjects:
    """The objects of a scenario; each session has some of them."""

    def __init__(self, scenario: Scenario) -> None:
        specs = SpecTable()
        self._classes = [PriorityClass(manifest) for manifest in scenario.priority_classes]
        self._queues = [_dated(Queue(manifest)) for manifest in scenario.queues]
        self._nodes = _by_key(_dated(Node(manifest)) for manifest in scenario.nodes)
        self._groups = _by_key(_dated(PodGroup(manifest)) for manifest in scenario.pod_groups)
        self._pods = _by_key(_dated(Pod.parse(manifest, specs)) for manifest in scenario.pods)
        added = {
            name: session.index for session in scenario.sessions for name in session.applied.get("queuesAdded", ())
        }
        self._since = added  # the first session that has a queue

    def before(self, session: SessionRecord) -> Cache:
        """Returns the scheduler's cache at the start of a session."""
        cache = Cache()
        for name in session.node_list:
            cache.set_node(self._nodes[name])
        for priority_class in self._classes:
            cache.set_class(priority_class)
        for queue in self._queues:
            if self._since.get(queue.name, 0) <= session.index:
                cache.set_queue(queue)
        for key, status in session.pod_groups.items():
            cache.set_group(self._groups[key].with_status(status))
        for key, state in session.pods.items():
            cache.set_pod(_as_it_was(self._pods[key], state))
        return cache


def _dated(resource: R) -> R:
    metadata: Any = resource.manifest.get("metadata")
    resource.created = parse_time(metadata.get("creationTimestamp"), "metadata.creationTimestamp") or 0
    return resource


def _by_key(resources: Iterable[R]) -> dict[str, R]:
    return {"/".join(part for part in resource.key if part): resource for resource in resources}


def _as_it_was(pod: Pod, state: PodState) -> Pod:
    new = pod.copy()
    new.phase, new.node_name, new.nominated_node = state.phase, state.node, state.nominated
    if state.terminating:
        new.deleted, new.reason = 0, PREEMPTED
    return new
