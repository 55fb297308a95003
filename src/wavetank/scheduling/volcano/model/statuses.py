"""What becomes of a task, as numbers that index a job's tables."""

from __future__ import annotations

from wavetank.cluster.objects.pod import FAILED as POD_FAILED
from wavetank.cluster.objects.pod import PENDING as POD_PENDING
from wavetank.cluster.objects.pod import RUNNING as POD_RUNNING
from wavetank.cluster.objects.pod import SUCCEEDED as POD_SUCCEEDED
from wavetank.cluster.objects.pod import Pod

PENDING, ALLOCATED, PIPELINED, BINDING, BOUND, RUNNING, RELEASING, SUCCEEDED, FAILED, UNKNOWN = range(10)
NAMES = (
    "Pending",
    "Allocated",
    "Pipelined",
    "Binding",
    "Bound",
    "Running",
    "Releasing",
    "Succeeded",
    "Failed",
    "Unknown",
)

HOLDING = frozenset({BOUND, BINDING, RUNNING, ALLOCATED})  # these count as allocated to their queue and job
READY = (BOUND, BINDING, RUNNING, ALLOCATED, SUCCEEDED)
SCHEDULED = (RUNNING, BOUND, FAILED, SUCCEEDED)  # these count for the PodGroup's phase
COMPLETED = (FAILED, SUCCEEDED)
PREEMPTABLE = frozenset({BOUND, RUNNING})
ENDED = frozenset({SUCCEEDED, FAILED})

_OF_PHASE = {POD_SUCCEEDED: SUCCEEDED, POD_FAILED: FAILED}


def status_of(pod: Pod) -> int:
    """Returns what a pod is as a task."""
    if pod.phase not in (POD_PENDING, POD_RUNNING):
        return _OF_PHASE.get(pod.phase, UNKNOWN)
    if pod.deleted is not None:
        return RELEASING
    if pod.phase == POD_RUNNING:
        return RUNNING
    return BOUND if pod.node_name else PENDING
