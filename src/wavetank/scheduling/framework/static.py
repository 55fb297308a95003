"""Plugins whose answer depends on the pod's spec and the node object alone."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.boundedcache import BoundedCache
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.nodes.nodetable import NodeTable
from wavetank.scheduling.framework.plugin import PASSED, FilterPlugin, Reason, ScorePlugin

MAX_FACETS = 1024  # per plugin; a facet costs eight bytes a node
_NONE: IntArray = np.zeros(0, np.int64)


class FacetCache:
    """Caches one answer per (facet, node) until that node changes; the least recently used facet is dropped first."""

    def __init__(self, evaluate: Callable[[Any, Node], int]) -> None:
        self._evaluate = evaluate
        self._answers: BoundedCache[Hashable, tuple[IntArray, int]] = BoundedCache(MAX_FACETS)

    def answers(self, facet: Hashable, table: NodeTable, is_large: bool = False) -> IntArray:
        """Returns the answers for a facet, one per slot; `is_large` tells whether it is that of a very large pod."""
        known = self._answers.get(facet)
        if known is not None and known[1] == len(table.node_changes) and len(self._answers) < MAX_FACETS:
            return known[0]  # which was used last matters only once one has to be dropped
        answers, seen = self._answers.pop(facet, (_NONE, 0))
        if seen < len(table.node_changes):
            answers = self._catch_up(facet, answers, table, seen)
        self._answers.keep(facet, (answers, len(table.node_changes)), is_large)
        return answers

    def _catch_up(self, facet: Hashable, answers: IntArray, table: NodeTable, seen: int) -> IntArray:
        if len(answers) < len(table.nodes):
            answers = np.pad(answers, (0, max(16, 2 * len(table.nodes)) - len(answers)))
        evaluate, nodes = self._evaluate, table.nodes
        found = {slot: evaluate(facet, node) for slot in table.node_changes[seen:] if (node := nodes[slot]) is not None}
        answers[list(found)] = list(found.values())
        return answers


class StaticFilter(FilterPlugin):
    """A filter written per node in plain Python, evaluated once per facet of the spec and node."""

    REASONS: tuple[Reason, ...]

    def __init__(self) -> None:
        self._codes = FacetCache(self._code)

    def facet(self, spec: PodSpec) -> Hashable:
        """Returns the part of the spec that this filter reads."""
        raise NotImplementedError

    def check(self, facet: Any, node: Node) -> Reason | None:
        """Returns why the node is rejected, one of REASONS, or None if it passes."""
        raise NotImplementedError

    def filter(self, cycle: Any, nodes: IntArray) -> IntArray:
        """Looks up the codes of the pod's facet."""
        codes: IntArray = self._codes_of(cycle.pod.spec, cycle.table)[nodes]
        return codes

    def codes(self, spec: PodSpec, table: NodeTable) -> IntArray | None:
        """Returns the codes of all slots; None if the plugin's answer depends on more than them."""
        return self._codes_of(spec, table)

    def _codes_of(self, spec: PodSpec, table: NodeTable) -> IntArray:
        return self._codes.answers(self.facet(spec), table, spec.is_large)

    def evaluate(self, facet: Any, nodes: IntArray, table: NodeTable) -> IntArray:
        """Computes the codes of a few nodes without caching them."""
        found = (table.nodes[slot] for slot in nodes)
        return np.array([self._code(facet, node) for node in found if node is not None], np.int64)

    def reasons(self, cycle: Any, code: int) -> tuple[Reason, ...]:
        """Returns the one reason that a code stands for."""
        return (self.REASONS[code - 1],)

    def _code(self, facet: Any, node: Node) -> int:
        reason = self.check(facet, node)
        return PASSED if reason is None else 1 + self.REASONS.index(reason)


class StaticScore(ScorePlugin):
    """A score written per node in plain Python, evaluated once per facet of the spec and node."""

    def __init__(self) -> None:
        self._scores = FacetCache(self.rate)

    def score_facet(self, spec: PodSpec) -> Hashable:
        """Returns the part of the spec that this score reads."""
        raise NotImplementedError

    def rate(self, facet: Any, node: Node) -> int:
        """Returns the raw score of one node."""
        raise NotImplementedError

    def score(self, cycle: Any, nodes: IntArray) -> NumberArray:
        """Looks up the scores of the pod's facet."""
        scores: IntArray = self._scores_of(cycle.pod.spec, cycle.table)[nodes]
        return scores

    def is_even(self, spec: PodSpec, table: NodeTable) -> bool:
        """Returns whether all nodes get the same score."""
        scores = self._scores_of(spec, table)[table.order]
        return not len(scores) or bool(scores.min() == scores.max())

    def _scores_of(self, spec: PodSpec, table: NodeTable) -> IntArray:
        return self._scores.answers(self.score_facet(spec), table, spec.is_large)


def scale_to_100(scores: NumberArray) -> NumberArray:
    """Scales so that the highest becomes 100; all zero stays zero."""
    highest = scores.max(initial=0)
    return scores * 100 // highest if highest else scores


def scale_to_100_reversed(scores: NumberArray) -> NumberArray:
    """Scales so that the lowest possible, zero, becomes 100 and the highest becomes 0; all zero become 100."""
    highest = scores.max(initial=0)
    return 100 - scores * 100 // highest if highest else scores + 100
