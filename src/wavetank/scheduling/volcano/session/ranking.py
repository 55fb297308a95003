from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wavetank.scheduling.framework.cycle.kernels import highest
from wavetank.scheduling.framework.nodes.arrays import IntArray, NumberArray
from wavetank.scheduling.volcano.model.task import Task

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session


def best_node(session: Session, task: Task, slots: IntArray) -> int:
    """Scores nodes and returns the slot of the best; one of several as the session breaks ties."""
    totals, scores = _rate(session, task, slots)
    chosen = int(slots[_pick(session, slots, highest(totals))])
    if session.observer is not None:
        session.observer.scored(task.key, slots, scores, totals, chosen)
    return chosen


def _pick(session: Session, slots: IntArray, best: IntArray) -> int:
    """Returns one of the best places."""
    return int(best[session.ties.pick(session.cache, slots[best]) if len(best) > 1 else 0])


def ranked(session: Session, task: Task, slots: IntArray) -> IntArray:
    """Scores nodes and returns their slots, the best first; equal ones stay in their order."""
    totals, scores = _rate(session, task, slots)
    if session.observer is not None and len(slots):
        session.observer.scored(task.key, slots, scores, totals, None)
    return slots[np.argsort(-totals, kind="stable")]


def _rate(session: Session, task: Task, slots: IntArray) -> tuple[NumberArray, dict[str, NumberArray]]:
    """Adds up as Volcano does, whose sums of floats depend on the order."""
    floats, whole = session.tiers.node_scores(task, slots), session.tiers.batch_scores(task, slots)
    totals: NumberArray = np.zeros(len(slots))
    for scores in floats.values():
        totals = totals + scores
    batch: NumberArray = np.zeros(len(slots), np.int64)
    for scores in whole.values():
        batch = batch + scores
    return totals + batch, {**floats, **whole}
