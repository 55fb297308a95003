from __future__ import annotations

from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.nodes.k8ssim.demand import Demand
from wavetank.nodes.k8ssim.parameters import Parameters

_LEFT_AFTER_RESTART = 0.2  # of the work


class Task:
    """One pod on its machine: first its container is created (`countdown` in seconds), then it works."""

    __slots__ = ("countdown", "created", "demand", "failed", "job", "left", "restarts", "started", "uid")

    def __init__(self, uid: str, job: str, created: Nanoseconds, demand: Demand) -> None:
        self.uid = uid
        self.job = job
        self.created = created
        self.demand = demand
        self.countdown = 0.0
        self.started: Nanoseconds | None = None
        self.left = demand.work
        self.restarts = 0
        self.failed = False

    def restart(self) -> None:
        """Starts again, with a fifth of the work."""
        assert self.demand.work is not None
        self.left = self.demand.work * _LEFT_AFTER_RESTART
        self.restarts += 1


class Allowances:
    """How many tasks of each job may still be restarted or terminated."""

    def __init__(self) -> None:
        self._left: dict[tuple[str, str], int] = {}

    def take(self, job: str, what: str, limit: int | None) -> bool:
        """Takes one restart or termination of the job; False if none is left."""
        if limit is None:
            return True
        left = self._left.setdefault((job, what), limit)
        self._left[job, what] = left - (left > 0)
        return left > 0


class Machine:
    """One node in K8sSim's model, which advances second by second."""

    def __init__(self, parameters: Parameters) -> None:
        self.parameters = parameters
        self.tasks: dict[str, Task] = {}

    def bind(self, task: Task) -> None:
        """Adds a task; while containers are being created, each further one takes longer."""
        making = [other for other in self.tasks.values() if other.started is None]
        for other in making:
            other.countdown += self.parameters.extra
        task.countdown = max([self.parameters.creation, *(other.countdown for other in making)])
        self.tasks[task.uid] = task

    def begin(self, now: Nanoseconds) -> Task | None:
        """Counts down the creation of containers; returns the task that starts now: the oldest that is ready."""
        making = [task for task in self.tasks.values() if task.started is None]
        for task in making:
            task.countdown -= 1
        interval = self.parameters.interval
        ready = [task for task in making if task.countdown <= 0]
        if not ready or (interval and now // SECOND % interval):
            return None
        oldest = min(ready, key=lambda task: task.created)
        oldest.started = now
        return oldest

    def work(self) -> list[Task]:
        """Lets the running tasks work for a second; returns the finished ones, which leave the machine."""
        running = self._running()
        requested = sum(task.demand.requested for task in running)
        slowed, speed = self.parameters.speed_at(requested), self.parameters.speed
        for task, milli_cpu in zip(running, self.shares(running, requested), strict=True):
            if task.left is not None:
                task.left -= task.demand.rate(milli_cpu, slowed, speed)
        return self._leave([task for task in running if task.left is not None and task.left <= 0])

    def remove_terminated(self) -> list[Task]:
        """Returns the tasks that were terminated a second ago, which leave the machine."""
        return self._leave([task for task in self.tasks.values() if task.failed])

    def overdue(self, now: Nanoseconds, allowances: Allowances) -> list[Task]:
        """Restarts tasks that take too long, once each, and terminates others; returns those restarted."""
        restarted = []
        for task in self._running():
            assert task.started is not None
            restart, termination = task.demand.restart, task.demand.termination
            ran = (now - task.started) / SECOND - task.restarts * (restart.after if restart else 0)
            if restart and ran > restart.after and not task.restarts:
                restarted += [task] if allowances.take(task.job, "restart", restart.limit) else []
            if termination and ran > termination.after:
                task.failed = allowances.take(task.job, "termination", termination.limit)
        for task in restarted:
            task.restart()
        return restarted

    def is_busy(self) -> bool:
        """Tells whether any task will finish by itself."""
        return any(task.started is None or task.failed or task.left is not None for task in self.tasks.values())

    def _running(self) -> list[Task]:
        return [task for task in self.tasks.values() if task.started is not None and not task.failed]

    def shares(self, running: list[Task], requested: float) -> list[float]:
        """Returns the CPU of each task: its request, and a share of the rest in proportion to its limit beyond it."""
        total = self.parameters.milli_cpu
        limits = [total if task.demand.limit is None else task.demand.limit for task in running]
        beyond = sum(limits) - requested
        if beyond <= 0:
            return limits
        spare = total - requested
        return [
            min(task.demand.requested + (limit - task.demand.requested) / beyond * spare, limit)
            for task, limit in zip(running, limits, strict=True)
        ]

    def _leave(self, tasks: list[Task]) -> list[Task]:
        for task in tasks:
            del self.tasks[task.uid]
        return tasks
