"""The known defects of Volcano 1.15.1 that a simulation reproduces, unless configured otherwise."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wavetank.errors import InputError
from wavetank.words import did_you_mean

EMPTY_ANSWER = "empty-answer-no-veto"
HIDDEN_PODS = "discarded-eviction-hides-pod"
BOUND_RUNS = "discarded-eviction-starts-pod"
STALE_AFFINITY = "affinity-seen-at-open-only"
STALE_IMAGES = "images-counted-at-node-arrival"
STICKY_SKIPS = "skipped-filter-stays-skipped"
STALE_ERRORS = "role-errors-outlive-change"
UNRESTORED_SHARE = "drf-refused-victims-deducted"
DOUBLE_INQUEUE = "overcommit-counts-placed-twice"
HELD_RESOURCES = "pipelined-job-holds-resources"
EXACT_SHARES = "share-check-without-tolerance"
DROPPED_TASK = "refused-task-without-reason"

DEFECTS: Mapping[str, str] = {
    EMPTY_ANSWER: "a plugin that accepts no victim is not heard: the next tier decides alone",
    HIDDEN_PODS: "a pod whose eviction was taken back is not seen by filters and scores for the rest of the session",
    BOUND_RUNS: "a bound pod whose eviction was taken back counts as running",
    STALE_AFFINITY: "affinity terms count only on nodes that had pods with such terms when the session began",
    STALE_IMAGES: "how many nodes have an image is known to a node only as it was when the node was added or changed",
    STICKY_SKIPS: "a filter that had nothing to say of a task once is not asked about it again in the session",
    STALE_ERRORS: "what kept a task from a node keeps others of its role from it, even if it has changed",
    UNRESTORED_SHARE: "drf deducts also the victims that it refuses from their job's share",
    DOUBLE_INQUEUE: "overcommit counts a job that was just placed twice: as used and as about to come",
    HELD_RESOURCES: "a job that waits for others to leave keeps what it got in the session without being bound",
    EXACT_SHARES: "a queue whose share was rounded down in the last bit is one task short",
    DROPPED_TASK: "a task that its queue has no share for is dropped without a reason",
}


def check_defects(names: Iterable[str], path: str = "without") -> frozenset[str]:
    """Returns the names; InputError if one is unknown."""
    for name in names:
        if name not in DEFECTS:
            raise InputError(f"there is no defect called {name!r}{did_you_mean(name, DEFECTS)}", path=path)
    return frozenset(names)
