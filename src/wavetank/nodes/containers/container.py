from __future__ import annotations

from typing import TYPE_CHECKING

from wavetank.kernel.clock import Timer
from wavetank.kernel.durations import Nanoseconds
from wavetank.nodes.commands import CommandRun
from wavetank.nodes.containers.memory import ContainerMemory
from wavetank.nodes.containers.plans import ContainerPlan, ContainerRun, Obstacle, Terminated
from wavetank.nodes.containers.restarts import CrashLoop

if TYPE_CHECKING:
    from wavetank.nodes.containers.reports import ContainerReport

KILLED = 137  # exit code of a container that was killed
STOPPED = 143  # exit code of a container that ended when it was asked to stop
INITIALIZING, CREATING, BACK_OFF = "PodInitializing", "ContainerCreating", "CrashLoopBackOff"
NO_IMAGE, PULL_BACK_OFF, CONFIG_ERROR = "ErrImagePull", "ImagePullBackOff", "CreateContainerConfigError"


class Container:
    """A container on its node: it waits for a reason, runs since a time, or has ended.

    `ready` and `started` are as in its status. An ended container may be restarted, which makes it wait first.
    `report` is what was reported of it last, None if it has changed since: a pod may have thousands of containers.
    """

    plan: ContainerPlan
    waiting: str
    timers: list[Timer]
    why = ""  # the message of what it waits for
    run = ContainerRun(CommandRun(None))
    since: Nanoseconds | None = None
    ended: Terminated | None = None
    last: Terminated | None = None  # of the run before
    restarts = 0
    ready = started = False
    probed: Nanoseconds | None = None  # since when the probes of the run are made
    report: ContainerReport | None = None
    delay: Nanoseconds = 0  # the back-off before the next restart but one

    def __init__(self, plan: ContainerPlan, waiting: str) -> None:
        values = self.__dict__  # written out: a pod may have thousands
        values["plan"], values["waiting"], values["timers"], values["report"] = plan, waiting, [], None

    def __setattr__(self, name: str, value: object) -> None:
        self.__dict__[name] = value
        if name != "report":
            self.__dict__["report"] = None

    def _change(self, **values: object) -> None:
        self.__dict__.update(values, report=None)

    @property
    def name(self) -> str:
        """Returns the container's name."""
        return self.plan.name

    @property
    def has_succeeded(self) -> bool:
        """Tells whether the container has ended with exit code 0."""
        return self.ended is not None and self.ended.exit_code == 0

    def next_run(self) -> ContainerRun | Obstacle:
        """Returns the run that comes next, or why there is none now."""
        return self.plan.run(self.restarts + self._is_restart)

    @property
    def _is_restart(self) -> bool:
        return self.last is not None or self.ended is not None

    def begin(self, now: Nanoseconds, run: ContainerRun) -> None:
        """Starts a run, the first one or a restart."""
        self.restarts += self._is_restart
        if self.ended is not None:
            self.last, self.ended = self.ended, None
        self._change(waiting="", why="", since=now, run=run, probed=None)

    def end(self, now: Nanoseconds, exit_code: int, reason: str = "", message: str = "") -> None:
        """Ends the run."""
        assert self.since is not None
        self.cancel()
        reason = reason or ("Error" if exit_code else "Completed")
        ended = Terminated(self.restarts, exit_code, self.since, now, reason, message)
        self._change(ended=ended, since=None, ready=False, started=False)

    def back_off(self) -> Nanoseconds:
        """Returns the delay before an ended container is restarted."""
        assert self.ended is not None
        loop = CrashLoop(self.delay)
        delay = loop.next_delay(self.ended.finished - self.ended.started)
        self.delay = loop.delay
        return delay

    def wait(self, reason: str, why: str = "") -> None:
        """Makes a container wait, an ended one for its restart."""
        self.last, self.ended = self.ended or self.last, None
        self.waiting, self.why = reason, why

    def cancel(self) -> None:
        """Cancels everything that was planned for the container."""
        if not self.timers:
            return
        for timer in self.timers:
            timer.cancel()
        self.timers.clear()
        self.report = None

    # going on after a restart of the simulation

    def memory(self) -> ContainerMemory:
        """Returns what is kept of the container."""
        begun = self.since is not None or self._is_restart
        waits = self.since is None and self.waiting != PULL_BACK_OFF and bool(self.timers)
        return ContainerMemory(
            self.name,
            self.waiting,
            self.why,
            self.run if begun else None,
            self.since,
            self.ended,
            self.last,
            self.restarts,
            self.ready,
            self.started,
            self.probed,
            self.delay,
            self.timers[-1].due if waits else None,
        )

    def remember(self, past: ContainerMemory) -> None:
        """Becomes what was kept of the container; nothing is planned."""
        self.waiting, self.why = past.waiting, past.why
        self.run = past.run or self.run
        self.since, self.ended, self.last = past.since, past.ended, past.last
        self.restarts, self.ready, self.started = past.restarts, past.ready, past.started
        self.probed = past.probed
        self.delay = past.delay
