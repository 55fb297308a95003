"""The next step of a rolling update."""

from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.daemonsets.nodestate import DESIRED, LACKING, OLD, SERVING, STALE, SURGING, UNWANTED
from wavetank.controllers.daemonsets.nodestates import NodeStates
from wavetank.controllers.daemonsets.spec import DaemonSetSpec


def rolling_update(spec: DaemonSetSpec, states: NodeStates) -> tuple[list[Pod], list[str]]:
    """Returns the pods to delete and the nodes that get a new pod, within maxSurge and maxUnavailable."""
    if not (states.marked[STALE] or states.marked[OLD] or states.marked[UNWANTED]):
        return [], []
    nodes = states.counts[DESIRED]
    surge = spec.max_surge(nodes)
    return _by_surge(states, surge) if surge else (_by_replacement(states, spec.max_unavailable(nodes)), [])


def _by_replacement(states: NodeStates, most: int) -> list[Pod]:
    """Returns old pods that are not available, and as many others as may be unavailable."""
    allowed = max(most - states.counts[LACKING], 0)
    candidates = list(states.marked[OLD].values())[:allowed]
    return [state.old for state in (*states.marked[STALE].values(), *candidates) if state.old is not None]


def _by_surge(states: NodeStates, most: int) -> tuple[list[Pod], list[str]]:
    """Adds new pods beside old ones; an old pod is deleted when its successor is available."""
    to_delete, nodes = [], []
    for name, state in states.marked[STALE].items():
        alone = len([pod for pod in state.pods.values() if pod.deleted is None]) < 2
        if alone and state.run:
            nodes.append(name)  # the old pod is not available: create a new one at once
        elif state.old is not None:
            to_delete.append(state.old)
    spare = max(states.counts[SERVING] - states.counts[DESIRED], 0)
    to_delete += (state.old for state in list(states.marked[UNWANTED].values())[:spare] if state.old is not None)
    allowed = max(most - states.counts[SURGING], 0)
    return to_delete, [*nodes, *list(states.marked[OLD])[:allowed]]
