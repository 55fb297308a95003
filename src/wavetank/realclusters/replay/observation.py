from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE, POD
from wavetank.cluster.objects.pod import ENDS, RUNNING, Pod
from wavetank.cluster.objects.podbehavior import PodBehavior
from wavetank.cluster.store.store import Store
from wavetank.realclusters.mirror.documents import read_node, read_pod
from wavetank.realclusters.replay.journal import Change
from wavetank.workloads.manifests.expansion import behavior_of_owned

Document = dict[str, Any]


class Observation:
    """Follows the pods of a replay and the nodes of its cluster in a store, which a recorder watches.

    What is new is passed to `note` first. `behaviors` are those of the pods that the replay creates itself, by name.
    """

    def __init__(self, store: Store, behaviors: Mapping[str, PodBehavior], note: Callable[[Change], None]) -> None:
        self.created: set[str] = set()  # names of all pods that were seen
        self.changes = 0  # that were noted
        self._store = store
        self._behaviors = behaviors
        self._note = note

    @property
    def unfinished(self) -> list[Pod]:
        """Returns the pods that still have to do something: end, or start if they run for ever."""
        return [pod for pod in self._store.list(POD) if not _is_settled(pod)]

    def repeat(self, change: Change) -> None:
        """Applies a change that was noted earlier."""
        self._apply(change.kind, change.action, change.document)

    def replace(self, kind: str, documents: list[Document]) -> None:
        """Takes over a list: what is not in it is gone."""
        listed = {document["metadata"]["uid"] for document in documents}
        for gone in [each for each in self._store.list(kind) if each.uid not in listed]:
            self.change(
                kind, "DELETED", {"metadata": {"name": gone.name, "namespace": gone.namespace, "uid": gone.uid}}
            )
        for document in documents:
            self.change(kind, "MODIFIED", document)

    def change(self, kind: str, action: str, document: Document) -> None:
        """Takes over an event of a watch."""
        light = _named(document) if action == "DELETED" else _light(kind, document)
        if self._is_news(kind, action, light):
            self.changes += 1
            self._note(Change(self._store.clock.now, kind, action, light))
            self._apply(kind, action, light)

    def _is_news(self, kind: str, action: str, document: Document) -> bool:
        metadata = document["metadata"]
        present = self._store.find(kind, metadata.get("namespace") or "", metadata["name"])
        if present is None or action == "DELETED":
            return (present is None) != (action == "DELETED")
        if isinstance(present, Pod):
            return _differs(present, read_pod(document, self._store.specs)) or present.uid != metadata["uid"]
        new = read_node(document)
        old = present
        fields = ("allocatable", "taints", "ready", "unschedulable", "uid")
        return any(getattr(old, field) != getattr(new, field) for field in fields)

    def _apply(self, kind: str, action: str, document: Document) -> None:
        metadata = document["metadata"]
        present = self._store.find(kind, metadata.get("namespace") or "", metadata["name"])
        if present is not None and (action == "DELETED" or present.uid != metadata["uid"]):
            self._store.delete(present)
            present = None
        if action == "DELETED":
            return
        if kind == NODE:
            node = read_node(document)
            if present is None:
                self._store.create(node)
            else:
                node.resource_version, node.created = present.resource_version, present.created
                self._store.update(node)
        else:
            self._pod(present if isinstance(present, Pod) else None, read_pod(document, self._store.specs))

    def _pod(self, present: Pod | None, seen: Pod) -> None:
        if present is None:
            self.created.add(seen.name)
            new = seen.copy()
            new.node_name, new.phase = "", "Pending"
            new.behavior = self._behaviors.get(seen.name) or behavior_of_owned(seen.manifest)
            self._store.create(new)
            present = new
        if seen.node_name and not present.node_name:
            self._store.bind(present, seen.node_name)
            found = self._store.find(POD, present.namespace, present.name)
            assert isinstance(found, Pod)
            present = found
        if _differs(present, seen):
            self._store.update(self._advanced(present, seen))

    def _advanced(self, present: Pod, seen: Pod) -> Pod:
        new = present.copy()
        if new.started is None and (seen.phase == RUNNING or seen.phase in ENDS):
            new.started = self._store.clock.now
        new.phase, new.reason, new.message = seen.phase, seen.reason, seen.message
        new.unschedulable, new.restarts = seen.unschedulable, _restarts(seen)
        return new


def _named(document: Document) -> Document:
    return {"metadata": {key: document["metadata"].get(key) for key in ("name", "namespace", "uid")}}


def _light(kind: str, document: Document) -> Document:
    """Returns what is noted of an object: without managed fields and what the recorder does not use."""
    if kind == NODE:
        node = read_node(document)
        status = {key: value for key, value in node.manifest["status"].items() if key in ("allocatable", "conditions")}
        return {**node.manifest, "status": status}
    status = document.get("status") or {}
    conditions = [each for each in status.get("conditions") or () if each.get("type") == "PodScheduled"]
    counts = [{"restartCount": each.get("restartCount") or 0} for each in status.get("containerStatuses") or ()]
    kept = {key: status[key] for key in ("phase", "reason", "message") if key in status}
    metadata = {key: value for key, value in document["metadata"].items() if key != "managedFields"}
    return {
        **document,
        "metadata": metadata,
        "status": {**kept, "conditions": conditions, "containerStatuses": counts},
    }


def _differs(old: Pod, new: Pod) -> bool:
    before = (old.node_name, old.phase, old.reason, old.unschedulable, old.restarts)
    return before != (new.node_name, new.phase, new.reason, new.unschedulable, _restarts(new))


def _restarts(pod: Pod) -> int:
    statuses = (pod.manifest.get("status") or {}).get("containerStatuses") or ()
    return sum(int(each.get("restartCount") or 0) for each in statuses)


def _is_settled(pod: Pod) -> bool:
    if pod.finished:
        return True
    is_endless = pod.behavior is None or pod.behavior.duration is None
    return pod.phase == RUNNING and (is_endless or pod.spec.restart_policy == "Always")
