from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from wavetank.cluster.imagenames import with_tag
from wavetank.cluster.node import Node
from wavetank.kernel.durations import Nanoseconds, seconds
from wavetank.nodes.latency import NodeLatency

_EVER: Nanoseconds = -(2**63)  # before any time: a clock may begin before 0


class ImageSizes:
    """What is known of images' sizes in bytes, from any node that lists them."""

    def __init__(self) -> None:
        self._sizes: dict[str, int] = {}

    def learn(self, node: Node) -> None:
        """Takes over the images that a node lists."""
        for image, size in node.images.items():
            self._sizes[with_tag(image)] = size

    def of(self, image: str, unknown: int) -> int:
        """Returns an image's size, or `unknown`."""
        return self._sizes.get(image, unknown)


class ImageCache:
    """The images of one node; pulls wait for one another."""

    __slots__ = ("_at_once", "_free_at", "_here_from", "_latency", "_random", "_sizes")

    def __init__(self, node: Node, sizes: ImageSizes, latency: NodeLatency, random: random.Random) -> None:
        self._here_from: dict[str, Nanoseconds] = {with_tag(image): _EVER for image in node.images}
        self._sizes = sizes
        self._latency = latency
        self._random = random
        self._at_once = latency.pulls_at_once
        self._free_at: Nanoseconds = _EVER

    def pull(self, spec: Mapping[str, Any], now: Nanoseconds) -> Nanoseconds:
        """Pulls what a pod needs, beginning at `now`; returns when all of it is there."""
        if self._at_once:
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
        takes = self._latency.pull_check.sample(self._random)
        if here is None and self._latency.bandwidth is not None:
            takes += self._sizes.of(image, self._latency.image_bytes) / self._latency.bandwidth
        self._free_at = max(now, self._free_at) + seconds(takes)
        self._here_from.setdefault(image, self._free_at)
        return self._free_at
