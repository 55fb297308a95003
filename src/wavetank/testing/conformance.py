"""What is asked of every scheduler; inherit a class, name what is to be tested, and let pytest run it.

class TestMine(wavetank.testing.PolicyConformance):
    policy = Mine
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.results.recording.podrow import PodRow
from wavetank.scheduling.policy import build_policy
from wavetank.scheduling.views import NodesView
from wavetank.testing.trials import TRIALS, SchedulerLike, try_out


class SchedulerConformance:
    """Tests of any scheduler: a name, module:Class, a class, or an entry as in an Experiment."""

    scheduler: ClassVar[SchedulerLike]

    def entry(self) -> SchedulerLike:
        """Returns what is tested."""
        return self.scheduler

    def test_no_node_ever_has_to_hold_more_than_it_has(self) -> None:
        """The kubelet rejects a pod that does not fit, and the pod fails."""
        for name, trial in TRIALS.items():
            over = try_out(self.entry(), trial).over_committed
            assert not over, f"{name}: {over[0]}"

    def test_no_pod_is_forgotten(self) -> None:
        """Every pod of the trials fits on an empty node, so every pod must have run."""
        for name, trial in TRIALS.items():
            waiting = [row.name for row in try_out(self.entry(), trial).rows if row.started is None]
            assert not waiting, f"{name}: {len(waiting)} pods never ran, such as {waiting[0]}"

    def test_the_same_seed_gives_the_same_run(self) -> None:
        """Random numbers must come from `self.random`: others differ from run to run."""
        for name, trial in TRIALS.items():
            first, second = (try_out(self.entry(), trial, seed=7).rows for _ in range(2))
            different = [one.name for one, other in zip(first, second, strict=True) if _outcome(one) != _outcome(other)]
            assert not different, f"{name}: {different[0]} had another result the second time"


class PolicyConformance(SchedulerConformance):
    """Tests of a policy, made with `args`."""

    policy: ClassVar[type]
    args: ClassVar[Mapping[str, Any]] = {}

    def entry(self) -> SchedulerLike:
        """Returns the policy as an entry of an Experiment."""
        return {"name": "tested", "python": self.policy, "args": dict(self.args)}

    def test_arrays_say_the_same_as_single_nodes(self) -> None:
        """A policy with both forms of a method must not depend on which of them is called."""
        twin = {"name": "tested", "python": _Twin, "args": {"policy": self.policy, "args": dict(self.args)}}
        if any(_has_both(self.policy, method) for method in ("filter", "score")):
            for trial in TRIALS.values():
                try_out(twin, trial)


class PluginConformance(PolicyConformance):
    """Tests of a class as a plugin beside those of kube-scheduler's default profile, its scores with a `weight`."""

    weight: ClassVar[int] = 1

    def entry(self) -> SchedulerLike:
        """Returns the plugin as part of an entry of an Experiment."""
        plugin = {"python": self.policy, "weight": self.weight, "args": dict(self.args)}
        return {"name": "tested", "plugins": [plugin]}


class _Twin:
    """The policy, each of whose arrays is compared with its answers for the single nodes."""

    def __init__(self, policy: type, args: Mapping[str, Any]) -> None:
        self._policy = build_policy(policy, args)

    def filter_nodes(self, pod: Pod, nodes: NodesView) -> Any:
        policy = self._given()
        if not hasattr(policy, "filter_nodes"):
            answers = [policy.filter(pod, node) for node in nodes] if hasattr(policy, "filter") else [True] * len(nodes)
            return np.array([answer is True or answer is None for answer in answers])
        found = np.asarray(policy.filter_nodes(pod, nodes), bool)
        if hasattr(policy, "filter"):
            singles = [policy.filter(pod, node) for node in nodes]
            _compare("filter", pod, found, np.array([answer is True or answer is None for answer in singles]))
        return found

    def score_nodes(self, pod: Pod, nodes: NodesView) -> Any:
        policy = self._given()
        if not hasattr(policy, "score_nodes"):
            return [policy.score(pod, node) for node in nodes] if hasattr(policy, "score") else np.zeros(len(nodes))
        found = np.asarray(policy.score_nodes(pod, nodes), float)
        if hasattr(policy, "score"):
            _compare("score", pod, found, np.array([policy.score(pod, node) for node in nodes], float))
        return found

    def _given(self) -> Any:
        self._policy.random, self._policy.now = getattr(self, "random", None), getattr(self, "now", None)
        return self._policy


def _has_both(policy: type, method: str) -> bool:
    return hasattr(policy, method) and hasattr(policy, f"{method}_nodes")


def _compare(method: str, pod: Pod, arrays: Any, singles: Any) -> None:
    if not np.allclose(arrays, singles):
        place = int(np.flatnonzero(~np.isclose(arrays, singles))[0])
        differ = f"{method}_nodes says {arrays[place]} and {method} {singles[place]} of one node"
        raise AssertionError(f"pod {pod.name}: {differ}")


def _outcome(row: PodRow) -> tuple[Any, ...]:
    return row.node, row.scheduled, row.started, row.finished, row.phase
