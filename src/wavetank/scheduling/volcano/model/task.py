from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.volcano import GROUP_NAME
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.volcano.model.kernels import FloatArray
from wavetank.scheduling.volcano.model.quantities import Quantities
from wavetank.scheduling.volcano.model.statuses import NAMES, status_of

ROLE = "volcano.sh/task-spec"
TEMPLATE = "volcano.sh/template-uid"
_PREEMPTABLE = "volcano.sh/preemptable"
_PRIORITY = "volcano.sh/task-priority"
_QUEUE_GATE = "scheduling.volcano.sh/queue-allocation-gate"  # which Volcano removes itself, if configured
_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})


class Request(NamedTuple):
    """The requests of pods of one spec: as quantities, and as amounts in some rows of the NodeResources."""

    quantities: Quantities
    rows: IntArray
    amounts: FloatArray
    best_effort: bool


class Attempted(NamedTuple):
    """Where a task stood in a statement that was taken back."""

    status: int
    node: str
    evicted_for: bool


class Task:
    """A pod as the session sees it.

    `on_node` is the status under which its node keeps it, which lags behind: a node does not hear of a bind.
    `last` is where the task stood before it was taken back for the last time.
    """

    __slots__ = (
        "best_effort",
        "created",
        "evicted_for",
        "gated",
        "gated_by_queue",
        "index",
        "job",
        "key",
        "last",
        "node",
        "on_node",
        "pod",
        "preemptable",
        "priority",
        "request",
        "resreq",
        "role",
        "status",
    )

    def __init__(self, pod: Pod, request: Request) -> None:
        annotations = pod.annotations
        group = annotations.get(GROUP_NAME)
        self.pod = pod
        self.key = f"{pod.namespace}/{pod.name}"
        self.job = f"{pod.namespace}/{group}" if group else ""
        self.role = annotations.get(ROLE) or pod.labels.get(ROLE) or ""
        self.request = request
        self.resreq = request.quantities
        self.best_effort = request.best_effort
        self.priority = _priority(pod)
        self.preemptable = _is_true(annotations.get(_PREEMPTABLE, pod.labels.get(_PREEMPTABLE, "true")))
        self.gated = bool(pod.gates)
        self.gated_by_queue = pod.gates == (_QUEUE_GATE,)
        self.created = 0  # in whole seconds: the session's clock
        self.index = _index(pod.name)
        self.status = self.on_node = status_of(pod)
        self.node = pod.node_name
        self.evicted_for = False
        self.last: Attempted | None = None

    @property
    def seen_as(self) -> Attempted:
        """Returns where the task stood last, also if that was taken back."""
        return self.last or Attempted(self.status, self.node, self.evicted_for)

    def remember(self) -> None:
        """Keeps the status of the task, before it is undone."""
        self.last = Attempted(self.status, self.node, self.evicted_for)

    def __repr__(self) -> str:
        return f"<Task {self.key} {NAMES[self.status]}>"


def comes_before(left: Task, right: Task) -> bool:
    """Orders tasks by the number at the end of their names, if both have one, then by creation, then by uid."""
    if left.index is None or right.index is None or left.index == right.index:
        return (left.created, left.pod.uid) < (right.created, right.pod.uid)
    return left.index < right.index


def make_request(quantities: Quantities, rows: dict[str, int]) -> Request:
    """Looks up the rows of what is asked for; CPU and memory are always among them."""
    found = [(rows[name], amount) for name, amount in quantities.items()]
    return Request(
        quantities,
        np.array([row for row, _ in found], np.int64),
        np.array([amount for _, amount in found], np.float64),
        quantities.is_empty(),
    )


def _index(name: str) -> int | None:
    parts = name.split("-")
    last = parts[-1]
    digits = last[1:] if last[:1] in ("+", "-") else last
    return int(last) if len(parts) >= 3 and digits.isascii() and digits.isdigit() else None


def _priority(pod: Pod) -> int:
    """Returns the annotation's priority, or the pod's, or 1 if it has none."""
    stated = pod.annotations.get(_PRIORITY)
    if stated is not None:
        try:
            return int(stated)
        except ValueError:
            pass  # as if it were not there
    admitted = pod.spec.priority is not None or pod.resource_version  # the API server gives every pod a priority
    return pod.priority if admitted else 1


def _is_true(text: str) -> bool:
    return text in _TRUE
