from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.nodes.containers.container import Container
from wavetank.simulation.served.eventlog import EventLog

_LISTS = ("initContainers", "containers", "ephemeralContainers")


class ContainerEvents:
    """Writes the Events of kubelets about single containers."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def record(self, pod: Pod, container: Container, type_: str, reason: str, message: str) -> None:
        """Writes an Event about a container of a pod."""
        source = {"component": "kubelet", "host": pod.node_name}
        spec = pod.spec.manifest
        kind = next((kind for kind in _LISTS if container.plan.given in (spec.get(kind) or ())), "containers")
        self._log.write(pod, type_, reason, message, source, f"spec.{kind}{{{container.name}}}")
