from __future__ import annotations

from collections.abc import Container
from dataclasses import replace
from typing import Any

from wavetank.cluster.context import ActorContext
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import ENDS, RUNNING, Pod
from wavetank.cluster.objects.resource import parse_time
from wavetank.realclusters.mirror.documents import read_pod
from wavetank.realclusters.nodes.podreports import PodReports
from wavetank.simulation.served.podbehavior import set_behavior

Document = dict[str, Any]


class PodMirror:
    """Brings the pods that are bound to simulated nodes into the store of their kubelets, and takes them out again."""

    def __init__(self, context: ActorContext, ours: Container[str], reports: PodReports) -> None:
        self._store = context.store
        self._ours = ours
        self._reports = reports
        self._ended: set[str] = set()  # uids of pods that the kubelets are done with: late events must not start them
        self._store.subscribe(POD, deleted=lambda old: self._ended.add(old.uid))

    def replace(self, documents: list[Document]) -> None:
        """Takes over a list: what is not in it is gone."""
        listed = {document["metadata"]["uid"] for document in documents}
        for pod in [pod for pod in self._store.list(POD) if pod.uid not in listed]:
            self._gone(pod)
        self._ended &= listed
        for document in documents:
            self._seen(document)

    def change(self, action: str, document: Document) -> None:
        """Takes over an event of a watch."""
        if action != "DELETED":
            self._seen(document)
            return
        uid = document["metadata"]["uid"]
        pod = self._find(document)
        if pod is not None and pod.uid == uid:
            self._gone(pod)
        self._ended.discard(uid)

    def _seen(self, document: Document) -> None:
        if document["spec"].get("nodeName") not in self._ours or document["metadata"]["uid"] in self._ended:
            return
        present = self._find(document)
        if present is not None and present.uid != document["metadata"]["uid"]:
            self._gone(present)  # its deletion was missed, and another one has its name
            present = None
        if present is None:
            present = self._arrived(document)
        if present is not None:
            self._updated(present, document)

    def _arrived(self, document: Document) -> Pod | None:
        pod = read_pod(document, self._store.specs)
        if pod.phase in ENDS:
            return None
        self._reports.report(pod)  # before it is started: its end may follow at once
        if pod.phase == RUNNING:
            self._resume(pod, document["status"])
        else:
            node, pod.node_name = pod.node_name, ""
            self._store.create(pod)  # then bound, so that the kubelet admits it or not
            self._write(self._store.bound(pod, node))
        return self._find(document)

    def _resume(self, pod: Pod, status: Document) -> None:
        """Takes over a pod that an earlier run of this program has started; it runs for the rest of its time."""
        containers = status.get("containerStatuses") or ()
        starts = [(each.get("state") or {}).get("running", {}).get("startedAt") for each in containers]
        now = self._store.clock.now
        started = max((parse_time(start, "startedAt") or now for start in starts if start), default=now)
        pod.restarts = max((int(each.get("restartCount") or 0) for each in containers), default=0)
        set_behavior(pod)
        if pod.behavior is not None and pod.behavior.duration is not None:
            rest = max(0, pod.behavior.duration - max(0, now - started))
            pod.behavior = replace(pod.behavior, duration=rest)
        self._reports.resume(pod, status, started)
        self._store.create(pod)

    def _updated(self, present: Pod, document: Document) -> None:
        """Applies what others may change: the deletion, the deadline, the labels, and an end that was not ours."""
        new = present.copy()
        new.deleted = parse_time(document["metadata"].get("deletionTimestamp"), "metadata.deletionTimestamp")
        seen = read_pod(document, self._store.specs)
        new.spec, new.labels = seen.spec, seen.labels
        if seen.phase in ENDS:
            new.phase, new.reason, new.message = seen.phase, seen.reason, seen.message
        unchanged = new.deleted == present.deleted and new.spec is present.spec and new.phase == present.phase
        if not unchanged:
            self._write(new)
        if new.finished and (found := self._find(document)) is not None:
            self._gone(found)

    def _write(self, new: Pod) -> None:
        self._reports.writing(new)
        self._store.update(new)

    def _gone(self, pod: Pod) -> None:
        self._reports.deleting(pod)
        self._store.delete(pod)

    def _find(self, document: Document) -> Pod | None:
        metadata = document["metadata"]
        found = self._store.find(POD, metadata["namespace"], metadata["name"])
        return found if isinstance(found, Pod) else None
