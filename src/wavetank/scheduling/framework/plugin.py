"""The extension points of the scheduling framework, as small base classes.

A plugin inherits the points that it takes part in. Nodes are handed over as arrays of slots of the NodeTable, and
answers come back as arrays of the same length, so that the Python per pod does not grow with the cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.podspec import PodSpec
from wavetank.cluster.store.store import Store
from wavetank.errors import WavetankError
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray
from wavetank.scheduling.framework.queue.events import ClusterEvent, Hint

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
    from wavetank.scheduling.framework.nodes.nodetable import NodeTable

PASSED = 0  # the code of a node that passed a filter


class PluginError(WavetankError):
    """Ends an attempt with a scheduler error of this text, as a plugin's status Error does."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node or a pod was refused; `resolvable` if preempting other pods might help."""

    text: str
    resolvable: bool


@dataclass(frozen=True, slots=True)
class PreFilterResult:
    """What a PreFilter found: nothing to filter (`skip`), only these nodes, or that no node can do."""

    skip: bool = False
    node_names: frozenset[str] | None = None
    rejected: Reason | None = None


class Room(NamedTuple):
    """What is held back for nominated pods: by slot and row of the NodeTable, and their number by slot."""

    requested: IntArray
    pods: IntArray


class Measure(NamedTuple):
    """A score by resources, as compiled code reads it.

    `kind` is one of the strategies of plugins.resourcekernels; one row of `resources` per resource that counts: the
    columns of the Ledger that tell what a node has of it and what is in use, what the pod asks for, and its weight.
    """

    kind: int
    resources: Sequence[tuple[int, ...]]
    shape: IntArray


# What a sweep came to: how many nodes it looked at, how many it found, and how many of these are the best.
Swept = tuple[int, int, int]
SLOTS, TOTALS, BEST = range(3)  # its `found`: the nodes, what the measures give them, and the places of the best

PROCEED = PreFilterResult()
SKIP = PreFilterResult(skip=True)


class Plugin:
    """One plugin of a profile. `name` is the one users write in a configuration."""

    name: str

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Returns the events that may help a pod refused by this plugin, each with its queueing hint."""
        return {}

    def ignores(self, spec: PodSpec) -> bool:
        """Tells whether nobody needs to ask this plugin of pods of the spec's family, whatever the cluster is like."""
        return False

    def passes_spec(self, spec: PodSpec) -> bool:
        """Tells whether, whatever the cluster is like, this plugin lets such pods pass, prefers no node, keeps nothing.

        Unlike one that ignores them it is asked before filtering, since it has a word to say when an attempt fails.
        """
        return False

    def passes_now(self, cycle: Cycle) -> bool:
        """Tells whether, as things stand, this plugin refuses no node for the pod and prefers none to another."""
        return False


class PreEnqueuePlugin(Plugin):
    """Says whether a pod may enter the active queue at all."""

    def pre_enqueue(self, pod: Pod) -> bool:
        """Tells whether the pod is ready to be scheduled."""
        raise NotImplementedError


class PreFilterPlugin(Plugin):
    """Looks at the pod once before nodes are filtered."""

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Prepares the cycle for this plugin's filter."""
        raise NotImplementedError

    def freeze(self, cycle: Cycle) -> None:
        """Keeps what was prepared as it is at this moment, whatever comes and goes before the filter is asked."""


class FilterPlugin(Plugin):
    """Refuses nodes."""

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns a code for each node: PASSED, or one that `reasons` explains."""
        raise NotImplementedError

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Explains a code; called only when somebody wants to know."""
        raise NotImplementedError


class SweepPlugin(FilterPlugin):
    """A filter that can search and score in one pass, where no other filter has a say but by barring nodes."""

    found: IntArray  # what the last sweep found; it is written over by the next

    def sweep(self, cycle: Cycle, barred: BoolArray, start: int) -> Swept:
        """Looks at the plan's nodes in turn from `start` on, until enough are found that are not barred."""
        raise NotImplementedError

    def filter_beside(self, cycle: Cycle, nodes: IntArray, room: Room) -> IntArray:
        """Returns the codes of `filter` with what is held back for nominated pods counted as well."""
        raise NotImplementedError


class JoiningPlugin(Plugin):
    """A plugin that leaves the search to a sweep.

    As a filter it bars nodes beforehand. As a score it rates those found, in whole numbers, which may be added up in
    any order.
    """

    def bar(self, cycle: Cycle, barred: BoolArray) -> None:
        """Marks the slots that the filter refuses, where this plugin is one."""


class MeasurePlugin(Plugin):
    """A score that a SweepPlugin can compute: it reads only what is asked of a node's resources."""

    def measure(self, spec: PodSpec, table: NodeTable) -> Measure | None:
        """Returns how pods of this spec are scored, or None if they are not."""
        raise NotImplementedError


class PostFilterPlugin(Plugin):
    """Acts when no node was found."""

    def post_filter(self, cycle: Cycle, outcome: Outcome) -> str | None:
        """Does what it can and returns what is added to the pod's message.

        None if it has helped: then nothing is added, and later plugins are not asked. Nor are they after a
        PluginError, whose text takes the place of what the others added.
        """
        raise NotImplementedError


class PreScorePlugin(Plugin):
    """Looks at the pod and the feasible nodes once before they are scored."""

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Returns False if this plugin has nothing to score."""
        raise NotImplementedError


class ScorePlugin(Plugin):
    """Prefers nodes over others."""

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns a number for each node; more is better."""
        raise NotImplementedError

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Brings the scores of all feasible nodes into 0 to 100; as they are, unless a plugin says otherwise."""
        return scores


class ReservePlugin(Plugin):
    """Keeps something for a pod on its way to a node."""

    def reserve(self, cycle: Cycle, node_name: str) -> None:
        """Takes what the pod needs."""
        raise NotImplementedError

    def unreserve(self, cycle: Cycle, node_name: str) -> None:
        """Gives it back, because the pod did not get there."""
        raise NotImplementedError


class PermitPlugin(Plugin):
    """Has the last word before a pod is bound."""

    def permit(self, cycle: Cycle, node_name: str) -> Reason | None:
        """Returns why the pod may not be bound after all, or None."""
        raise NotImplementedError


class PreBindPlugin(Plugin):
    """Prepares what a pod needs on its node before it is bound there, while the scheduler goes on.

    `activity` is what it says it was doing when `timeout` was over. One that does not `wait` is done when it has asked.
    """

    activity: str
    timeout: Nanoseconds
    waits = True

    def has_to_prepare(self, cycle: Cycle, node_name: str) -> bool:
        """Tells whether there is anything to do; if not, the pod is bound at once."""
        raise NotImplementedError

    def prepare(self, cycle: Cycle, node_name: str, store: Store) -> None:
        """Asks for what is needed; a PluginError or ApiError ends the attempt."""
        raise NotImplementedError

    def is_prepared(self, cycle: Cycle, node_name: str, store: Store) -> bool:
        """Tells whether all is there; a PluginError ends the attempt."""
        raise NotImplementedError
