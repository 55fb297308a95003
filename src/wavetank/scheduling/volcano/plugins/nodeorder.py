from __future__ import annotations

from collections.abc import Iterator, Sequence

from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import CompiledScorePlugin, PreScorePlugin, ScorePlugin
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.task import Task
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin, Scores
from wavetank.scheduling.volcano.session.session import Session


class NodeOrder(Plugin):
    """Scores nodes as kube-scheduler does, each score with a weight of its own; those of weight 0 are left out."""

    name = "nodeorder"

    def __init__(self, arguments: Arguments, kube: KubePlugins) -> None:
        self._kube = kube
        parts: list[tuple[str, str, ScorePlugin]] = [
            ("NodeResourcesFit_LeastAllocated", "leastrequested", kube.least),
            ("NodeResourcesFit_MostAllocated", "mostrequested", kube.most),
            ("NodeResourcesBalancedAllocation", "balancedresource", kube.balanced),
            ("NodeAffinity", "nodeaffinity", kube.affinity),
            ("InterPodAffinity", "podaffinity", kube.pod_affinity),
            ("TaintToleration", "tainttoleration", kube.taints),
            ("PodTopologySpread", "podtopologyspread", kube.spread),
        ]
        defaults = kube.release.weights
        weighted = ((part, arguments.integer(f"{key}.weight", defaults[key]), each) for part, key, each in parts)
        self._parts = [(f"nodeorder/{part}", weight, each) for part, weight, each in weighted if weight]
        self._by_resources = tuple(
            (weight, each) for _, weight, each in self._parts if isinstance(each, CompiledScorePlugin)
        )
        self._by_others = [part for part in self._parts if not isinstance(part[2], CompiledScorePlugin)]
        self._images = arguments.integer("imagelocality.weight", defaults["imagelocality"])

    def open(self, session: Session) -> Hooks:
        """Takes part in scoring."""
        self._session = session
        images = self._images and (session.observer is not None or not session.table.images.is_empty)
        return Hooks(
            node_scores=self._score_images if images else None,
            batch_scores=self._total if session.observer is None else self._score,
        )

    def _score_images(self, task: Task, slots: IntArray) -> Scores:
        cycle = self._kube.cycle(self._session.table, task.pod)
        return {"nodeorder/ImageLocality": self._kube.images.score(cycle, slots) * self._images}

    def _score(self, task: Task, slots: IntArray) -> Scores:
        """Returns every score by itself."""
        cycle = self._kube.cycle(self._session.table, task.pod)
        return dict(self._rated(self._parts, cycle, slots))

    def _total(self, task: Task, slots: IntArray) -> Scores:
        """Returns the sum alone, if there is no observer of its parts."""
        cycle = self._kube.cycle(self._session.table, task.pod)
        total: NumberArray = self._kube.remembered.total(self._by_resources, cycle, slots)
        for _, scores in self._rated(self._by_others, cycle, slots):
            total = total + scores
        return {self.name: total}

    def _rated(
        self, parts: Sequence[tuple[str, int, ScorePlugin]], cycle: Cycle, slots: IntArray
    ) -> Iterator[tuple[str, NumberArray]]:
        """Yields the weighted scores of the parts that have a say."""
        for part, weight, plugin in parts:
            if plugin.passes_now(cycle) or (isinstance(plugin, PreScorePlugin) and not plugin.pre_score(cycle, slots)):
                continue
            yield part, plugin.normalize(plugin.score(cycle, slots)) * weight
