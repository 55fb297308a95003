"""Which pods of an old template go next in a rolling update, and where new ones come beside them."""

from __future__ import annotations

from wavetank.cluster.objects.pod import Pod
from wavetank.controllers.daemonsets.fleet import Fleet
from wavetank.controllers.daemonsets.place import DESIRED, LACKING, OLD, SERVING, STALE, SURGING, UNWANTED
from wavetank.controllers.daemonsets.terms import Terms


def renewals(terms: Terms, fleet: Fleet) -> tuple[list[Pod], list[str]]:
    """Returns the pods to delete and the nodes that get a new pod."""
    if not (fleet.marked[STALE] or fleet.marked[OLD] or fleet.marked[UNWANTED]):
        return [], []
    nodes = fleet.counts[DESIRED]
    surge = terms.max_surge(nodes)
    return _by_surge(fleet, surge) if surge else (_by_replacement(fleet, terms.max_unavailable(nodes)), [])


def _by_replacement(fleet: Fleet, most: int) -> list[Pod]:
    """Takes old pods that are of no use, and of the others as many as may be missing."""
    room = max(most - fleet.counts[LACKING], 0)
    candidates = list(fleet.marked[OLD].values())[:room]
    return [place.old for place in (*fleet.marked[STALE].values(), *candidates) if place.old is not None]


def _by_surge(fleet: Fleet, most: int) -> tuple[list[Pod], list[str]]:
    """Puts new pods beside old ones; an old one goes when its successor is available."""
    doomed, nodes = [], []
    for name, place in fleet.marked[STALE].items():
        alone = len([pod for pod in place.pods.values() if pod.deleted is None]) < 2
        if alone and place.run:
            nodes.append(name)  # the old pod is of no use: a new one may come at once
        elif place.old is not None:
            doomed.append(place.old)
    spare = max(fleet.counts[SERVING] - fleet.counts[DESIRED], 0)
    doomed += (place.old for place in list(fleet.marked[UNWANTED].values())[:spare] if place.old is not None)
    room = max(most - fleet.counts[SURGING], 0)
    return doomed, [*nodes, *list(fleet.marked[OLD])[:room]]
