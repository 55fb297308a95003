from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from wavetank.cluster.fields.resources import PODS, format_amounts
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.explanation.advice.candidates import (
    demands,
    node_changes,
    tolerations,
    untolerated,
)
from wavetank.explanation.advice.evictions import single_victims, victims
from wavetank.explanation.advice.newnodes import node_types
from wavetank.explanation.advice.nodeedits import AddNode, Evict
from wavetank.explanation.advice.podedits import (
    DropNodeAffinity,
    LowerRequests,
    RelaxSpread,
    SetSchedulerName,
    Tolerate,
)
from wavetank.explanation.advice.refusednodes import RefusedNode, Shortage, refused_nodes
from wavetank.explanation.advice.requests import rounded, unit_of
from wavetank.explanation.advice.trials import Edit, Trials
from wavetank.results.attempts.explanation import Refusal

_MOST_NODES = 200  # nearest nodes of which changes are tried
_MOST_TOGETHER = 5  # nearest nodes for which several changes are tried together
_MOST_SKEW = 1000
_MOST_EVICTIONS = 3  # that are offered


@dataclass(frozen=True)
class Offer:
    """A change that lets the pod in, and the node that it would get; `edits` are several if no single one helps."""

    edits: Sequence[Edit]
    node: str

    @property
    def kind(self) -> str:
        """Returns a word for the change."""
        return self.edits[0].kind if len(self.edits) == 1 else "together"

    @property
    def text(self) -> str:
        """Returns what to do."""
        return ", and ".join(edit.text for edit in self.edits)

    @property
    def data(self) -> dict[str, Any]:
        """Returns everything for JSON."""
        edits = [{"kind": edit.kind, "text": edit.text, **edit.data} for edit in self.edits]
        return {"kind": self.kind, "text": self.text, "node": self.node, "edits": edits}


@dataclass(frozen=True)
class Advice:
    """What would help a pod: `nodes` are those that reject it, the nearest first, `tried` counts the trials."""

    pod: str
    nodes: Sequence[RefusedNode]
    offers: Sequence[Offer]
    tried: int

    @property
    def nearest(self) -> RefusedNode | None:
        """Returns the node that is nearest to taking the pod; None if the pod was rejected as a whole."""
        return self.nodes[0] if self.nodes else None

    @property
    def data(self) -> dict[str, Any]:
        """Returns everything for JSON."""
        nodes = [_node_data(node) for node in self.nodes]
        return {
            "nearest": nodes[0] if nodes else None,
            "offers": [offer.data for offer in self.offers],
            "tried": self.tried,
            "nodes": nodes,
        }


def advise(trials: Trials, known: Mapping[str, Refusal], scheduler_names: Sequence[str] = ()) -> Advice:
    """Looks for changes that let a pod in, one at a time; several together only if no single one does.

    `known` are the refusals of its last attempt by node. `scheduler_names` are those of the profiles, for a pod that
    none is responsible for. Every change that is offered was tried by a scheduling cycle.
    """
    return _Adviser(trials, known, scheduler_names).advice()


class _Adviser:
    def __init__(self, trials: Trials, known: Mapping[str, Refusal], scheduler_names: Sequence[str]) -> None:
        self._trials = trials
        self._pod = trials.pod
        self._scheduler_names = scheduler_names
        self._cycle = trials.cycle()
        self.nodes = [] if self._cycle is None else refused_nodes(self._cycle, known)
        self._near = self.nodes[:_MOST_NODES]

    def advice(self) -> Advice:
        offers = list(self._single())
        if not offers:
            offers = list(self._together())
        pod = f"{self._pod.namespace}/{self._pod.name}"
        return Advice(pod, self.nodes, offers, self._trials.made)

    def _single(self) -> Iterator[Offer]:
        yield from self._helping([SetSchedulerName(name)] for name in self._scheduler_names)
        yield from self._lower_requests()
        yield from self._helping([edit] for edit in tolerations(self._pod, map(self._node, self._near)))
        yield from self._relaxed(demands(self._pod))
        yield from self._node_changes()
        yield from self._new_nodes()
        yield from self._evictions()

    def _helping(self, changes: Iterable[Sequence[Edit]]) -> Iterator[Offer]:
        """Yields the changes that let the pod in."""
        for edits in changes:
            node = self._trials.node_with(edits)
            if node:
                yield Offer(edits, node)

    # the pod

    def _lower_requests(self) -> Iterator[Offer]:
        """Yields the smallest change of one request; of several, if none alone helps."""
        short = {each.resource: each for node in self.nodes for each in node.shortages if each.resource != PODS}
        offers = list(self._helping([edit] for name in short if (edit := self._lowered(name)) is not None))
        several = ([edit] for node in self._by_shortage() if (edit := _fitted(node.shortages)) is not None)
        yield from offers or islice(self._helping(several), 1)

    def _lowered(self, resource: str) -> Edit | None:
        before, unit = self._pod.requests[resource], unit_of(resource)

        def fits(steps: int) -> bool:
            return bool(self._trials.node_asking(resource, steps * unit))

        if before <= unit or not fits(1):
            return None
        after = _largest(1, -(-before // unit), fits) * unit
        return LowerRequests({resource: before}, {resource: after})

    def _by_shortage(self) -> list[RefusedNode]:
        several = [node for node in self._near if len(node.shortages) > 1]
        return sorted(several, key=lambda node: max(each.share for each in node.shortages))

    def _relaxed(self, edits: Iterable[Edit]) -> Iterator[Offer]:
        """Yields demands that can be dropped, and nothing that drops more than needed."""
        offers = list(self._helping([edit] for edit in edits))
        in_part = any(edit.data.get("requirement") for offer in offers for edit in offer.edits)
        for offer in offers:
            (edit,) = offer.edits
            if isinstance(edit, RelaxSpread):
                yield self._less_skew(edit) or offer
            elif not (isinstance(edit, DropNodeAffinity) and edit.requirement is None and in_part):
                yield offer

    def _less_skew(self, edit: RelaxSpread) -> Offer | None:
        given = int(edit.constraint.get("maxSkew") or 1)

        def fails(skew: int) -> bool:
            return not self._trials.node_with([replace(edit, max_skew=skew)])

        if fails(_MOST_SKEW):
            return None
        least = _largest(given, _MOST_SKEW, fails) + 1
        return next(self._helping([[replace(edit, max_skew=least)]]), None)

    # the cluster

    def _node_changes(self) -> Iterator[Offer]:
        """Yields changes of single nodes: of each kind, and for each set of taints, only that of the nearest node."""
        seen: set[tuple[object, ...]] = set()
        for node in self._near:
            for edit in node_changes(self._pod, self._node(node)):
                key = (edit.kind, untolerated(self._pod, self._node(node)))
                if key not in seen:
                    found = list(self._helping([[edit]]))
                    seen |= {key} if found else set()
                    yield from found

    def _new_nodes(self) -> Iterator[Offer]:
        for zones in node_types(self._trials.table):
            helping = {zone: offer for zone, edit in zones.items() for offer in self._helping([[edit]])}
            if helping:
                offer = next(iter(helping.values()))
                (edit,) = offer.edits
                assert isinstance(edit, AddNode)
                some = tuple(helping) if len(helping) < len(zones) else ()
                yield Offer([replace(edit, zones=some)], offer.node)

    def _evictions(self) -> Iterator[Offer]:
        if self._cycle is None or not self.nodes:
            return
        found = list(islice(self._evicting(victims(self._cycle, self.nodes, self._trials.budgets)), _MOST_EVICTIONS))
        yield from found or islice(self._evicting(single_victims(self._cycle, self._trials.budgets)), 1)

    def _evicting(self, chosen: Iterable[tuple[Pod, ...]]) -> Iterator[Offer]:
        return self._helping([Evict(pods)] for pods in chosen if self._is_present(pods))

    def _is_present(self, pods: Iterable[Pod]) -> bool:
        table = self._trials.table
        return all(table.nodes[table.placements[pod.uid][1]] is not None for pod in pods)

    # several changes

    def _together(self) -> Iterator[Offer]:
        """Yields the changes that together let the pod in on a node, as few as possible; of the nearest such node."""
        nearest: list[RefusedNode | None] = [*self._near[:_MOST_TOGETHER]]
        for node in nearest or [None]:
            edits = [*demands(self._pod), *self._of_node(node)]
            if self._trials.node_with(edits):
                for edit in list(edits):
                    rest = [each for each in edits if each is not edit]
                    edits = rest if rest and self._trials.node_with(rest) else edits
                yield from self._helping([edits])
                return

    def _of_node(self, refused: RefusedNode | None) -> Iterator[Edit]:
        yield from (SetSchedulerName(name) for name in self._scheduler_names[:1])
        if refused is None:
            return
        node = self._node(refused)
        yield from (edit for edit in node_changes(self._pod, node) if edit.kind != "taint")
        taints = untolerated(self._pod, node)
        if taints:
            yield Tolerate(taints)
        fitted = _fitted(refused.shortages)
        if fitted is not None:
            yield fitted

    def _node(self, refused: RefusedNode) -> Node:
        node = self._trials.table.nodes[self._trials.table.slots[refused.name]]
        assert node is not None
        return node


def _fitted(shortages: Sequence[Shortage]) -> Edit | None:
    """Returns requests that fit into what is free; None if nothing is short, or nothing is free."""
    after = {each.resource: rounded(each.resource, each.free) for each in shortages}
    if not shortages or PODS in after or min(after.values()) <= 0:
        return None
    return LowerRequests({each.resource: each.requested for each in shortages}, after)


def _largest(holds: int, fails: int, test: Callable[[int], bool]) -> int:
    """Returns the largest number that passes a test, between one that does and one that does not."""
    while fails - holds > 1:
        middle = (holds + fails) // 2
        holds, fails = (middle, fails) if test(middle) else (holds, middle)
    return holds


def _node_data(node: RefusedNode) -> dict[str, Any]:
    short = [
        {
            "resource": each.resource,
            "requested": format_amounts({each.resource: each.requested})[each.resource],
            "free": format_amounts({each.resource: each.free})[each.resource],
            "allocatable": format_amounts({each.resource: each.allocatable})[each.resource],
            "missing": format_amounts({each.resource: each.missing})[each.resource],
        }
        for each in node.shortages
    ]
    refusals = [{"plugin": refusal.plugin, "reasons": list(refusal.reasons)} for refusal in node.refusals]
    return {"node": node.name, "refusals": refusals, "short": short}
