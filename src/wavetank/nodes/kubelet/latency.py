from __future__ import annotations

from dataclasses import dataclass

from wavetank.kernel.distributions import INSTANT, Distribution

MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class NodeLatency:
    """How long a node takes for the steps of a pod's lifecycle; times in seconds.

    `sync`: from the binding until the kubelet starts with the pod. `pull_check`: asking the registry for an image that
    is present (imagePullPolicy Always). A missing image takes `pull_check` and its bytes at `bandwidth` (bytes per
    second; None: no time); an image of unknown size counts `image_bytes`. Pulls on one node are serial, as kubelets do
    by default. `start`: creating and starting the containers. `finish`: from their end until the kubelet has reported
    it.
    """

    sync: Distribution = INSTANT
    pull_check: Distribution = INSTANT
    start: Distribution = INSTANT
    finish: Distribution = INSTANT
    bandwidth: float | None = None
    image_bytes: int = 100 * MIB

    @property
    def pulls_at_once(self) -> bool:
        """Tells whether pulling images takes no time."""
        return self.bandwidth is None and self.pull_check == INSTANT
