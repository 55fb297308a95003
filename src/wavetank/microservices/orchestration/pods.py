from __future__ import annotations

from dataclasses import dataclass, field

from wavetank.kernel.durations import Nanoseconds
from wavetank.microservices.engine.instance import Instance
from wavetank.microservices.orchestration.config import Deployment, Scaler


@dataclass(eq=False, slots=True)
class Pod:
    """A pod of a deployment; `node` is empty while it is pending."""

    deployment: Deployment
    name: str
    instance: Instance | None = None
    node: str = ""
    state: str = "pending"
    back_off: float = 0.0  # seconds before the last restart of its container
    retried: Nanoseconds | None = None  # when that was


@dataclass(slots=True)
class DeploymentState:
    """The pods of a deployment that run or are pending, and how many there should be."""

    spec: Deployment
    desired: int
    scaler: Scaler | None = None
    pods: list[Pod] = field(default_factory=list)
    last_scaled: int = 0
    made: int = 0

    def running(self) -> list[Pod]:
        """Returns the pods that run."""
        return [pod for pod in self.pods if pod.state == "running"]

    def new_pod(self) -> Pod:
        """Adds a pending pod."""
        self.made += 1
        pod = Pod(self.spec, f"Pod-{self.spec.name}#{self.made}")
        self.pods.append(pod)
        return pod
