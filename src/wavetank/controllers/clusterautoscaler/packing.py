"""Places pods on nodes of the snapshot, as a scheduler might."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.framework.clustersnapshot import ClusterSnapshot
from wavetank.controllers.framework.pods import are_equivalent, controller_of, unbound

_MOST_KINDS = 10  # kinds of pods of one controller that are remembered


class HintingSimulator:
    """Places pods, each first on the node where it was placed the last time.

    `prefer` names a node that is tried even before that, if any. `keeps_hint` tells whether a node of this name will
    still be meant by it in the next loop.
    """

    def __init__(
        self,
        snapshot: ClusterSnapshot,
        prefer: Callable[[Pod], str],
        keeps_hint: Callable[[str], bool] = lambda node: True,
    ) -> None:
        self._snapshot = snapshot
        self._prefer = prefer
        self._keeps_hint = keeps_hint
        self._hints: dict[str, str] = {}
        self._old: dict[str, str] = {}

    def place(
        self,
        pods: Iterable[Pod],
        among: Collection[str] | None = None,
        all_or_nothing: bool = False,
    ) -> dict[str, str]:
        """Returns the nodes of the pods that could be placed, by uid; `all_or_nothing` stops at the first failure."""
        failed = _SimilarPods()
        placed: dict[str, str] = {}
        for pod in pods:
            node = self._by_hint(pod, among) or self._anywhere(pod, among, failed)
            if node:
                placed[pod.uid] = node
                self._snapshot.add_pod(unbound(pod), node)
                if self._keeps_hint(node):
                    self._hints[pod.uid] = node
            elif all_or_nothing:
                break
        return placed

    def recall(self, nodes: Mapping[str, str]) -> None:
        """Takes nodes, by the uid of pods, as those on which the pods were placed the last time."""
        for uid, node in nodes.items():
            self._old.setdefault(uid, node)

    def drop_old_hints(self) -> None:
        """Forgets pods that were not placed since the last call."""
        self._old, self._hints = self._hints, {}

    def _by_hint(self, pod: Pod, among: Collection[str] | None) -> str:
        node = self._prefer(pod) or self._hints.get(pod.uid) or self._old.get(pod.uid, "")
        if not node or self._snapshot.node(node) is None or (among is not None and node not in among):
            return ""
        return "" if self._snapshot.misfit(unbound(pod), node) is not None else node

    def _anywhere(self, pod: Pod, among: Collection[str] | None, failed: _SimilarPods) -> str:
        if failed.includes(pod):
            return ""
        node = self._snapshot.find_node(unbound(pod), among)
        if not node:
            failed.add(pod)
        return node


class _SimilarPods:
    """Pods that could not be placed; equal pods of the same controllers need not be tried."""

    def __init__(self) -> None:
        self._pods: dict[str, list[Pod]] = {}

    def includes(self, pod: Pod) -> bool:
        controller = controller_of(pod)
        known = self._pods.get(str(controller["uid"]), ()) if controller else ()
        return any(are_equivalent(pod, each) for each in known)

    def add(self, pod: Pod) -> None:
        controller = controller_of(pod)
        if controller is not None:
            known = self._pods.setdefault(str(controller["uid"]), [])
            if len(known) < _MOST_KINDS:
                known.append(pod)
