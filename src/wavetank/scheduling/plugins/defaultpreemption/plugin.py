from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import Version
from wavetank.scheduling.config import DefaultPreemptionArgs
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome, Preemption
from wavetank.scheduling.framework.cycle.whatifnode import WhatIfNode
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.scheduling.framework.extenders.extenders import Victims
from wavetank.scheduling.framework.listers import Listers
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import PluginError, PostFilterPlugin, PreEnqueuePlugin
from wavetank.scheduling.plugins.defaultpreemption.disruptions import Disruptions
from wavetank.scheduling.plugins.defaultpreemption.dryrun import NO_VICTIMS, Candidates, DryRun, listed
from wavetank.scheduling.plugins.defaultpreemption.nodepods import by_importance
from wavetank.scheduling.plugins.defaultpreemption.resourcedryrun import ResourceDryRun

Running = dict[str, Callable[[], bool]]  # by preemptor: returns whether some of its victims are not terminating yet

PREEMPTED = "Preempted"  # the reason in the status of a preempted pod

_NOT_HELPFUL = "Preemption is not helpful for scheduling"


class DefaultPreemption(PreEnqueuePlugin, PostFilterPlugin):
    """Preempts pods of lower priority, on the node where this does the least harm.

    While its victims are being evicted, the pod itself is kept out of the queue (`running`).
    """

    name = "DefaultPreemption"

    def __init__(self, args: DefaultPreemptionArgs, version: Version, listers: Listers, random: random.Random) -> None:
        self._percentage = args.min_candidate_nodes_percentage
        self._absolute = args.min_candidate_nodes_absolute
        self._listers = listers
        self._random = random
        self._is_asynchronous = version >= (1, 32)
        self._waits_for_any = version < (1, 27)  # not only for pods that a preemption terminates
        self._by_resources = ResourceDryRun()
        self.running: Running = {}

    def pre_enqueue(self, pod: Pod) -> bool:
        """Keeps a pod out of the queue until all its victims are terminating."""
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
            outcome.preemption = Preemption(potential, candidates)
        if not candidates:
            dry_run.raise_errors()
            return f"preemption: {_summary(len(cycle.table.order), len(potential), dry_run.refusals)}"
        assert outcome.preemption is not None
        if cycle.framework.extenders:
            candidates = _left_by_extenders(cycle, candidates)
        if not candidates:
            return "preemption: no candidate node for preemption"
        best = candidates.best()
        outcome.preemption.equally_good = frozenset(best)
        outcome.preemption.evicted_on = candidates
        outcome.preemption.nominated = best[int(self._random.random() * len(best))]
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
        if any(other.deleted is not None and (self._waits_for_any or other.reason == PREEMPTED) for other in going):
            return "not eligible due to a terminating pod on the nominated node."
        return ""

    # the dry run

    def _dry_run(self, cycle: Cycle, potential: IntArray) -> DryRun:
        """Returns the nodes where preemption would help, as many as are enough, and why the others do not."""
        enough = min(len(potential), max(self._absolute, len(potential) * self._percentage // 100))
        # which nodes are tried first is left to chance, and matters only if not all are
        offset = int(self._random.random() * len(potential)) if enough < len(potential) else 0
        slots = np.roll(potential, -offset)
        disruptions = Disruptions(self._listers)
        if enough and self._by_resources.decides(cycle, slots):
            return self._by_resources.run(cycle, slots, enough, disruptions)
        return self._one_by_one(cycle, slots, enough, disruptions)

    def _one_by_one(self, cycle: Cycle, slots: IntArray, enough: int, disruptions: Disruptions) -> DryRun:
        run = DryRun(listed({}))
        found: dict[str, tuple[list[Pod], int]] = {}
        for slot in slots.tolist():
            fits = _try(cycle, slot, run.refusals, disruptions)
            if fits is not None and fits[0]:
                found[cycle.name_of(slot)] = fits
            elif fits is not None:
                run.without_victims.append(cycle.name_of(slot))
            if len(found) >= enough and any(not violations for _, violations in found.values()):
                break
        run.candidates = listed(found)
        return run


def _try(cycle: Cycle, slot: int, refusals: Counter[str], disruptions: Disruptions) -> tuple[list[Pod], int] | None:
    """Returns the victims on a node, and how many budgets they violate; None if preemption does not help there."""
    pods = [pod for pod in cycle.table.pods[slot].values() if pod.priority < cycle.pod.priority]
    if not pods:
        refusals[NO_VICTIMS] += 1
        return None
    with WhatIfNode(cycle.table, slot) as supposed:
        for pod in pods:
            supposed.remove(pod)
        refusal = cycle.refusal(slot)
        if refusal is not None:
            index, code = refusal
            refusals.update(reason.text for reason in cycle.framework.filter[index - 1].reasons(cycle, code))
            return None
        return _reprieve(cycle, slot, supposed, by_importance(pods), disruptions)


def _reprieve(
    cycle: Cycle, slot: int, supposed: WhatIfNode, pods: list[Pod], disruptions: Disruptions
) -> tuple[list[Pod], int]:
    """Puts pods back as long as the preemptor still fits: those with a violated budget first, the rest after."""
    violated = disruptions.violated(pods)
    order = sorted(range(len(pods)), key=lambda place: not violated[place])
    victims: list[int] = []
    for place in order:
        supposed.add(pods[place])
        if cycle.refusal(slot) is not None:
            supposed.remove(pods[place])
            victims.append(place)
    return [pods[place] for place in sorted(victims)], sum(violated[place] for place in victims)


def _resolvable(cycle: Cycle, outcome: Outcome) -> IntArray:
    """Returns the slots of the nodes where preemption might help, in the order of the nodes."""
    order = cycle.table.order
    if outcome.pre_filter is not None:
        return order if outcome.pre_filter.resolvable else order[:0]
    helps = np.zeros(len(cycle.table.nodes), np.bool_)
    for index, code, places in outcome.answers():
        reasons = cycle.framework.rejecting_filters[index - 1].reasons(cycle, code)
        helps[outcome.nodes[places]] = all(reason.resolvable for reason in reasons)
    found: IntArray = order[helps[order]]
    return found


def _left_by_extenders(cycle: Cycle, candidates: Candidates) -> Candidates:
    """Lets extenders drop candidates and choose other victims; it is not checked that these are enough."""
    victims = {name: Victims(pods, candidates.violations(name)) for name, pods in candidates.items()}
    pods_on = {name: cycle.table.pods[slot] for name, slot in cycle.table.slots.items()}
    try:
        left = cycle.framework.extenders.preempt(cycle.pod, victims, pods_on)
    except ExtenderError as error:
        raise PluginError(f"preemption: {error}") from None
    return listed({name: (found.pods, found.violations) for name, found in left.items()})


def _summary(total: int, tried: int, refusals: Counter[str]) -> str:
    counts = refusals + Counter({_NOT_HELPFUL: total - tried})
    reasons = ", ".join(sorted(f"{count} {text}" for text, count in counts.items()))
    return f"0/{total} nodes are available: {reasons}."
