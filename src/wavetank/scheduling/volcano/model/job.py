from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from wavetank.cluster.objects.volcano import PodGroup
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.volcano.model.fiterrors import FitErrors
from wavetank.scheduling.volcano.model.goduration import read_go_duration
from wavetank.scheduling.volcano.model.quantities import Quantities, is_scalar
from wavetank.scheduling.volcano.model.statuses import (
    ENDED,
    NAMES,
    PENDING,
    PIPELINED,
    READY,
    SUCCEEDED,
)
from wavetank.scheduling.volcano.model.task import Task

INQUEUE, PENDING_PHASE, RUNNING_PHASE = "Inqueue", "Pending", "Running"
_WAITING_TIMES = ("volcano.sh/sla-waiting-time", "sla-waiting-time")
_READY = frozenset(READY)
_VALID = (*READY, PIPELINED, PENDING)


class Job:
    """A PodGroup and its tasks, counted by status and role.

    What belongs to one session only is `phase` (which may be ahead of the PodGroup's own) and the fit errors.
    """

    __slots__ = (
        "_by_status",
        "_failed_roles",
        "allocated",
        "created",
        "fit_errors",
        "gated",
        "group",
        "holding_tasks",
        "key",
        "min_available",
        "min_resources",
        "open_best_effort",
        "open_roles",
        "phase",
        "priority",
        "queue",
        "ready_tasks",
        "roles",
        "tasks",
        "waiting_time",
    )

    def __init__(self, key: str) -> None:
        self.key = key
        self.group: PodGroup | None = None
        self.queue = ""
        self.priority = 0
        self.created = 0
        self.phase = PENDING_PHASE
        self.min_available = 0
        self.min_resources = Quantities()
        self.waiting_time: Nanoseconds | None = None
        self.tasks: dict[str, Task] = {}
        self.allocated = Quantities()  # of the tasks that use resources in the cluster; a session does not change it
        self.gated = Quantities()  # of the tasks that may not be scheduled yet
        self.ready_tasks = 0  # that are placed, or were
        self.holding_tasks = 0  # that hold something of a node
        self.open_best_effort = 0  # pending tasks that ask for nothing
        self.open_roles: Counter[str] = Counter()  # the same by role
        self.roles: Counter[tuple[int, str]] = Counter()  # tasks by status and role
        self.fit_errors: dict[str, FitErrors] = {}
        self._by_status: tuple[dict[str, Task], ...] = tuple({} for _ in NAMES)
        self._failed_roles: set[str] = set()

    # what it is

    def set_group(self, group: PodGroup, created: int, default_queue: str) -> None:
        """Takes over a version of the PodGroup."""
        self.group = group
        self.queue = group.queue or default_queue
        self.created = created
        self.phase = str(group.status.get("phase") or PENDING_PHASE)
        self.min_available = group.min_member
        self.min_resources = Quantities.parse(group.min_resources, "spec.minResources")
        self.waiting_time = _waiting_time(group)

    @property
    def is_pending(self) -> bool:
        """Returns whether the job has not been enqueued yet."""
        return self.phase == PENDING_PHASE

    @property
    def states_resources(self) -> bool:
        """Returns whether the PodGroup says what it needs at least."""
        return self.group is not None and self.group.min_resources is not None

    def place(self, task: Task) -> None:
        """Counts a task under its present status."""
        self.tasks[task.key] = task
        self._by_status[task.status][task.key] = task
        self._tally(task, 1)

    def remove(self, task: Task) -> None:
        """Forgets a task."""
        del self.tasks[task.key]
        self._drop(task)

    def move(self, task: Task, status: int) -> None:
        """Gives a task another status."""
        self._drop(task)
        task.status = status
        self.place(task)

    def _drop(self, task: Task) -> None:
        del self._by_status[task.status][task.key]
        self._tally(task, -1)

    def _tally(self, task: Task, number: int) -> None:
        self.roles[task.status, task.role] += number
        if task.status in _READY:
            self.ready_tasks += number
            self.holding_tasks += number if task.status != SUCCEEDED else 0
        elif task.best_effort and task.status == PENDING:
            self.open_best_effort += number
            self.open_roles[task.role] += number

    # how many

    def count(self, status: int) -> int:
        """Returns the number of tasks in a status."""
        return len(self._by_status[status])

    def among(self, status: int) -> Iterable[Task]:
        """Returns the tasks in a status."""
        return self._by_status[status].values()

    def tallies(self) -> Iterator[tuple[str, int]]:
        """Yields each status that there are tasks in, by name, with their number."""
        for name, tasks in zip(NAMES, self._by_status, strict=True):
            if tasks:
                yield name, len(tasks)

    def has_unfinished(self) -> bool:
        """Returns whether a task has not ended yet."""
        return len(self.tasks) > sum(len(self._by_status[status]) for status in ENDED)

    @property
    def waiting_tasks(self) -> int:
        """Returns the number of pipelined tasks."""
        return len(self._by_status[PIPELINED])

    @property
    def valid_tasks(self) -> int:
        """Returns the number of tasks that are placed or may still be."""
        return sum(len(self._by_status[status]) for status in _VALID)

    # is it enough

    def is_ready(self) -> bool:
        """Returns whether enough tasks are placed; pending ones that ask for nothing count as well."""
        return self.ready_tasks + self.open_best_effort >= self.min_available

    def is_pipelined(self) -> bool:
        """Returns whether enough tasks are placed or pipelined."""
        return self.waiting_tasks + self.ready_tasks + self.open_best_effort >= self.min_available

    def is_starving(self) -> bool:
        """Returns whether too few tasks are placed or pipelined."""
        return self.waiting_tasks + self.ready_tasks < self.min_available

    def has_roles(self, statuses: Iterable[int], with_best_effort: bool) -> bool:
        """Returns whether every role has its minimum in some statuses; not asked where the minima exceed the whole."""
        assert self.group is not None
        minima = self.group.min_task_member
        if not minima or self.min_available < sum(minima.values()):
            return True
        for role, least in minima.items():
            found = sum(self.roles[status, role] for status in statuses)
            if found + (self.open_roles[role] if with_best_effort else 0) < least:
                return False
        return True

    def has_valid_roles(self) -> bool:
        """Returns whether every role has enough tasks at all."""
        return self.has_roles(_VALID, with_best_effort=False)

    # what went wrong

    def fail(self, task: Task, errors: FitErrors) -> None:
        """Keeps why a task found no node in this session."""
        self.fit_errors[task.key] = errors
        self._failed_roles.add(task.role)

    def has_failed_role(self, task: Task) -> bool:
        """Returns whether a task of the same role has found no node; tasks without a role are not equal."""
        return bool(task.role) and task.role in self._failed_roles

    def goes_on_after_failure(self) -> bool:
        """Returns whether the job may still get enough tasks when one has found no node."""
        assert self.group is not None
        if self.min_available >= len(self.tasks):
            return False
        minima = self.group.min_task_member
        if self.min_available < sum(minima.values()):
            left = sum(1 for task in self.among(PENDING) if task.role not in self._failed_roles)
            return self.ready_tasks + left >= self.min_available
        return all(
            sum(self.roles[status, role] for status in READY) + self.open_roles[role] >= minima.get(role, 0)
            for role in self._failed_roles
        )

    def forget_failures(self) -> None:
        """Ends a session."""
        self.fit_errors = {}
        self._failed_roles = set()

    # what it needs

    def without_gated(self, quantities: Quantities) -> Quantities:
        """Returns quantities less what the tasks with scheduling gates ask for."""
        gated = self.gated
        if gated.is_empty():
            return quantities
        left = quantities.clone()
        left.cpu, left.memory = max(left.cpu - gated.cpu, 0.0), max(left.memory - gated.memory, 0.0)
        for name, amount in (gated.scalars or {}).items():
            if left.scalars and name in left.scalars:
                left.scalars[name] = max(left.scalars[name] - amount, 0.0)
        return left

    def still_needed(self) -> Quantities:
        """Returns what is left of the PodGroup's minResources when what the job holds is deducted."""
        least, held = self.min_resources, self.allocated
        needed = Quantities(max(least.cpu - held.cpu, 0.0), max(least.memory - held.memory, 0.0))
        for name, amount in (least.scalars or {}).items():
            if is_scalar(name):
                left = amount - held.get(name)
                if left > 0 or name not in (held.scalars or {}):
                    needed.scalars = needed.scalars or {}
                    needed.scalars[name] = left
        return needed

    def __repr__(self) -> str:
        return f"<Job {self.key}>"


def _waiting_time(group: PodGroup) -> Nanoseconds | None:
    """Reads how long the job may wait; a value that is not a duration is ignored."""
    stated = (read_go_duration(group.annotations.get(key)) for key in _WAITING_TIMES)
    return next((found for found in stated if found is not None), None)
