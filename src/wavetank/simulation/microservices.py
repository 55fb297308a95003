from __future__ import annotations

from wavetank.cluster.context import ActorContext
from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.cluster.services import ClusterServices, ServicesSetting
from wavetank.simulation.observer import Observer


class ServiceObserver(Observer):
    """Lets requests run on the pods of a run."""

    def __init__(self, setting: ServicesSetting) -> None:
        self.services = ClusterServices(setting)

    def join(self, context: ActorContext) -> None:
        """Watches pods and nodes."""
        self.services.join(context)

    def ended(self, time: Nanoseconds) -> None:
        """Simulates the requests up to the end."""
        self.services.ended(time)
