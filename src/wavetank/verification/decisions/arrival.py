"""The order in which nodes were added to a recorded scheduler: not recorded, but its choices show it."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.nodeorder import NodeOrder
from wavetank.verification.decisions.recording import Recording


def arrival_of_nodes(recording: Recording, nodes: Sequence[Node]) -> list[Node] | None:
    """Returns the first nodes in the order in which they were added, or None if no cycle shows it.

    A cycle that scored every node shows the scheduler's order, rotated to the start of its search; nodes were added in
    the rotation that wavetank's NodeOrder maps to itself. If there is none the two disagree: the recorded order is
    returned as it is, and the replay will show the difference.
    """
    named = {node.name: node for node in nodes}
    for step, result in zip(recording.steps, recording.results, strict=True):
        if step.op.startswith("node_"):
            return None
        for attempt in result.attempts:
            if attempt.searched and set(attempt.searched) == named.keys():
                held = [named[name] for name in attempt.searched]
                return _unrotated(held) or held
    return None


def _unrotated(nodes: list[Node]) -> list[Node] | None:
    rotations = (nodes[start:] + nodes[:start] for start in range(len(nodes)))
    return next((rotation for rotation in rotations if _is_kept(rotation)), None)


def _is_kept(nodes: Sequence[Node]) -> bool:
    order = NodeOrder()
    for slot, node in enumerate(nodes):
        order.set(slot, None, node)
    return list(order.slots()) == list(range(len(nodes)))
