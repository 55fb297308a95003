from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping

from wavetank.cluster.fields.labels import LargeLabels, labels_key
from wavetank.cluster.fields.selectors import EVERYTHING, LabelSelector
from wavetank.cluster.objects.groupkinds import POD_DISRUPTION_BUDGET, REPLICA_SET, SERVICE, STATEFUL_SET, group_kind_of
from wavetank.cluster.objects.kinds import Namespace, PodDisruptionBudget, Service
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource
from wavetank.scheduling.framework.boundedcache import MAX_FAMILIES, BoundedCache
from wavetank.scheduling.framework.devices import DEVICE_TABLES, Devices
from wavetank.scheduling.framework.storage import STORAGE_TABLES, Storage

# The kinds of objects, besides pods and nodes, that a scheduler reads.
TABLES = (
    "Namespace",
    POD_DISRUPTION_BUDGET,
    SERVICE,
    REPLICA_SET,
    STATEFUL_SET,
    "ReplicationController",
    *STORAGE_TABLES,
    *DEVICE_TABLES,
)


class Listers:
    """What a scheduler knows of objects other than pods and nodes."""

    def __init__(self) -> None:
        self._objects: dict[str, dict[tuple[str, str], Resource]] = {table: {} for table in TABLES}
        self._selectors: dict[str, tuple[object, LabelSelector]] = {}  # by a controller's uid: as given, and compiled
        self._siblings: BoundedCache[Hashable, LabelSelector] = BoundedCache(MAX_FAMILIES)  # until a service changes
        self._last: tuple[Pod, LabelSelector] | None = None  # several plugins ask for the same pod
        self.storage = Storage()
        self.devices = Devices()

    def set(self, resource: Resource) -> None:
        """Adds an object, or replaces it by its new version."""
        self._last = None
        self._objects[resource.group_kind][resource.key] = resource
        if resource.group_kind == SERVICE:
            self._siblings.clear()
        if resource.group_kind in STORAGE_TABLES:
            self.storage.set(resource)
        elif resource.group_kind in DEVICE_TABLES:
            self.devices.set(resource)

    def remove(self, resource: Resource) -> None:
        """Forgets an object."""
        self._last = None
        self._objects[resource.group_kind].pop(resource.key, None)
        self._selectors.pop(resource.uid, None)
        if resource.group_kind == SERVICE:
            self._siblings.clear()
        if resource.group_kind in STORAGE_TABLES:
            self.storage.remove(resource)
        elif resource.group_kind in DEVICE_TABLES:
            self.devices.remove(resource)

    def find(self, table: str, key: tuple[str, str]) -> Resource | None:
        """Returns an object by its (namespace, name), or None."""
        return self._objects[table].get(key)

    def namespace_labels(self, name: str) -> Mapping[str, str]:
        """Returns the labels of a namespace; of one that does not exist, those that the API server would set."""
        found = self._objects["Namespace"].get(("", name))
        return found.labels if found is not None else {"kubernetes.io/metadata.name": name}

    def namespaces(self, selector: LabelSelector) -> frozenset[str]:
        """Returns the names of the namespaces that a selector selects."""
        found = self._objects["Namespace"].values()
        return frozenset(item.name for item in found if isinstance(item, Namespace) and selector.matches(item.labels))

    @property
    def has_disruption_budgets(self) -> bool:
        """Returns whether there are disruption budgets in any namespace."""
        return bool(self._objects[POD_DISRUPTION_BUDGET])

    def disruption_budgets(self, namespace: str) -> Iterator[PodDisruptionBudget]:
        """Yields the disruption budgets of a namespace."""
        for budget in self._objects[POD_DISRUPTION_BUDGET].values():
            if isinstance(budget, PodDisruptionBudget) and budget.namespace == namespace:
                yield budget

    def owners_selector(self, pod: Pod) -> LabelSelector:
        """Returns what selects a pod's siblings: its services and its controller together; empty if there are none."""
        services = self._objects[SERVICE]
        if not services and "ownerReferences" not in (pod.manifest.get("metadata") or ()):
            return EVERYTHING
        if self._last is None or self._last[0] is not pod:
            self._last = (pod, self._owners_selector(pod))
        return self._last[1]

    def _owners_selector(self, pod: Pod) -> LabelSelector:
        services = self._objects[SERVICE]
        controller = self._controller(pod)
        if not services:
            return EVERYTHING if controller is None else controller
        like = (pod.namespace, labels_key(pod.labels), controller)
        known = self._siblings.get(like)
        if known is None:
            selectors = [service.selector for service in self._services(pod)]
            joined = EVERYTHING.joined([*selectors, *([] if controller is None else [controller])])
            known = self._siblings.keep(like, joined, isinstance(pod.labels, LargeLabels))
        return known

    def _services(self, pod: Pod) -> Iterator[Service]:
        for service in self._objects[SERVICE].values():
            assert isinstance(service, Service)
            if service.namespace == pod.namespace and service.selector.matches(pod.labels):
                yield service

    def _controller(self, pod: Pod) -> LabelSelector | None:
        for owner in (pod.manifest.get("metadata") or {}).get("ownerReferences") or ():
            if owner.get("controller"):
                group_kind = group_kind_of(str(owner.get("apiVersion", "")), str(owner.get("kind")))
                found = self._objects.get(group_kind, {}).get((pod.namespace, str(owner.get("name"))))
                return self._selector(found) if found is not None else None
        return None

    def _selector(self, controller: Resource) -> LabelSelector:
        """Returns the selector of a controller, compiled once for all versions of it that share it."""
        raw = (controller.manifest.get("spec") or {}).get("selector")
        known = self._selectors.get(controller.uid)
        if known is None or known[0] is not raw:
            is_plain = controller.manifest_kind == "ReplicationController"
            selector = LabelSelector.parse({"matchLabels": raw or {}} if is_plain else raw)
            known = self._selectors[controller.uid] = (raw, selector)
        return known[1]
