from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.fields.imagenames import with_tag
from wavetank.cluster.objects.node import Node
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.nodes.kubelet.latency import NodeLatency

_EVER: Nanoseconds = -(2**63)  # before any time: a clock may start below 0


class Registry:
    """The registry of all images; their sizes are those that nodes list."""

    def __init__(self, latency: NodeLatency, random: random.Random) -> None:
        self.answers_at_once = latency.pulls_at_once
        self._latency = latency
        self._random = random
        self._sizes: dict[str, int] = {}

    def learn(self, node: Node) -> None:
        """Adds the images that a node lists."""
        for image, size in node.images.items():
            self._sizes[with_tag(image)] = size

    def pull_time(self, image: str, is_missing: bool) -> float:
        """Draws how long a pull takes, in seconds; only `pull_check` if the image is present."""
        latency = self._latency
        takes = latency.pull_check.sample(self._random)
        if is_missing and latency.bandwidth is not None:
            takes += self._sizes.get(image, latency.image_bytes) / latency.bandwidth
        return takes


class ImageCache:
    """The images of one node; pulls are serial."""

    __slots__ = ("_free_at", "_here_from", "_registry")

    def __init__(self, node: Node, registry: Registry) -> None:
        self._here_from: dict[str, Nanoseconds] = {with_tag(image): _EVER for image in node.images}
        self._registry = registry
        self._free_at: Nanoseconds = _EVER

    def pull(self, spec: Mapping[str, Any], now: Nanoseconds) -> Nanoseconds:
        """Pulls the images of a pod, starting at `now`; returns when all are present."""
        if self._registry.answers_at_once:
            return now
        for field in ("initContainers", "containers"):
            for container in spec.get(field) or ():
                now = self._pull_one(container, now)
        return now

    def _pull_one(self, container: Mapping[str, Any], now: Nanoseconds) -> Nanoseconds:
        image = with_tag(str(container.get("image") or ""))
        policy = container.get("imagePullPolicy") or ("Always" if image.endswith(":latest") else "IfNotPresent")
        here = self._here_from.get(image)
        if policy == "Never" or (policy == "IfNotPresent" and here is not None and here <= now):
            return now
        self._free_at = max(now, self._free_at) + seconds(self._registry.pull_time(image, is_missing=here is None))
        self._here_from.setdefault(image, self._free_at)
        return self._free_at
