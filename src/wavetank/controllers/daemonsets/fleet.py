from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.daemonsets.place import Judge, Place
from wavetank.controllers.daemonsets.terms import HASH, Terms, target_node
from wavetank.kernel.durations import Nanoseconds


class Fleet:
    """All places of one DaemonSet. What has changed is judged anew when somebody asks, the rest is remembered.

    `changed` is called whenever there is something to judge.
    """

    def __init__(self, changed: Callable[[], None]) -> None:
        self._changed = changed
        self._places: defaultdict[str, Place] = defaultdict(Place)  # by node
        self._targets: dict[str, str] = {}  # by uid of a pod: the node that it is for
        self._unjudged: dict[str, None] = {}  # an ordered set of nodes
        self._maturing: dict[str, Nanoseconds] = {}
        self.relabelled = False  # some pod since somebody last looked
        self.counts: Counter[str] = Counter()
        self.marked: defaultdict[str, dict[str, Place]] = defaultdict(dict)  # by what is to be done: nodes

    def judge(self, judge: Judge, now: Nanoseconds) -> None:
        """Judges the places where something has happened, or where a pod has become available meanwhile."""
        self._unjudged |= {name: None for name, due in self._maturing.items() if due <= now}
        while self._unjudged:
            names, self._unjudged = self._unjudged, {}
            for name in names:
                self._judge(name, judge)

    def _judge(self, name: str, judge: Judge) -> None:
        place = self._places[name]
        before = place.marks
        judge.judge(place)
        for mark in before - place.marks:
            self.counts[mark] -= 1
            del self.marked[mark][name]
        for mark in place.marks - before:
            self.counts[mark] += 1
            self.marked[mark][name] = place
        if place.matures is not None:
            self._maturing[name] = place.matures
        else:
            self._maturing.pop(name, None)
        if not place.pods and not place.exists and not place.marks:
            del self._places[name]

    @property
    def matures(self) -> Nanoseconds | None:
        """Returns when the next pod will be available that is only ready."""
        return min(self._maturing.values(), default=None)

    def renew(self, terms: Terms, nodes: Mapping[str, Node]) -> None:
        """Lets new terms go for all places."""
        for name in {**nodes, **self._places}:
            self.set_node(name, nodes.get(name), terms)

    def set_node(self, name: str, node: Node | None, terms: Terms) -> None:
        """Takes in a node, its new version, or that it is gone."""
        place = self._places[name]
        place.exists = node is not None
        place.run, place.stay = terms.verdict(node) if node is not None else (False, False)
        self._unjudged[name] = None
        if _matters(place, terms):
            self._changed()

    def _touch(self, name: str) -> None:
        self._unjudged[name] = None
        self._changed()

    # what the index of pods tells

    def added(self, new: Pod) -> None:
        """Takes in a pod."""
        target = target_node(new.manifest, new.node_name)
        self._targets[new.uid] = target
        if target:
            self._places[target].pods[new.uid] = new
            self._touch(target)

    def modified(self, old: Pod, new: Pod) -> None:
        """Takes in a new version of a pod."""
        self.relabelled |= new.labels is not old.labels and new.labels != old.labels
        if not old.node_name and new.node_name and self._targets.get(new.uid) != new.node_name:
            self.deleted(old)
            self.added(new)
            return
        target = self._targets.get(new.uid, "")
        if target:
            self._places[target].pods[new.uid] = new
            self._touch(target)

    def deleted(self, old: Pod) -> None:
        """Forgets a pod."""
        target = self._targets.pop(old.uid, "")
        if target:
            self._places[target].pods.pop(old.uid, None)
            self._touch(target)

    @property
    def hashes(self) -> set[str]:
        """Returns the hashes of the templates that pods have."""
        return {pod.labels.get(HASH, "") for place in self._places.values() for pod in place.pods.values()}


def _matters(place: Place, terms: Terms) -> bool:
    """Tells whether the controller looks up for what has become of a node: not for a mere change of its counts."""
    if not place.pods:
        return place.run
    status = terms.owner.manifest.get("status") or {}
    return not place.stay or bool(status.get("numberMisscheduled"))
