from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano.model.task import Task

if TYPE_CHECKING:
    from wavetank.scheduling.volcano.session.session import Session


def nodes_worth_trying(session: Session, task: Task) -> IntArray:
    """Returns the nodes that evictions may help: all but those that have rejected the task for other reasons."""
    errors = session.jobs[task.job].fit_errors.get(task.key)
    hopeless = () if errors is None else errors.unresolvable
    if not len(hopeless):
        return session.nodes
    left = session.nodes[~np.isin(session.nodes, hopeless)].tolist()
    return np.array(session.in_map_order(left), np.int64)
