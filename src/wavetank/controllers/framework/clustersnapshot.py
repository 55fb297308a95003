"""What the autoscaler asks of a scheduler: a copy of the cluster to try things on."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple, Protocol

from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod


class Misfit(NamedTuple):
    """Why a pod does not fit a node: the plugin that rejects it, and its reasons."""

    plugin: str
    reasons: tuple[str, ...]


class Removal(Protocol):
    """A simulated removal of a node that can be repeated: where each of its pods moved."""

    @property
    def destinations(self) -> frozenset[str]:
        """Returns the nodes to which pods moved."""


class ClusterSnapshot(Protocol):
    """The nodes and the pods on them, with the scheduler's own filters; changes are undone by `revert`."""

    def refresh(self) -> None:
        """Brings the snapshot up to date with the cluster; nothing may be forked."""

    def fork(self) -> None:
        """Begins changes that can be undone."""

    def revert(self) -> None:
        """Undoes all changes since the last `fork`."""

    def commit(self) -> None:
        """Keeps the changes since the last `fork`, until the fork before it is reverted."""

    def node_names(self) -> Sequence[str]:
        """Returns the names of all nodes."""

    def node(self, name: str) -> Node | None:
        """Returns a node, or None."""

    def pods_on(self, name: str) -> Sequence[Pod]:
        """Returns the pods on a node."""

    def take_touched(self) -> Collection[str]:
        """Returns the nodes that changed, or whose pods did, since the last call; changes that were undone count."""

    def stamp(self, name: str) -> int:
        """Returns a number that stays the same as long as a node and its pods do, and comes back if they do."""

    def note_removal(self, name: str, stamp: int, moves: Sequence[tuple[Pod, str]]) -> Removal | None:
        """Returns a removal of a node, whose stamp was this, for `repeat_removals`: its pods and where they moved.

        None if more than the requests of pods and the nodes themselves decided where they fit.
        """

    def repeat_removals(self, removals: Sequence[Removal]) -> list[bool]:
        """Repeats those removals that are possible as they were, all at once; returns which.

        No destination may be a node that is removed. The nodes stay in the snapshot, but nothing may be placed on them.
        """

    def add_node(self, node: Node, pods: Sequence[Pod] = ()) -> None:
        """Adds a node with pods on it."""

    def remove_node(self, name: str) -> None:
        """Removes a node and the pods on it."""

    def add_pod(self, pod: Pod, node_name: str) -> None:
        """Puts a pod on a node, whether it fits or not."""

    def remove_pod(self, pod: Pod) -> None:
        """Takes a pod from its node."""

    def misfit(self, pod: Pod, node_name: str) -> Misfit | None:
        """Returns why a pod does not fit a node, or None if it does."""

    def find_node(self, pod: Pod, among: Collection[str] | None = None, excluding: str = "") -> str:
        """Returns the first node that a pod fits, or an empty string.

        The search begins after the node that was found last; cordoned nodes are left out.
        """
