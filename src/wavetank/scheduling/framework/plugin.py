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
from wavetank.scheduling.framework.events import ClusterEvent, Hint
from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray, NumberArray

if TYPE_CHECKING:
    from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
    from wavetank.scheduling.framework.nodes.nodetable import NodeTable
    from wavetank.scheduling.framework.nodes.nominatedrequests import NominatedRequests

PASSED = 0  # the code of a node that passed a filter


class PluginError(WavetankError):
    """Ends an attempt with a scheduler error of this text, as a plugin's status Error does."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a node or a pod was rejected; `resolvable` if preempting other pods might help."""

    text: str
    resolvable: bool


@dataclass(frozen=True, slots=True)
class PreFilterResult:
    """What a PreFilter returns: nothing to filter (`skip`), only these nodes, or that no node is suitable."""

    skip: bool = False
    node_names: frozenset[str] | None = None
    rejected: Reason | None = None


class CompiledScore(NamedTuple):
    """A score by resources, as compiled code reads it.

    `kind` is one of the strategies of plugins.noderesources.kernels. A row of `resources` per resource: the columns of
    the NodeArrays with its capacity and its use, the pod's request, and its weight.
    """

    kind: int
    resources: Sequence[tuple[int, ...]]
    shape: IntArray


# The outcome of a search: how many nodes were looked at, how many were found, and how many of these are the best.
SearchResult = tuple[int, int, int]
SLOTS, TOTALS, BEST = range(3)  # of `found`: the nodes, their total scores, and the positions of the best

PROCEED = PreFilterResult()
SKIP = PreFilterResult(skip=True)


class Plugin:
    """One plugin of a profile. `name` is the one users write in a configuration."""

    name: str

    def events(self) -> Mapping[ClusterEvent, Hint]:
        """Returns the events that may make a pod schedulable that this plugin rejected, with their queueing hints."""
        return {}

    def skips_family(self, spec: PodSpec) -> bool:
        """Returns whether this plugin need not be called for pods of the spec's family, in any state of the cluster."""
        return False

    def passes_spec(self, spec: PodSpec) -> bool:
        """Returns whether this plugin passes all nodes for such pods, scores none and reserves nothing.

        It holds in any state of the cluster. Unlike with `skips_family` its PreFilter is called, because it has a
        part in how an attempt fails.
        """
        return False

    def passes_now(self, cycle: Cycle) -> bool:
        """Returns whether this plugin rejects no node for the pod and scores all alike in the present state."""
        return False


class PreEnqueuePlugin(Plugin):
    """Decides whether a pod may enter the active queue."""

    def pre_enqueue(self, pod: Pod) -> bool:
        """Returns whether the pod is ready to be scheduled."""
        raise NotImplementedError


class PreFilterPlugin(Plugin):
    """Looks at the pod once before nodes are filtered."""

    def pre_filter(self, cycle: Cycle) -> PreFilterResult:
        """Prepares the cycle for this plugin's filter."""
        raise NotImplementedError

    def freeze(self, cycle: Cycle) -> None:
        """Keeps what was prepared as it is now, even if pods are added or removed before the filter is called."""


class FilterPlugin(Plugin):
    """Rejects nodes."""

    def filter(self, cycle: Cycle, nodes: IntArray) -> IntArray:
        """Returns a code for each node: PASSED, or one that `reasons` explains."""
        raise NotImplementedError

    def reasons(self, cycle: Cycle, code: int) -> tuple[Reason, ...]:
        """Explains a code; called only for messages and explanations."""
        raise NotImplementedError


class FastFilterPlugin(FilterPlugin):
    """A filter that can search and score nodes in one pass, if other filters only exclude nodes beforehand."""

    found: IntArray  # by the last search; the next one overwrites it

    def search(self, cycle: Cycle, excluded: BoolArray, start: int) -> SearchResult:
        """Looks at the plan's nodes in turn, beginning at `start`, until enough are found that are not excluded."""
        raise NotImplementedError

    def filter_with_nominated(self, cycle: Cycle, nodes: IntArray, nominated: NominatedRequests) -> IntArray:
        """Returns the codes of `filter` with the requests of nominated pods counted as well."""
        raise NotImplementedError


class FastPathPlugin(Plugin):
    """A plugin that can take part in the fast path.

    As a filter it excludes nodes before the search. As a score it scores the nodes found, in whole numbers, which may
    be added up in any order.
    """

    def exclude(self, cycle: Cycle, excluded: BoolArray) -> None:
        """Marks the slots that the filter rejects, if this plugin is a filter."""


class CompiledScorePlugin(Plugin):
    """A score that a FastFilterPlugin can compute: it reads only the resources of a node."""

    def compiled_score(self, spec: PodSpec, table: NodeTable) -> CompiledScore | None:
        """Returns how pods of this spec are scored, or None if they are not."""
        raise NotImplementedError


class PostFilterPlugin(Plugin):
    """Acts if no node was found."""

    def post_filter(self, cycle: Cycle, outcome: Outcome) -> str | None:
        """Does what it can and returns what is added to the pod's message.

        None if it has helped: then nothing is added, and later plugins are not called. Nor are they after a
        PluginError, whose text replaces what the others added.
        """
        raise NotImplementedError


class PreScorePlugin(Plugin):
    """Looks at the pod and the feasible nodes once before they are scored."""

    def pre_score(self, cycle: Cycle, nodes: IntArray) -> bool:
        """Returns False if this plugin has nothing to score."""
        raise NotImplementedError


@dataclass(frozen=True)
class ScoreStep:
    """A step on the way to scores, for an explanation: a table with rows by name, of nodes or others."""

    title: str
    columns: Sequence[str]
    rows: Mapping[str, Sequence[float]]


class ScorePlugin(Plugin):
    """Prefers nodes over others."""

    def score(self, cycle: Cycle, nodes: IntArray) -> NumberArray:
        """Returns a number for each node; more is better."""
        raise NotImplementedError

    def normalize(self, scores: NumberArray) -> NumberArray:
        """Brings the scores of all feasible nodes into 0 to 100; as they are, unless a plugin says otherwise."""
        return scores

    def explain(self, cycle: Cycle, nodes: IntArray) -> Sequence[ScoreStep]:
        """Returns how it comes to the scores of these nodes, for `wavetank explain`; nothing, unless a plugin can."""
        return ()


class ReservePlugin(Plugin):
    """Reserves something for a pod before it is bound."""

    def reserve(self, cycle: Cycle, node_name: str) -> None:
        """Reserves what the pod needs."""
        raise NotImplementedError

    def unreserve(self, cycle: Cycle, node_name: str) -> None:
        """Releases it, because the pod was not bound."""
        raise NotImplementedError


class PermitPlugin(Plugin):
    """Approves or rejects a pod before it is bound."""

    def permit(self, cycle: Cycle, node_name: str) -> Reason | None:
        """Returns why the pod may not be bound, or None."""
        raise NotImplementedError


class PreBindPlugin(Plugin):
    """Prepares what a pod needs on its node before it is bound there, while the scheduler continues.

    `activity` is what the message of a `timeout` says the plugin was doing. One that does not `wait` is done when
    `prepare` returns.
    """

    activity: str
    timeout: Nanoseconds
    waits = True

    def has_to_prepare(self, cycle: Cycle, node_name: str) -> bool:
        """Returns whether there is anything to do; if not, the pod is bound at once."""
        raise NotImplementedError

    def prepare(self, cycle: Cycle, node_name: str, store: Store) -> None:
        """Requests what is needed; a PluginError or ApiError ends the attempt."""
        raise NotImplementedError

    def is_prepared(self, cycle: Cycle, node_name: str, store: Store) -> bool:
        """Returns whether everything is ready; a PluginError ends the attempt."""
        raise NotImplementedError
