from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from wavetank.cluster.kinds import PodDisruptionBudget
from wavetank.cluster.pod import Pod
from wavetank.kernel.durations import SECOND
from wavetank.scheduling.config import DefaultPreemptionArgs, Version
from wavetank.scheduling.extenderanswers import ExtenderError
from wavetank.scheduling.extenders import Victims
from wavetank.scheduling.framework.arrays import IntArray
from wavetank.scheduling.framework.cycle import Cycle, Outcome, Preemption
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.plugin import PluginError, PostFilterPlugin, PreEnqueuePlugin
from wavetank.scheduling.framework.supposition import Supposition

Running = dict[str, Callable[[], bool]]  # by preemptor: tells whether its victims are not all on their way out yet

PREEMPTED = "Preempted"  # the reason in the status of a pod that had to go

_NO_VICTIMS = "No preemption victims found for incoming pod"
_NOT_HELPFUL = "Preemption is not helpful for scheduling"
_NOT_STARTED = 2**62  # a pod without a start time counts as started just now: after every other


class _Candidate:
    """A node with the pods that would have to go, the most important first."""

    def __init__(self, node_name: str, victims: Sequence[Pod], violations: int) -> None:
        self.node_name = node_name
        self.victims = tuple(victims)
        self.violations = violations


class _DryRun:
    """What trying the nodes came to: where preemption would help, why not elsewhere, and where it makes no sense."""

    def __init__(self) -> None:
        self.candidates: list[_Candidate] = []
        self.refusals: Counter[str] = Counter()
        self._errors: list[str] = []

    def add(self, found: _Candidate) -> None:
        """Takes a node where the pod fits; one where nobody has to go was refused by an extender, not by a filter."""
        if found.victims:
            self.candidates.append(found)
        else:
            self._errors.append(f'expected at least one victim pod on node "{found.node_name}"')

    def raise_errors(self) -> None:
        """Raises what went wrong, if anything did."""
        if self._errors:
            text = self._errors[0] if len(self._errors) == 1 else f"[{', '.join(self._errors)}]"
            raise PluginError(f"preemption: {text}")


class DefaultPreemption(PreEnqueuePlugin, PostFilterPlugin):
    """Makes room for a pod by evicting less important ones from the node where this does the least harm.

    While its victims are being evicted, the pod itself is kept out of the queue (`running`).
    """

    name = "DefaultPreemption"

    def __init__(self, args: DefaultPreemptionArgs, version: Version, listers: Listers, random: random.Random) -> None:
        self._percentage = args.min_candidate_nodes_percentage
        self._absolute = args.min_candidate_nodes_absolute
        self._listers = listers
        self._random = random
        self._is_asynchronous = version >= (1, 32)
        self.running: Running = {}

    def pre_enqueue(self, pod: Pod) -> bool:
        """Keeps a pod waiting whose victims are not all on their way out yet."""
        is_running = self.running.get(pod.uid)
        return not self._is_asynchronous or is_running is None or not is_running()

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Looks again at a pod that it holds back whenever a pod is deleted; never wakes one by itself."""
        return {ClusterEvent.ASSIGNED_POD_DELETE: lambda waiting, old, new: False} if self._is_asynchronous else {}

    def post_filter(self, cycle: Cycle, outcome: Outcome) -> str | None:
        """Nominates the pod to the best node; says why not, if there is none."""
        objection = self._objection(cycle, outcome)
        if objection:
            return f"preemption: {objection}"
        potential = _resolvable(cycle, outcome)
        dry_run = self._dry_run(cycle, potential)
        candidates = dry_run.candidates
        outcome.keeps_nomination = False
        if len(potential):
            outcome.preemption = Preemption(potential, {found.node_name: found.victims for found in candidates})
        if not candidates:
            dry_run.raise_errors()
            return f"preemption: {_summary(len(cycle.table.order), len(potential), dry_run.refusals)}"
        assert outcome.preemption is not None
        if cycle.framework.extenders:
            candidates = _left_by_extenders(cycle, candidates)
        if not candidates:
            return "preemption: no candidate node for preemption"
        best = _best(candidates)
        outcome.preemption.equally_good = frozenset(found.node_name for found in best)
        outcome.preemption.evicted_on = {found.node_name: found.victims for found in candidates}
        outcome.preemption.nominated = best[int(self._random.random() * len(best))].node_name
        return None

    def _objection(self, cycle: Cycle, outcome: Outcome) -> str:
        """Returns why the pod may not preempt others, or nothing."""
        pod = cycle.pod
        if pod.spec.preemption_policy == "Never":
            return "not eligible due to preemptionPolicy=Never."
        slot = cycle.table.slots.get(pod.nominated_node)
        if slot is None or slot not in _resolvable(cycle, outcome):
            return ""
        going = (other for other in cycle.table.pods[slot].values() if other.priority < pod.priority)
        if any(other.deleted is not None and other.reason == PREEMPTED for other in going):
            return "not eligible due to a terminating pod on the nominated node."
        return ""

    # the dry run

    def _dry_run(self, cycle: Cycle, potential: IntArray) -> _DryRun:
        """Returns the nodes where preemption would help, as many as are enough, and why the others do not."""
        enough = min(len(potential), max(self._absolute, len(potential) * self._percentage // 100))
        # which nodes are tried first is left to chance, and matters only if not all are
        offset = int(self._random.random() * len(potential)) if enough < len(potential) else 0
        run = _DryRun()
        for slot in np.roll(potential, -offset).tolist():
            self._try(cycle, slot, run)
            if len(run.candidates) >= enough and any(not item.violations for item in run.candidates):
                break
        run.candidates.sort(key=lambda item: item.violations > 0)
        return run

    def _try(self, cycle: Cycle, slot: int, run: _DryRun) -> None:
        pods = [pod for pod in cycle.table.pods[slot].values() if pod.priority < cycle.pod.priority]
        if not pods:
            run.refusals[_NO_VICTIMS] += 1
            return
        with Supposition(cycle.table, slot) as supposed:
            for pod in pods:
                supposed.remove(pod)
            refusal = cycle.refusal(slot)
            if refusal is not None:
                index, code = refusal
                run.refusals.update(reason.text for reason in cycle.framework.filter[index - 1].reasons(cycle, code))
                return
            node = cycle.table.nodes[slot]
            assert node is not None
            run.add(_Candidate(node.name, *self._reprieve(cycle, slot, supposed, pods)))

    def _reprieve(self, cycle: Cycle, slot: int, supposed: Supposition, pods: list[Pod]) -> tuple[list[Pod], int]:
        """Puts pods back as long as the preemptor still fits: those with a violated budget first, the rest after."""
        pods = _by_importance(pods)
        violating, others = self._by_violation(pods)
        victims: list[Pod] = []
        violations = 0
        for pod in (*violating, *others):
            supposed.add(pod)
            if cycle.refusal(slot) is not None:
                supposed.remove(pod)
                victims.append(pod)
                violations += pod in violating
        if violating and others:
            victims = _by_importance(victims)
        return victims, violations

    def _by_violation(self, pods: list[Pod]) -> tuple[list[Pod], list[Pod]]:
        """Tells the pods whose eviction would violate a disruption budget, counting them one after the other."""
        allowed: dict[tuple[str, str], int] = {}
        violating: list[Pod] = []
        others: list[Pod] = []
        for pod in pods:
            violated = False
            for budget in self._budgets(pod):
                allowed[budget.key] = allowed.get(budget.key, budget.disruptions_allowed) - 1
                violated |= allowed[budget.key] < 0
            (violating if violated else others).append(pod)
        return violating, others

    def _budgets(self, pod: Pod) -> Iterator[PodDisruptionBudget]:
        for budget in self._listers.disruption_budgets(pod.namespace):
            selects = pod.labels and not budget.selector.is_empty and budget.selector.matches(pod.labels)
            if selects and pod.name not in budget.disrupted:
                yield budget


def _resolvable(cycle: Cycle, outcome: Outcome) -> IntArray:
    """Returns the slots of the nodes where making room might help, in the order of the nodes."""
    order = cycle.table.order
    if outcome.pre_filter is not None:
        return order if outcome.pre_filter.resolvable else order[:0]
    answers, which = np.unique(np.stack([outcome.refused_by, outcome.codes]), axis=1, return_inverse=True)
    helps = [
        index and all(reason.resolvable for reason in cycle.framework.judges[index - 1].reasons(cycle, code))
        for index, code in answers.T.tolist()
    ]
    keep = np.array(helps, np.bool_)[which.reshape(-1)]
    found: IntArray = order[np.isin(order, outcome.nodes[keep])]
    return found


def _left_by_extenders(cycle: Cycle, candidates: list[_Candidate]) -> list[_Candidate]:
    """Lets extenders drop candidates and choose other victims; nobody checks that these are enough."""
    victims = {found.node_name: Victims(found.victims, found.violations) for found in candidates}
    pods_on = {name: cycle.table.pods[slot] for name, slot in cycle.table.slots.items()}
    try:
        left = cycle.framework.extenders.preempt(cycle.pod, victims, pods_on)
    except ExtenderError as error:
        raise PluginError(f"preemption: {error}") from None
    return [_Candidate(name, found.pods, found.violations) for name, found in left.items()]


def _summary(total: int, tried: int, refusals: Counter[str]) -> str:
    counts = refusals + Counter({_NOT_HELPFUL: total - tried})
    reasons = ", ".join(sorted(f"{count} {text}" for text, count in counts.items()))
    return f"0/{total} nodes are available: {reasons}."


def _by_importance(pods: list[Pod]) -> list[Pod]:
    """Sorts the most important first; of those that have not started, the one that came last.

    Each of these counts as started when it is looked at, so Go's insertion sort (up to 12 pods) puts it before others.
    """
    order = sorted(
        (-pod.priority, _start(pod), place if pod.started is not None else -place) for place, pod in enumerate(pods)
    )
    return [pods[abs(place)] for _, _, place in order]


def _start(pod: Pod) -> int:
    return _NOT_STARTED if pod.started is None else pod.started // SECOND


_CRITERIA: tuple[Callable[[_Candidate], int], ...] = (
    lambda found: found.violations,
    lambda found: found.victims[0].priority,
    lambda found: sum(pod.priority + 2**31 for pod in found.victims),
    lambda found: len(found.victims),
    lambda found: -_earliest_start_of_highest(found),
)


def _best(candidates: list[_Candidate]) -> list[_Candidate]:
    """Returns the candidates that do the least harm, by one criterion after the other until one is left."""
    for criterion in _CRITERIA:
        least = min(criterion(found) for found in candidates)
        candidates = [found for found in candidates if criterion(found) == least]
        if len(candidates) == 1:
            break
    return candidates


def _earliest_start_of_highest(found: _Candidate) -> int:
    highest = max(pod.priority for pod in found.victims)
    return min(_start(pod) for pod in found.victims if pod.priority == highest)
