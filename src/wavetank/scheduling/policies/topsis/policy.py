from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds
from wavetank.quantity import parse_quantity
from wavetank.scheduling.framework.nodes.arrays import BoolArray
from wavetank.scheduling.framework.nodes.labelcolumns import FloatArray
from wavetank.scheduling.framework.plugin import ScoreStep
from wavetank.scheduling.policies.topsis.closeness import Ranking, rank
from wavetank.scheduling.policies.topsis.criteria import Criterion, criterion
from wavetank.scheduling.policy import Policy
from wavetank.scheduling.views import NodesView

_USUAL = ("cores", "cpu_utilisation", "free_memory")
_SEED = "seed"


@dataclass(frozen=True)
class Condition:
    """Bounds of a criterion outside of which a node is not looked at."""

    criterion: Criterion
    at_least: float
    at_most: float

    def holds(self, nodes: NodesView) -> BoolArray:
        """Returns for each node whether it is within the bounds."""
        values = self.criterion.values(nodes)
        return (values >= self.at_least) & (values <= self.at_most)


class Topsis(Policy):
    """The node nearest to the ideal by several weighted criteria (TOPSIS).

    `weights` belong to `criteria`; `costs` and `benefits` reverse a criterion. `compat: seed` ranks once for all
    pods that wait at an instant and sends them all to the best node, as the scheduler of the thesis did.
    """

    def __init__(
        self,
        criteria: Sequence[str] = _USUAL,
        weights: Sequence[float] | None = None,
        costs: Sequence[str] = (),
        benefits: Sequence[str] = (),
        conditions: Sequence[Mapping[str, Any]] = (),
        compat: str | None = None,
    ) -> None:
        if compat not in (None, _SEED):
            raise InputError(f"expected {_SEED}, got {compat!r:.60}", path="args.compat")
        self._criteria = _directed(_names(criteria, "criteria"), _names(costs, "costs"), _names(benefits, "benefits"))
        self._weights = _weights(weights, self._criteria)
        self._benefit = np.array([each.benefit for each in self._criteria])
        self._conditions = [_condition(each, f"args.conditions[{i}]") for i, each in enumerate(conditions)]
        self._ranks_once = compat == _SEED
        self._ranked_at: Nanoseconds | None = None
        self._best = -1  # the number of the node

    def filter_nodes(self, pod: Pod, nodes: NodesView) -> BoolArray:
        """Drops the nodes that do not meet the conditions, and in compat mode all but the one ranked first."""
        left = np.ones(len(nodes), bool)
        for condition in self._conditions:
            left &= condition.holds(nodes)
        if self._ranks_once and left.any():
            if self._ranked_at != self.now():
                self._ranked_at = self.now()
                self._best = int(nodes.numbers[np.where(left, self.rank(nodes), -1).argmax()])
            left &= nodes.numbers == self._best
        return left

    def score_nodes(self, pod: Pod, nodes: NodesView) -> FloatArray:
        """Returns how near each node is to the ideal, from 0 to 1."""
        return self.rank(nodes)

    def explain_nodes(self, pod: Pod, nodes: NodesView) -> list[ScoreStep]:
        """Returns the steps of the ranking, in the order in which they are computed."""
        names, criteria = nodes.names, [each.name for each in self._criteria]
        ranking = self._ranking(nodes)
        units = np.array([each.unit[1] for each in self._criteria])
        distances = np.column_stack([ranking.to_best, ranking.to_worst, ranking.closeness])
        return [
            ScoreStep(
                "Decision matrix (↑ more is better, ↓ less)",
                list(map(_heading, self._criteria)),
                _rows(names, ranking.matrix / units),
            ),
            ScoreStep("Weights", criteria, {"weight": self._weights.tolist()}),
            ScoreStep("Normalised matrix", criteria, _rows(names, ranking.normalised)),
            ScoreStep("Weighted normalised matrix", criteria, _rows(names, ranking.weighted)),
            ScoreStep("Ideals", criteria, {"best": ranking.best.tolist(), "worst": ranking.worst.tolist()}),
            ScoreStep("Distances and closeness", ["to best", "to worst", "closeness"], _rows(names, distances)),
        ]

    def rank(self, nodes: NodesView) -> FloatArray:
        """Returns how near each node is to the ideal, from 0 to 1; the pod does not matter."""
        return self._ranking(nodes).closeness

    def _ranking(self, nodes: NodesView) -> Ranking:
        matrix = np.column_stack([each.values(nodes) for each in self._criteria])
        return rank(matrix, self._weights, self._benefit)


def _heading(criterion: Criterion) -> str:
    unit = f" [{criterion.unit[0]}]" if criterion.unit[0] else ""
    return f"{criterion.name}{unit} {'↑' if criterion.benefit else '↓'}"


def _rows(names: Sequence[str], values: FloatArray) -> dict[str, list[float]]:
    return dict(zip(names, values.tolist(), strict=True))


def _names(value: object, field: str) -> list[str]:
    if not isinstance(value, Sequence) or isinstance(value, str) or not all(isinstance(name, str) for name in value):
        raise InputError(f"expected a list of criteria, got {value!r:.60}", path=f"args.{field}")
    return list(value)


def _directed(names: list[str], costs: list[str], benefits: list[str]) -> list[Criterion]:
    if not names:
        raise InputError("there is no criterion to rank by", path="args.criteria")
    for field, turned in (("costs", costs), ("benefits", benefits)):
        for name in turned:
            if name not in names:
                raise InputError(f"{name!r:.60} is not among the criteria", path=f"args.{field}")
    found = [_criterion(name, "args.criteria") for name in names]
    return [replace(each, benefit=each.name not in costs and (each.benefit or each.name in benefits)) for each in found]


def _criterion(name: str, path: str) -> Criterion:
    try:
        return criterion(name)
    except InputError as error:
        raise error.inside(path=path) from None


def _weights(weights: object, criteria: list[Criterion]) -> FloatArray:
    if weights is None:
        return np.full(len(criteria), 1 / len(criteria))
    if not isinstance(weights, list | tuple) or len(weights) != len(criteria):
        names = ", ".join(each.name for each in criteria)
        raise InputError(f"expected one weight for each of {names}, got {weights!r:.60}", path="args.weights")
    for i, weight in enumerate(weights):
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight < math.inf:
            raise InputError(f"expected a number of 0 or more, got {weight!r:.60}", path=f"args.weights[{i}]")
    total = sum(weights)
    if not total:
        raise InputError("expected at least one weight above 0", path="args.weights")
    return np.array(weights, float) / total


def _condition(given: object, path: str) -> Condition:
    if not isinstance(given, Mapping) or not {"criterion"} <= given.keys() <= {"criterion", "at_least", "at_most"}:
        raise InputError(f"expected {{criterion, at_least, at_most}}, got {given!r:.60}", path=path)
    found = _criterion(str(given["criterion"]), f"{path}.criterion")
    low = _bound(given.get("at_least", -math.inf), f"{path}.at_least")
    return Condition(found, low, _bound(given.get("at_most", math.inf), f"{path}.at_most"))


def _bound(value: object, path: str) -> float:
    if isinstance(value, float) and math.isinf(value):
        return value
    try:
        return float(parse_quantity(str(value).removesuffix("%")))
    except InputError as error:
        raise error.inside(path=path) from None
