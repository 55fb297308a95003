from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.nodes.containers.container import Container
from wavetank.simulation.served.eventlog import EventLog


class ContainerEvents:
    """Writes the Events of kubelets about single containers."""

    def __init__(self, log: EventLog) -> None:
        self._log = log

    def record(self, pod: Pod, container: Container, type_: str, reason: str, message: str) -> None:
        """Writes an Event about a container of a pod."""
        source = {"component": "kubelet", "host": pod.node_name}
        self._log.write(pod, type_, reason, message, source, f"spec.{container.plan.part}{{{container.name}}}")
