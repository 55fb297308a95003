from __future__ import annotations

from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.plugin import PreScorePlugin, ScorePlugin
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
        defaults = kube.vintage.weights
        weighted = ((part, arguments.integer(f"{key}.weight", defaults[key]), each) for part, key, each in parts)
        self._parts = [(f"nodeorder/{part}", weight, each) for part, weight, each in weighted if weight]
        self._images = arguments.integer("imagelocality.weight", defaults["imagelocality"])

    def open(self, session: Session) -> Hooks:
        """Takes part in scoring."""
        self._session = session
        return Hooks(node_scores=self._score_images if self._images else None, batch_scores=self._score)

    def _score_images(self, task: Task, slots: IntArray) -> Scores:
        cycle = self._kube.cycle(self._session.table, task.pod)
        return {"nodeorder/ImageLocality": self._kube.images.score(cycle, slots) * self._images}

    def _score(self, task: Task, slots: IntArray) -> Scores:
        cycle = self._kube.cycle(self._session.table, task.pod)
        scores = {}
        for part, weight, plugin in self._parts:
            if plugin.has_no_say(cycle) or (isinstance(plugin, PreScorePlugin) and not plugin.pre_score(cycle, slots)):
                continue
            scores[part] = plugin.normalize(self._kube.remembered.score(plugin, cycle, slots)) * weight
        return scores
