"""K8sSim's eleven algorithms as one scheduler, whose algorithm may change from one moment to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.releases import Version
from wavetank.errors import InputError
from wavetank.kernel.randomness import Streams
from wavetank.scheduling.definition import SchedulerDefinition
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.cycle.framework import Framework
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.framework.plugin import PreScorePlugin, ScorePlugin
from wavetank.scheduling.framework.selection import RoundRobinTies
from wavetank.scheduling.named.k8ssim import make_algorithm
from wavetank.scheduling.registry import Handle

# K8sSim's numbers of its algorithms. With -1 each pod says by its schedulerName whose it is.
ACTIONS = ("EP", "LRP", "MRP", "BRA", "RLP", "TTP", "NAP", "NPAPP", "ILP", "NLP", "IPAP")
BY_NAME = -1
_PREFIX = "linc-scheduler-"


class Switch:
    """Which algorithm decides now."""

    def __init__(self) -> None:
        self._action = 1
        self.deciding = ACTIONS[0]  # the algorithm for the present pod

    def turn(self, action: int) -> None:
        """Chooses an algorithm by its number."""
        if action != BY_NAME and not 1 <= action <= len(ACTIONS):
            known = ", ".join(f"{number} {name}" for number, name in enumerate(ACTIONS, 1))
            raise InputError(f"there is no action {action}: expected one of {known}, or -1 for each pod's own")
        self._action = action

    def decide_on(self, pod: Pod) -> str:
        """Returns the algorithm that decides on a pod; one whose schedulerName says nothing gets EP."""
        if self._action != BY_NAME:
            self.deciding = ACTIONS[self._action - 1]
        else:
            name = pod.scheduler_name.removeprefix(_PREFIX).upper()
            self.deciding = name if name in ACTIONS else ACTIONS[0]
        return self.deciding


class _Turns:
    """Breaks ties in turn; in K8sSim each algorithm is a scheduler of its own and counts for itself."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch
        self._turns = {name: RoundRobinTies() for name in ACTIONS}

    def choose(self, tied: IntArray) -> int:
        """Returns the next one of the algorithm that decides."""
        return self._turns[self._switch.deciding].choose(tied)


class _Chosen(PreScorePlugin, ScorePlugin):
    """Scores as the algorithm of the moment does."""

    name = "K8sSimAction"

    def __init__(self, switch: Switch, plugins: Mapping[str, ScorePlugin]) -> None:
        self._switch = switch
        self._plugins = plugins
        self._present = next(iter(plugins.values()))

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Chooses the algorithm."""
        plugin = self._present = self._plugins[self._switch.decide_on(cycle.pod)]
        return plugin.pre_score(cycle, nodes) if isinstance(plugin, PreScorePlugin) else True

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns its scores."""
        return self._present.score(cycle, nodes)

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Scales them as it does."""
        return self._present.normalize(scores)


@dataclass(frozen=True)
class SwitchedDefinition(SchedulerDefinition):
    """The eleven as one scheduler; `switch` says which of them decides."""

    switch: Switch = field(default_factory=Switch)
    parts: Mapping[str, SchedulerDefinition] = field(default_factory=dict)

    def frameworks(self, handle: Handle, streams: Streams) -> list[Framework]:
        """Makes one profile: the filters that all have, and the scores of all."""
        made = {name: part.frameworks(handle, streams)[0] for name, part in self.parts.items()}
        base = made[ACTIONS[0]]
        chosen = _Chosen(self.switch, {name: framework.score[0] for name, framework in made.items()})
        points = {
            "preEnqueue": base.pre_enqueue,
            "preFilter": base.pre_filter,
            "filter": base.filter,
            "postFilter": base.post_filter,
            "preScore": [chosen],
            "score": [chosen],
            "reserve": base.reserve,
            "permit": base.permit,
            "preBind": base.pre_bind,
        }
        return [Framework(base.scheduler_name, points, {chosen.name: 1}, base.percentage_of_nodes_to_score)]


def switched_definition(version: Version, compat: bool) -> SwitchedDefinition:
    """Returns the eleven as one scheduler, as they are today or, with `compat`, as K8sSim runs them."""
    parts = {name: make_algorithm(name, version, compat) for name in ACTIONS}
    switch = Switch()
    return SwitchedDefinition(
        "k8ssim",
        "K8sSim's algorithms for Kubernetes",
        parts[ACTIONS[0]].configuration,
        own_ties=partial(_Turns, switch) if compat else None,
        in_order=compat,
        switch=switch,
        parts=parts,
    )
