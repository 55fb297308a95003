from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import compress

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.fastpath import only_fast_filter_decides
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray
from wavetank.scheduling.plugins.defaultpreemption.disruptions import Disruptions
from wavetank.scheduling.plugins.defaultpreemption.dryrun import NO_VICTIMS, Candidates, DryRun
from wavetank.scheduling.plugins.defaultpreemption.kernels import NO_LOWER_PRIORITY, VICTIMS, VIOLATIONS, dry_run
from wavetank.scheduling.plugins.defaultpreemption.nodepods import NodePods
from wavetank.scheduling.plugins.noderesources.fit import NodeResourcesFit


class ResourceDryRun:
    """Tries a preemption on many nodes at once, if only resources can reject them, whichever pods are evicted."""

    def __init__(self) -> None:
        self._node_pods = NodePods()

    def decides(self, cycle: Cycle, slots: IntArray) -> bool:
        """Returns whether only resources decide: no other filter can reject these nodes."""
        sweeps = only_fast_filter_decides(cycle) and isinstance(cycle.plan.fast_filter, NodeResourcesFit)
        return sweeps and not cycle.plan.excluded[slots].any()

    def run(self, cycle: Cycle, slots: IntArray, enough: int, disruptions: Disruptions) -> DryRun:
        """Tries the nodes in turn until enough would do: at first as many as are likely to be enough."""
        size = enough + enough // 4 + 8
        trials: list[_Trial] = []
        found, harmless = 0, False
        for chunk in np.split(slots, range(size, len(slots), size)):
            trial = self._try(cycle, chunk, enough - found, harmless, disruptions)
            trials.append(trial)
            found += len(trial.harm)
            harmless |= not trial.harm[:, VIOLATIONS].all()
            if found >= enough and harmless:
                break
        return _joined(cycle, trials)

    def _try(self, cycle: Cycle, slots: IntArray, enough: int, harmless: bool, disruptions: Disruptions) -> _Trial:
        pod, table, node_pods, fit = cycle.pod, cycle.table, self._node_pods, cycle.plan.fast_filter
        assert isinstance(fit, NodeResourcesFit)
        wanted = fit.wanted(cycle)  # first, as a new row makes new cells
        node_pods.catch_up(slots, table)
        tried, codes, victims, harm = dry_run(
            slots,
            pod.priority,
            enough,
            harmless,
            wanted,
            table.cells,
            *cycle.framework.nominated.of_others(pod, table),
            node_pods.lengths,
            node_pods.priorities,
            node_pods.starts,
            node_pods.amounts,
            self._violating(slots, pod, disruptions),
        )
        slots = slots[:tried]
        helps = np.flatnonzero(harm[:, VICTIMS])
        return _Trial(
            slots=slots[helps],
            pods=[node_pods.pods[slot] for slot in slots[helps].tolist()],
            victims=victims[helps],
            harm=harm[helps],
            codes=codes[codes != 0],
            without_victims=slots[(codes == 0) & (harm[:, VICTIMS] == 0)],
        )

    def _violating(self, slots: IntArray, preemptor: Pod, disruptions: Disruptions) -> BoolArray:
        """Returns for each pod on each of the nodes whether its eviction would violate a disruption budget."""
        found = np.zeros((len(slots), self._node_pods.priorities.shape[1]), np.bool_)
        if disruptions.possible:
            for i, slot in enumerate(slots.tolist()):
                pods = self._node_pods.pods[slot]
                lower = [pod for pod in pods if pod.priority < preemptor.priority]
                found[i, len(pods) - len(lower) : len(pods)] = disruptions.violated(lower)
        return found


@dataclass(slots=True)
class _Trial:
    """The result of trying some nodes: where it helps, and the other codes; see DryRun for `without_victims`."""

    slots: IntArray
    pods: list[list[Pod]]
    victims: BoolArray
    harm: IntArray
    codes: IntArray
    without_victims: IntArray


def _joined(cycle: Cycle, trials: list[_Trial]) -> DryRun:
    slots = np.concatenate([trial.slots for trial in trials])
    pods = [pods for trial in trials for pods in trial.pods]
    victims = [row for trial in trials for row in trial.victims]
    candidates = Candidates(
        [cycle.name_of(slot) for slot in slots.tolist()],
        lambda i: tuple(compress(pods[i], victims[i])),
        np.concatenate([trial.harm for trial in trials]),
    )
    refusals: Counter[str] = Counter()
    for code, count in Counter(code for trial in trials for code in trial.codes.tolist()).items():
        refusals.update(dict.fromkeys(_texts(cycle, code), count))
    without_victims = [cycle.name_of(slot) for trial in trials for slot in trial.without_victims.tolist()]
    return DryRun(candidates, refusals, without_victims)


def _texts(cycle: Cycle, code: int) -> list[str]:
    assert cycle.plan.fast_filter is not None
    return (
        [NO_VICTIMS]
        if code == NO_LOWER_PRIORITY
        else [reason.text for reason in cycle.plan.fast_filter.reasons(cycle, code)]
    )
