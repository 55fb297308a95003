from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from wavetank.cluster.fields.resources import Amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.containers.restarts import CrashLoop
from wavetank.nodes.kubelet.admission import FreeResources
from wavetank.nodes.kubelet.images import ImageCache

if TYPE_CHECKING:
    from wavetank.nodes.kubelet.kubelets import Kubelets


class Machine:
    """One node as its kubelet sees it."""

    __slots__ = ("down", "free", "images", "node")

    def __init__(self, node: Node, images: ImageCache) -> None:
        self.node = node
        self.images = images
        self.free = FreeResources(node)
        self.down = False


class PodWorker:
    """One pod on its machine: its next step, and when its containers started.

    It is also the callback of its timer, which saves an object per pod.
    """

    __slots__ = (
        "crash_loop",
        "kubelets",
        "machine",
        "name",
        "namespace",
        "reserved",
        "started",
        "step",
        "timer",
        "uid",
    )

    def __init__(self, kubelets: Kubelets, machine: Machine, pod: Pod) -> None:
        self.kubelets = kubelets
        self.machine = machine
        self.uid = pod.uid
        self.namespace, self.name = pod.namespace, pod.name
        self.reserved: Amounts | None = None  # the resources that it has reserved, once it was admitted
        self.started: Nanoseconds | None = None
        self.timer: Timer | None = None
        self.step: Step  # to take when the timer is due
        self.crash_loop: CrashLoop | None = None

    def __call__(self) -> None:
        """Takes the planned step."""
        self.kubelets.take(self, self.step)

    def stop(self) -> None:
        """Cancels all further steps of the pod."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None


Step = Callable[[PodWorker, Pod], None]
