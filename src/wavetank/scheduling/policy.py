"""A user's own policy in the scheduling cycle.

A policy is any class with at least one of these methods; `wavetank.Policy` documents them and need not be inherited:

    filter(pod, node) -> True, or False or a reason to refuse the node
    score(pod, node) -> a number, more is better
    filter_nodes(pod, nodes) -> an array of booleans, one per node
    score_nodes(pod, nodes) -> an array of numbers, one per node
    choose(pod, nodes) -> the name of the node to take

With `explain_nodes(pod, nodes)`, which returns ScoreSteps, `wavetank explain` shows how it came to its scores.

The filters of the default profile stay in force; the policy's scores take the place of the default ones.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.errors import InputError, SchedulerError
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.config import Configuration
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.events import ClusterEvent, Hint, always
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import (
    FilterPlugin,
    Plugin,
    PreBindPlugin,
    PreFilterPlugin,
    Reason,
    ReservePlugin,
    ScorePlugin,
    ScoreStep,
)
from wavetank.scheduling.registry import Handle, build_frameworks
from wavetank.scheduling.views import NodesView, NodeView

MAX_SCORE = 100  # of a plugin, as in kube-scheduler
METHODS = ("filter", "score", "filter_nodes", "score_nodes", "choose")


class Policy:
    """The base class of policies; inheriting it is optional. `random` is a random stream that follows the run's seed.

    `now()` is the time of the simulation in nanoseconds. `power.off(node)` and `power.on(node)` switch nodes by their
    names, in runs whose nodes have a power model; otherwise `power` is None. All of them can be used in
    the methods, but not in the constructor.
    """

    random: random.Random
    now: Callable[[], Nanoseconds]
    power: Any


def build_policy(cls: type, args: Mapping[str, Any]) -> Any:
    """Makes an instance; InputError if the class does not take these arguments or has none of the methods."""
    if not any(callable(getattr(cls, method, None)) for method in (*METHODS, "plugins")):
        raise InputError(f"{cls.__name__} is not a policy: it has none of the methods {', '.join(METHODS)}")
    try:
        return cls(**args)
    except InputError:
        raise
    except Exception as error:
        raise InputError(f"{cls.__name__} cannot be created: {type(error).__name__}: {error}") from error


def policy_framework(policy: Any, name: str, base: Configuration, handle: Handle) -> Framework:
    """Returns the first profile of `base` with the policy in it: its filters come last, its scores alone.

    A policy with a method `plugins` takes part by these, which are of its own name, instead of the plain methods. One
    that says so looks at another share of the nodes (`percentage_of_nodes_to_score`), or never `preempts`.
    """
    framework = build_frameworks(base, handle)[0]
    plugins: Sequence[Plugin] = policy.plugins(name) if hasattr(policy, "plugins") else _adapters(policy, name)
    points = {
        "preEnqueue": framework.pre_enqueue,
        "preFilter": [*framework.pre_filter, *_at(plugins, PreFilterPlugin)],
        "postFilter": framework.post_filter if getattr(policy, "preempts", True) else (),
        "filter": [*framework.filter, *_at(plugins, FilterPlugin)],
        "score": _at(plugins, ScorePlugin),
        "reserve": _at(plugins, ReservePlugin),
        "preBind": _at(plugins, PreBindPlugin),
    }
    percentage = getattr(policy, "percentage_of_nodes_to_score", framework.percentage_of_nodes_to_score)
    return Framework(framework.scheduler_name, points, {name: 1}, percentage, frozenset({name}))


@dataclass(frozen=True)
class OwnPlugin:
    """A class with a policy's methods that takes part in a profile beside its plugins, its scores with a weight."""

    name: str
    policy: type
    weight: int = 1
    args: Mapping[str, Any] = field(default_factory=dict)


def with_plugins(framework: Framework, added: Sequence[tuple[OwnPlugin, Any]]) -> Framework:
    """Returns a profile with more plugins, each given with its instance: filters come last, scores are added.

    The scores of a plugin are scaled before they are weighted: the best feasible node has 100, the worst 0.
    """
    filters: list[Plugin] = [
        _PolicyFilter(policy, own.name) for own, policy in added if _has(policy, "filter", "filter_nodes")
    ]
    scores: list[Plugin] = [
        _ScaledScore(policy, own.name) for own, policy in added if _has(policy, "score", "score_nodes", "choose")
    ]
    points = {
        "preEnqueue": framework.pre_enqueue,
        "preFilter": framework.pre_filter,
        "filter": [*framework.filter, *filters],
        "postFilter": framework.post_filter,
        "preScore": framework.pre_score,
        "score": [*framework.score, *scores],
        "reserve": framework.reserve,
        "permit": framework.permit,
        "preBind": framework.pre_bind,
    }
    weights = {**framework.weights, **{own.name: own.weight for own, _ in added}}
    impure = frozenset(own.name for own, _ in added)  # whatever it looks at: a failure is not remembered
    percentage = framework.percentage_of_nodes_to_score
    return Framework(framework.scheduler_name, points, weights, percentage, impure, framework.extenders)


def _has(policy: Any, *methods: str) -> bool:
    return any(hasattr(policy, method) for method in methods)


def _adapters(policy: Any, name: str) -> list[Plugin]:
    adapters: list[Plugin] = []
    if hasattr(policy, "filter") or hasattr(policy, "filter_nodes"):
        adapters.append(_PolicyFilter(policy, name))
    if any(hasattr(policy, method) for method in ("score", "score_nodes", "choose")):
        adapters.append(_PolicyScore(policy, name))
    return adapters


def _at(plugins: Sequence[Plugin], point: type[Plugin]) -> list[Plugin]:
    return [plugin for plugin in plugins if isinstance(plugin, point)]


class _PolicyFilter(FilterPlugin):
    def __init__(self, policy: Any, name: str) -> None:
        self.name = name
        self._policy = policy
        self._reasons: dict[str, int] = {}

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        if hasattr(self._policy, "filter_nodes"):
            view = NodesView(cycle.table, nodes)
            answers = _call(self.name, cycle.pod, lambda: np.asarray(self._policy.filter_nodes(cycle.pod, view)))
            _check_shape(self.name, cycle.pod, "filter_nodes", answers, len(nodes))
            return np.where(answers.astype(bool), 0, self._code(False))
        codes = [self._code(self._ask(cycle, int(slot))) for slot in nodes]
        return np.array(codes, np.int64)

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        return (Reason(list(self._reasons)[code - 1], resolvable=True),)

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """A policy may look at anything, so anything may help."""
        return dict.fromkeys(ClusterEvent, always)

    def _ask(self, cycle: Cycle, slot: int) -> Any:
        return _call(self.name, cycle.pod, lambda: self._policy.filter(cycle.pod, NodeView(cycle.table, slot)))

    def _code(self, answer: Any) -> int:
        if answer is True or answer is None:
            return 0
        text = answer if isinstance(answer, str) else f"node(s) were refused by {self.name}"
        return self._reasons.setdefault(text, len(self._reasons) + 1)


class _PolicyScore(ScorePlugin):
    def __init__(self, policy: Any, name: str) -> None:
        self.name = name
        self._policy = policy

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        pod = cycle.pod
        if hasattr(self._policy, "choose"):
            return self._chosen(cycle, nodes)
        if hasattr(self._policy, "score_nodes"):
            scores = _call(self.name, pod, lambda: self._policy.score_nodes(pod, NodesView(cycle.table, nodes)))
        else:
            views = (NodeView(cycle.table, int(slot)) for slot in nodes)
            scores = _call(self.name, pod, lambda: [self._policy.score(pod, view) for view in views])
        array: NumberArray = _call(self.name, pod, lambda: np.asarray(scores, np.float64))
        _check_shape(self.name, pod, "the scores", array, len(nodes))
        if not np.isfinite(array).all():
            raise _failed(self.name, pod, "a score is not a finite number")
        return array

    def explain(self, cycle: Cycle, nodes: IntArray) -> Sequence[ScoreStep]:
        if not hasattr(self._policy, "explain_nodes"):
            return ()
        view = NodesView(cycle.table, nodes)
        steps: Sequence[ScoreStep] = _call(self.name, cycle.pod, lambda: self._policy.explain_nodes(cycle.pod, view))
        return steps

    def _chosen(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Gives the node that the policy chooses a 1, and the others nothing."""
        view, pod = NodesView(cycle.table, nodes), cycle.pod
        name = _call(self.name, pod, lambda: self._policy.choose(pod, view))
        slot = cycle.table.slots.get(name, -1) if isinstance(name, str) else -1
        chosen: NumberArray = (nodes == slot).astype(np.int64)
        if not chosen.any():
            problem = f"chose {name!r:.60}, which is none of the {len(nodes)} nodes that it was offered"
            raise _failed(self.name, pod, problem)
        return chosen


class _ScaledScore(_PolicyScore):
    """The scores of a plugin beside others."""

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Scales to whole numbers: the highest to 100, the lowest to 0; if all are equal, all are 0."""
        lowest, highest = scores.min(), scores.max()
        if highest == lowest:
            return np.zeros(len(scores), np.int64)
        scaled: NumberArray = np.floor((scores - lowest) * MAX_SCORE / (highest - lowest)).astype(np.int64)
        return scaled


def _call(name: str, pod: Pod, ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        problem = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
        raise _failed(name, pod, problem) from error


def _check_shape(name: str, pod: Pod, what: str, array: Any, nodes: int) -> None:
    if array.shape != (nodes,):
        raise _failed(name, pod, f"{what} must be one value per node ({nodes}), not shape {array.shape}")


def _failed(name: str, pod: Pod, problem: str) -> SchedulerError:
    return SchedulerError(f"policy {name} failed on pod {pod.namespace}/{pod.name}: {problem}")
