from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.fields.resources import PODS, format_amounts
from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.volcano import API_VERSION, GROUP_NAME, POD_GROUPS, PodGroup
from wavetank.cluster.store.store import Store

_QUEUE_NAME = "scheduling.volcano.sh/queue-name"
_MIN_MEMBER = "scheduling.volcano.sh/group-min-member"
_KEPT = "volcano.sh/preemptable"
_PREFIX = "podgroup-"


class PodGroupController:
    """Gives pods that are in no group one of their own, or one with the others of their controller, as Volcano does.

    Such a group lives as long as any of its pods.
    """

    def __init__(self, store: Store, takes: Callable[[Pod], bool]) -> None:
        self._store = store
        self._takes = takes
        self._members: dict[tuple[str, str], set[str]] = {}  # of the groups made here: uids of pods
        store.subscribe(POD, self)
        for pod in store.list(POD):
            self.added(pod)

    def added(self, new: Pod) -> None:
        """Makes a group for a pod without one."""
        if GROUP_NAME in new.annotations or not self._takes(new):
            return
        present = self._store.find(POD, new.namespace, new.name)
        if not isinstance(present, Pod) or present.uid != new.uid:
            return
        key = (new.namespace, _PREFIX + _owner(new, "uid", new.uid))
        if self._store.find(POD_GROUPS, *key) is None:
            self._store.create(PodGroup(self._manifest(new, key[1])))
        self._members.setdefault(key, set()).add(new.uid)
        self._annotate(present, key[1])  # a pod that names its node may have been started since

    def modified(self, old: Pod, new: Pod) -> None:
        """A pod stays in its group."""

    def deleted(self, old: Pod) -> None:
        """Removes a group with its last pod."""
        key = (old.namespace, str(old.annotations.get(GROUP_NAME)))
        members = self._members.get(key)
        if members is None:
            return
        members.discard(old.uid)
        if not members:
            del self._members[key]
            group = self._store.find(POD_GROUPS, *key)
            if group is not None:
                self._store.delete(group)

    def _annotate(self, pod: Pod, group_name: str) -> None:
        new = pod.copy()
        metadata = pod.manifest.get("metadata") or {}
        annotations = {**pod.annotations, GROUP_NAME: group_name}
        new.manifest = {**pod.manifest, "metadata": {**metadata, "annotations": annotations}}
        self._store.update(new)

    def _manifest(self, pod: Pod, name: str) -> Mapping[str, Any]:
        least = self._min_member(pod)
        requests = {resource: least * amount for resource, amount in pod.spec.requests.items()}
        kept = {_KEPT: pod.annotations[_KEPT]} if _KEPT in pod.annotations else {}
        spec = {
            "minMember": least,
            "queue": pod.annotations.get(_QUEUE_NAME) or "default",
            "minResources": format_amounts({**requests, PODS: least}),
            **({"priorityClassName": pod.spec.priority_class} if pod.spec.priority_class else {}),
        }
        metadata = {"name": name, "namespace": pod.namespace, "annotations": kept}
        status = {"phase": "Pending"}
        return {"apiVersion": API_VERSION, "kind": "PodGroup", "metadata": metadata, "spec": spec, "status": status}

    def _min_member(self, pod: Pod) -> int:
        """Reads how many pods the controller of a pod wants together; one, if it says nothing."""
        table = ".".join((_owner(pod, "kind", ""), _owner(pod, "apiVersion", "").rpartition("/")[0]))
        owner = self._store.find(table, pod.namespace, _owner(pod, "name", ""))
        stated = owner.annotations.get(_MIN_MEMBER, "") if owner is not None else ""
        return int(stated) if stated.isdecimal() else 1


def _owner(pod: Pod, field: str, default: str) -> str:
    """Returns a field of the reference to the pod's controller."""
    references = (pod.manifest.get("metadata") or {}).get("ownerReferences") or ()
    found: Mapping[str, Any] = next((each for each in references if each.get("controller")), {})
    return str(found.get(field) or default)
