from __future__ import annotations

from typing import Any

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.static import StaticScore


class EqualPriority(StaticScore):
    """Prefers no node: each gets 1, and so any that passes the filters may be taken."""

    name = "EqualPriority"

    def score_facet(self, spec: PodSpec) -> tuple[()]:
        """Reads nothing."""
        return ()

    def rate(self, facet: Any, node: Node) -> int:
        """Gives 1 to every node."""
        return 1
