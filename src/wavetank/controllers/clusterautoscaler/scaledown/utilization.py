from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from wavetank.cluster.fields.resources import CPU, MEMORY
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.clusterautoscaler.scaledown.drainability import is_long_terminating
from wavetank.controllers.framework.pods import is_daemon_set_pod
from wavetank.kernel.durations import Nanoseconds


class Utilization(NamedTuple):
    """The requested shares of a node's allocatable CPU and memory."""

    cpu: float
    memory: float

    @property
    def resource(self) -> str:
        """Returns the resource of which more is requested."""
        return CPU if self.cpu > self.memory else MEMORY

    @property
    def share(self) -> float:
        """Returns the larger share."""
        return max(self.cpu, self.memory)

    def __str__(self) -> str:
        """Returns it as the real program prints it, with the shares of GPUs and devices."""
        shares = f"{_shortest(self.cpu)} {_shortest(self.memory)} 0 0"
        return f"{{{shares} {self.resource} {_shortest(self.share)}}}"


def _shortest(share: float) -> str:
    return str(int(share)) if share.is_integer() else repr(share)


def utilization(node: Node, pods: Iterable[Pod], ignore_daemon_sets: bool, now: Nanoseconds) -> Utilization:
    """Returns how much of a node is requested.

    With `ignore_daemon_sets` their pods count neither as requested nor as allocatable.
    """
    counted = [pod for pod in pods if not is_long_terminating(pod, now)]
    daemons = [pod for pod in counted if is_daemon_set_pod(pod)] if ignore_daemon_sets else []
    shares = []
    for resource in (CPU, MEMORY):
        ignored = sum(pod.requests.get(resource, 0) for pod in daemons)
        requested = sum(pod.requests.get(resource, 0) for pod in counted) - ignored
        allocatable = node.allocatable.get(resource, 0) - ignored
        shares.append(requested / allocatable if allocatable > 0 else 0.0)
    return Utilization(*shares)
