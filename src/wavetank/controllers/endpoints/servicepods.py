from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from wavetank.cluster.objects.groupkinds import POD, SERVICE
from wavetank.cluster.objects.kinds import Service
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.endpoints.triggers import Triggers
from wavetank.controllers.framework.context import ControllerContext
from wavetank.controllers.framework.queue import Key
from wavetank.controllers.framework.selectedpods import SelectedPods


class PodFacts:
    """What a Service needs to know about a pod, rendered once per version of the pod."""

    __slots__ = ("address", "pod", "ready", "triggered")

    def __init__(self, pod: Pod, context: ControllerContext) -> None:
        status: Mapping[str, Any] = context.render(pod).get("status") or {}
        self.pod = pod
        self.address = "" if pod.finished else str(status.get("podIP") or "")
        self.ready = context.ready_since(pod) is not None
        conditions = status.get("conditions") or ()
        self.triggered = next((str(c.get("lastTransitionTime")) for c in conditions if c.get("type") == "Ready"), "")


class ServicePods:
    """The pods that each Service selects; `changed` is called with a Service to sync."""

    def __init__(self, context: ControllerContext, changed: Callable[[Key], None]) -> None:
        self._context = context
        self._changed = changed
        self._facts: dict[str, PodFacts] = {}  # by uid
        self.triggers = Triggers()
        context.store.subscribe(SERVICE, self)
        services = [service for service in context.store.list(SERVICE) if has_endpoints(service)]
        self._pods = SelectedPods(context.store, changed, [(service.key, service.selector) for service in services])
        context.store.subscribe(POD, deleted=self._forget)
        for service in services:
            changed(service.key)

    def of(self, service: Service) -> list[PodFacts]:
        """Returns the facts about the pods of a Service, in the order of `SelectedPods`."""
        return [self._facts_of(pod) for pod in self._pods.of(service.key)]

    def _facts_of(self, pod: Pod) -> PodFacts:
        known = self._facts.get(pod.uid)
        if known is None or known.pod is not pod:
            known = self._facts[pod.uid] = PodFacts(pod, self._context)
        return known

    # events

    def _forget(self, pod: Pod) -> None:
        self._facts.pop(pod.uid, None)

    def added(self, new: Service) -> None:
        """Adds a Service and finds its pods."""
        if has_endpoints(new):
            self._pods.put(new.key, new.selector)
            self._changed(new.key)

    def modified(self, old: Service, new: Service) -> None:
        """Updates a changed Service."""
        if not has_endpoints(new):
            self._pods.drop(new.key)
        self.added(new)

    def deleted(self, old: Service) -> None:
        """Removes a Service."""
        self._pods.drop(old.key)
        self.triggers.forget(old.key)
        self._changed(old.key)


def has_endpoints(service: Service) -> bool:
    """Tells whether a Service's endpoints are determined by its selector."""
    spec = service.manifest.get("spec") or {}
    return bool(spec.get("selector")) and spec.get("type") != "ExternalName"


def is_headless(service: Service) -> bool:
    """Tells whether a Service is headless."""
    return (service.manifest.get("spec") or {}).get("clusterIP") in (None, "", "None")


def find_port(pod: Pod, port: Mapping[str, Any]) -> int | None:
    """Returns the port of a pod that a Service's port maps to, by its name if it is named."""
    target = port.get("targetPort")
    if isinstance(target, int):
        return target
    spec = pod.spec.manifest
    beside = [each for each in spec.get("initContainers") or () if each.get("restartPolicy") == "Always"]
    for container in [*(spec.get("containers") or ()), *beside]:
        for known in container.get("ports") or ():
            same = (known.get("protocol") or "TCP") == (port.get("protocol") or "TCP")
            if known.get("name") == target and same:
                return int(known["containerPort"])
    return None


def hostname_of(pod: Pod, service: Service) -> str:
    """Returns the hostname of a pod in a headless Service, if it has one."""
    spec = pod.spec.manifest
    return str(spec.get("hostname") or "") if spec.get("subdomain") == service.name else ""
