"""In which order the nodes reached a recorded scheduler: nobody wrote it down, but its choices tell."""

from __future__ import annotations

from collections.abc import Sequence

from wavetank.cluster.objects.node import Node
from wavetank.scheduling.framework.nodes.nodeorder import NodeOrder
from wavetank.verification.decisions.recording import Recording


def arrival_of_nodes(recording: Recording, nodes: Sequence[Node]) -> list[Node] | None:
    """Returns the first nodes in the order of their arrival, or None if no cycle shows it.

    A cycle in which every node was scored shows the scheduler's order from wherever its search began; the arrival is
    the rotation of it that wavetank's own NodeOrder maps to itself. Without one the two disagree, and the recorded
    order is returned as it is, for the replay to show it.
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
