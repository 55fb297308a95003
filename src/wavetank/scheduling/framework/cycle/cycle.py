from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.scheduling.framework.cycle.extenderfilter import ExtenderFilter, add_priorities, pass_extenders
from wavetank.scheduling.framework.cycle.fastpath import (
    fast_path_plugins,
    fast_search,
    fits_pinned,
    only_fast_filter_decides,
    rate,
    refused_beside_nominated,
)
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.cycle.kernels import highest
from wavetank.scheduling.framework.cycle.whatifnode import WhatIfNode
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray, ring
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import (
    BEST,
    SLOTS,
    TOTALS,
    PluginError,
    PreFilterPlugin,
    PreFilterResult,
    Reason,
)
from wavetank.scheduling.framework.selection import Ties, select_host

_NOWHERE: IntArray = np.zeros(0, np.int64)


@dataclass(slots=True)
class Preemption:
    """The result of a preemption: the victims on every node where it would help, and the nominated node.

    `potential` are the slots that were tried, `equally_good` the nodes from which the nominated one was drawn,
    `evicted_on` the pods that would be evicted on each node: extenders may have chosen others than the dry run.
    """

    potential: IntArray
    victims_on: Mapping[str, tuple[Pod, ...]]
    evicted_on: Mapping[str, tuple[Pod, ...]] = field(default_factory=dict)
    nominated: str = ""
    equally_good: frozenset[str] = frozenset()

    @property
    def victims(self) -> tuple[Pod, ...]:
        """Returns the pods to evict from the nominated node."""
        return self.evicted_on.get(self.nominated, ())


class Outcome:
    """The result of an attempt, with its tables: explanations keep them, the fast path has none.

    `nodes` are the slots that were looked at, in order; `refused_by` has for each of them 0, or 1 + the index of the
    filter (Framework.rejecting_filters) that rejected it, and `codes` that filter's code. `scores` are normalized and
    weighted, aligned with `feasible`; so are `extender_scores`, and `listed`: which nodes an extender scored at all.
    `rejectors` are the plugins that rejected the pod; an attempt that failed without any is an error.
    """

    nodes: IntArray = _NOWHERE
    refused_by: IntArray = _NOWHERE
    codes: IntArray = _NOWHERE
    feasible: IntArray = _NOWHERE
    scores: Mapping[str, NumberArray] = MappingProxyType({})
    extender_scores: Mapping[str, IntArray] = MappingProxyType({})
    listed: BoolArray | None = None
    totals: NumberArray = _NOWHERE
    without_pods = False  # nodes are scored as if they were empty, because an extender returned them so
    pre_filter: Reason | None = None
    elsewhere: Reason | None = None  # why the nodes outside the PreFilter's node set were not looked at
    narrowed_by: frozenset[str] = frozenset()  # the plugins whose PreFilter named that node set
    hint = ""  # the node that a pod like this one would have taken next
    preemption: Preemption | None = None  # if one was tried
    writes: Sequence[Callable[[Store], None]] = ()  # what plugins want done after a failure
    holds_for_all = False  # every pod of this kind fails in the same way as long as nothing changes
    keeps_nomination = True  # no plugin has found that the pod's nomination, if any, is useless

    def __init__(self, node_name: str = "", message: str = "", rejectors: frozenset[str] = frozenset()) -> None:
        self.node_name = node_name
        self.message = message
        self.rejectors = rejectors

    def answers(self) -> Iterator[tuple[int, int, IntArray]]:
        """Yields each distinct rejection as in `refused_by` and `codes`, with its positions in `nodes`."""
        for index in np.flatnonzero(np.bincount(self.refused_by)).tolist():
            places = np.flatnonzero(self.refused_by == index)
            codes = self.codes[places]
            for code in sorted(set(codes.tolist())) if index else ():
                yield index, code, places[codes == code]


class Rotation:
    """Where the next search begins; advances by the nodes that each search looked at, so that all get their turn."""

    def __init__(self) -> None:
        self.start = 0


class Cycle:
    """One attempt at one pod. Plugins keep what they computed for it in `state`, under their own names."""

    __slots__ = ("framework", "plan", "pod", "skipped", "state", "table")

    def __init__(self, framework: Framework, table: NodeTable, pod: Pod) -> None:
        self.framework = framework
        self.table = table
        self.pod = pod
        self.plan = framework.plan_for(pod.spec)
        self.state: dict[str, Any] = {}
        self.skipped: set[str] = set()  # filters whose PreFilter skipped this pod

    def decide(self, rotation: Rotation, ties: Ties) -> Outcome:
        """Returns the same node as `run`, by the fast path if it is possible and finds one: then without tables."""
        participants = fast_path_plugins(self)
        plan, nodes = self.plan, len(self.plan.order)
        if participants is None:
            if not fits_pinned(self):
                return self.run(rotation, ties)
            rotation.start = (rotation.start + 1) % nodes
            return Outcome(self.name_of(plan.pinned))
        start = rotation.start % nodes  # there may be fewer nodes than in the last cycle
        looked_at, number, best = fast_search(self, participants, start)
        if not number:
            return self.run(rotation, ties)
        assert plan.fast_filter is not None
        rotation.start = (rotation.start + looked_at) % nodes
        found, chosen = plan.fast_filter.found, 0
        if number > 1:
            tied = found[BEST, :best]
            if participants or plan.uneven:
                tied = highest(rate(self, participants, found[SLOTS, :number], found[TOTALS, :number]))
            chosen = tied[ties.choose(tied)]
        return Outcome(self.name_of(found[SLOTS, chosen]))

    def run(self, rotation: Rotation, ties: Ties) -> Outcome:
        """Finds a node for the pod, or returns why there is none."""
        self.table.begin_cycle()
        if not len(self.table.order):
            return Outcome(message="no nodes available to schedule pods")
        outcome = Outcome()
        try:
            self._find_feasible(outcome, rotation)
        except PluginError as error:
            return Outcome(message=str(error))
        if not len(outcome.feasible):
            self._fail(outcome)
            return outcome
        chosen = 0
        if len(outcome.feasible) > 1:
            self._score(outcome)
            chosen = self._choose(outcome, ties)
        outcome.node_name = self.name_of(outcome.feasible[chosen])
        if self.framework.batch is not None:
            names = [self.name_of(slot) for slot in outcome.feasible]
            self.framework.batch.keep(outcome.hint, outcome.node_name, names, outcome.totals.tolist())
        return outcome

    def name_of(self, slot: int) -> str:
        """Returns the name of the node in a slot."""
        node = self.table.nodes[slot]
        assert node is not None
        return node.name

    # filtering

    def _find_feasible(self, outcome: Outcome, rotation: Rotation) -> None:
        names, blamed = self.pre_filter(outcome)
        if outcome.pre_filter is not None:
            return
        if self.framework.batch is not None:
            outcome.hint = self.framework.batch.hint(self.pod, self._is_refused_on)
        if self._nominated_fits(outcome):
            return
        candidates = self.table.order
        total = len(candidates)
        if names is not None:
            candidates = self._among(candidates, names)
            outcome.rejectors = outcome.narrowed_by = frozenset(blamed)
            outcome.elsewhere = Reason(f"node(s) didn't satisfy plugin(s) [{' '.join(sorted(blamed))}]", False)
        self._search(outcome, candidates, rotation.start)
        rotation.start = (rotation.start + len(outcome.nodes)) % total
        if self.framework.extenders:
            found = len(outcome.feasible)
            pass_extenders(self, outcome)
            if len(outcome.feasible) != found:
                outcome.rejectors |= {ExtenderFilter.name}

    def pre_filter(self, outcome: Outcome) -> tuple[frozenset[str] | None, set[str]]:
        """Runs the PreFilter plugins; returns the nodes to which they narrow the search, if any, and which of them."""
        names: frozenset[str] | None = None
        blamed: set[str] = set()
        self.skipped.update(self.plan.skipped)
        for plugin in self.plan.pre_filter:
            result: PreFilterResult = plugin.pre_filter(self)
            if result.rejected is not None:
                outcome.pre_filter = result.rejected
                outcome.rejectors = frozenset({plugin.name})
                break
            if result.skip:
                self.skipped.add(plugin.name)
            if result.node_names is not None:
                names = result.node_names if names is None else names & result.node_names
                blamed.add(plugin.name)
        return names, blamed

    def _nominated_fits(self, outcome: Outcome) -> bool:
        """Tries the nominated node first, or else the next one of the ranking for an equal pod."""
        nominated = self.pod.nominated_node if self.framework.prefers_nominated else ""
        slot = self.table.slots.get(nominated or outcome.hint, -1)
        if slot < 0 or self.table.nodes[slot] is None or self.refusal(slot) is not None:
            return False
        outcome.nodes = outcome.feasible = np.array([slot])
        outcome.refused_by, outcome.codes = np.zeros((2, 1), np.int64)
        return not self.framework.extenders or self._extenders_agree(outcome)

    def _is_refused_on(self, node_name: str) -> bool:
        slot = self.table.slots.get(node_name, -1)
        return slot >= 0 and self.table.nodes[slot] is not None and self._refusal_now(slot) is not None

    def _extenders_agree(self, outcome: Outcome) -> bool:
        try:
            pass_extenders(self, outcome)
        except PluginError:
            return False  # all nodes will be tried
        return len(outcome.feasible) > 0

    def _among(self, candidates: IntArray, names: frozenset[str]) -> IntArray:
        wanted = [self.table.slots[name] for name in names if name in self.table.slots]
        return candidates[candidates == wanted[0] if len(wanted) == 1 else np.isin(candidates, wanted)]

    def _search(self, outcome: Outcome, candidates: IntArray, start: int) -> None:
        """Filters the candidates in turn until enough are feasible, at first as many as are likely to be enough."""
        total = len(candidates)
        start = start % total if total else 0
        enough = self.framework.nodes_to_find(total)
        first = enough + enough // 4 + 8
        if first < total:
            self.filter(outcome, ring(candidates, start, first))
            if len(outcome.feasible) <= enough:
                self.filter(outcome, ring(candidates, start, total))
        else:
            self.filter(outcome, ring(candidates, start, total))
        if len(outcome.feasible) > enough:
            # the search ends at the first feasible node too many; those rejected before it count as looked at
            end = np.flatnonzero(outcome.refused_by == 0)[enough]
            outcome.nodes, outcome.feasible = outcome.nodes[:end], outcome.feasible[:enough]
            outcome.refused_by, outcome.codes = outcome.refused_by[:end], outcome.codes[:end]

    def filter(self, outcome: Outcome, nodes: IntArray) -> None:
        """Runs the filters on these nodes, after `pre_filter`."""
        refused_by = np.zeros(len(nodes), np.int64)
        codes = np.zeros(len(nodes), np.int64)
        alive: IntArray | None = None  # positions of the nodes that passed so far; None: all
        for i, plugin in self.plan.filter:
            if plugin.name in self.skipped:
                continue
            found = plugin.filter(self, nodes if alive is None else nodes[alive])
            (refused,) = found.nonzero()
            if len(refused):
                places = refused if alive is None else alive[refused]
                refused_by[places], codes[places] = i + 1, found[refused]
                (alive,) = (refused_by == 0).nonzero()
        if self.table.nominator.nodes():
            self._filter_nominated(nodes, refused_by, codes)
            alive = np.flatnonzero(refused_by == 0)
        outcome.nodes, outcome.refused_by, outcome.codes = nodes, refused_by, codes
        outcome.feasible = nodes if alive is None else nodes[alive]

    def _filter_nominated(self, nodes: IntArray, refused_by: IntArray, codes: IntArray) -> None:
        """Filters nodes again that pods of higher priority are nominated to, as if these pods were on them."""
        if only_fast_filter_decides(self):
            self._fast_filter_nominated(nodes, refused_by, codes)
            return
        for name in self.table.nominator.nodes():
            slot = self.table.slots.get(name, -1)
            place = np.flatnonzero(nodes == slot)
            if len(place) and self.nominated_to(name):
                refused_by[place], codes[place] = self.refusal(slot) or (0, 0)

    def _fast_filter_nominated(self, nodes: IntArray, refused_by: IntArray, codes: IntArray) -> None:
        """Does so if only the answer of the fast filter can change, from passing to rejecting."""
        places, found = refused_beside_nominated(self, nodes)
        index = 1 + next(i for i, plugin in self.plan.filter if plugin is self.plan.fast_filter)
        first = (refused_by[places] == 0) | (refused_by[places] >= index)
        refused_by[places[first]], codes[places[first]] = index, found[first]

    def refusal(self, slot: int) -> tuple[int, int] | None:
        """Returns (1 + index of the filter, code) that refuses one node, with and without pods nominated to it."""
        node = self.table.nodes[slot]
        assert node is not None
        nominated = self.nominated_to(node.name)
        if nominated:
            with WhatIfNode(self.table, slot) as whatif:
                for pod in nominated:
                    whatif.add(pod)
                found = self._refusal_now(slot)
            if found is not None:
                return found
        return self._refusal_now(slot)

    def nominated_to(self, node_name: str) -> list[Pod]:
        """Returns the pods nominated to a node whose requests the pod must leave free."""
        nominated = self.table.nominator.on(node_name)
        return [pod for pod in nominated if pod.priority >= self.pod.priority and pod.uid != self.pod.uid]

    def _refusal_now(self, slot: int) -> tuple[int, int] | None:
        """Runs the filters on one node in its present state, each after its PreFilter."""
        trial = Cycle(self.framework, self.table, self.pod)
        node = np.array([slot])
        for i, plugin in self.plan.filter:
            if plugin.name in self.skipped or (isinstance(plugin, PreFilterPlugin) and plugin.pre_filter(trial).skip):
                continue
            code = int(plugin.filter(trial, node)[0])
            if code:
                return i + 1, code
        return None

    # failure

    def _fail(self, outcome: Outcome) -> None:
        if outcome.pre_filter is None:
            blamed = {self.framework.rejecting_filters[i - 1].name for i in np.unique(outcome.refused_by) if i}
            outcome.rejectors |= blamed
        added = ", ".join(self._post_filter(outcome))
        reasons = self._summary(outcome)
        parts = (f"0/{len(self.table.order)} nodes are available:", f"{reasons}." if reasons else "", added)
        outcome.message = " ".join(part for part in parts if part)

    def _post_filter(self, outcome: Outcome) -> list[str]:
        """Returns what the PostFilter plugins add to the message."""
        added: list[str] = []
        for plugin in self.framework.post_filter:
            try:
                more = plugin.post_filter(self, outcome)
            except PluginError as error:
                return [str(error)]
            if more is None:
                return []
            added.append(more)
        return added

    def _summary(self, outcome: Outcome) -> str:
        if outcome.pre_filter is not None:
            return outcome.pre_filter.text
        counts: Counter[str] = Counter()
        for reasons, count in self.refusals(outcome):
            counts.update({reason.text: count for reason in reasons})
        if outcome.elsewhere is not None:
            counts[outcome.elsewhere.text] += len(self.table.order) - int(np.count_nonzero(outcome.refused_by))
        return ", ".join(sorted(f"{count} {text}" for text, count in counts.items() if count))

    def refusals(self, outcome: Outcome) -> Iterator[tuple[tuple[Reason, ...], int]]:
        """Yields each distinct answer of a filter with the number of nodes that got it."""
        for index, code, places in outcome.answers():
            yield self.framework.rejecting_filters[index - 1].reasons(self, code), len(places)

    # scoring

    def _score(self, outcome: Outcome) -> None:
        nodes = outcome.feasible
        seen = self._among_empty_nodes() if outcome.without_pods else self
        idle = {plugin.name for plugin in self.plan.pre_score if not plugin.pre_score(seen, nodes)}
        totals: NumberArray = np.zeros(len(nodes), np.int64)
        scores: dict[str, NumberArray] = {}
        for plugin in self.plan.score:
            if plugin.name not in idle:
                weighted = plugin.normalize(plugin.score(seen, nodes)) * self.framework.weights[plugin.name]
                scores[plugin.name] = weighted
                totals = totals + weighted
        outcome.totals, outcome.scores = totals, scores
        if self.framework.extenders:
            add_priorities(self, outcome)

    def _among_empty_nodes(self) -> Cycle:
        """Returns this cycle as scoring sees it if an extender has returned the nodes without their pods."""
        seen = Cycle(self.framework, self.table.without_pods(), self.pod)
        seen.state = self.state
        return seen

    def _choose(self, outcome: Outcome, ties: Ties) -> int:
        """Returns the position of the chosen node: one of the best that an extender has listed, if there are any."""
        if outcome.listed is not None:
            best = np.flatnonzero((outcome.totals == outcome.totals.max()) & outcome.listed)
            if len(best):
                return int(best[self.framework.extenders.ties.choose(best)])
        return select_host(outcome.totals, ties)
