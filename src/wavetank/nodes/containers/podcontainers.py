from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import partial

from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import SECOND, Nanoseconds
from wavetank.kernel.weakcalls import weakly
from wavetank.nodes.containers.container import (
    BACK_OFF,
    CONFIG_ERROR,
    CREATING,
    INITIALIZING,
    KILLED,
    NO_IMAGE,
    PULL_BACK_OFF,
    STOPPED,
    Container,
)
from wavetank.nodes.containers.memory import PodContainersMemory
from wavetank.nodes.containers.plans import (
    EPHEMERAL,
    INIT,
    MAIN,
    ContainerPlan,
    ContainerRun,
    Obstacle,
    PodPlan,
    ProbePlan,
)
from wavetank.nodes.containers.probes import LIVENESS, READINESS, STARTUP, Probes
from wavetank.nodes.containers.reports import Identity
from wavetank.nodes.containers.slicedwork import SLICE
from wavetank.nodes.containers.toldcontainers import PodWatcher, ToldContainers

_RETRY: Nanoseconds = 10 * SECOND  # a container that cannot be started is tried again after this time
_OBSTRUCTED = (NO_IMAGE, PULL_BACK_OFF, CONFIG_ERROR)


class PodContainers(ToldContainers):
    """The containers of one pod, started in the order of a kubelet and restarted by the pod's restart policy.

    Init containers run one after the other, sidecars from their place in that row on; then all other containers start.
    The pod ends when these have, and with Never also when an init container has failed.
    """

    def __init__(
        self, pod: Identity, plan: PodPlan, policy: str, grace: Nanoseconds, clock: Clock, watcher: PodWatcher
    ) -> None:
        super().__init__(pod, plan, clock, watcher)
        self._policy = policy
        self._grace = grace
        self._probes = Probes(clock, weakly(self._probe_failed), weakly(self._probed))
        self._succeeded = 0  # init containers that are done for good, at the beginning of the row
        self._stopping = False
        self._ending = ""  # the phase in which the pod is about to end

    def start(self) -> None:
        """Starts the first containers."""
        self._proceed()
        self._changed()

    def adopt(self, since: Nanoseconds, restarts: int) -> None:
        """Takes over containers that have been running since a time."""
        self.initialized = self.ready_changed = since
        self.ready = True
        for container in self.main:
            container.restarts = restarts
            run = container.next_run()
            if isinstance(run, Obstacle):
                self._obstruct(container, run)
                continue
            container.begin(since, run)
            container.ready = container.started = True
            self._plan_end(container)
        for container in self.init:
            container.begin(since, container.run)
            container.end(since, 0)
            container.ready = True

    def remember(self, past: PodContainersMemory, ephemeral: Sequence[ContainerPlan]) -> None:
        """Becomes what was kept of the pod over a restart of the simulation; `resume` goes on from there."""
        self.initialized, self.ready, self.ready_changed = past.initialized, past.ready, past.changed
        known = past.by_name()
        self.ephemeral = [Container(each, CREATING) for each in ephemeral if each.name in known]
        for container in self.all():
            container.remember(known[container.name])

    def resume(self, past: PodContainersMemory) -> None:
        """Plans again what was planned for the containers, and starts those whose turn it was."""
        known = past.by_name()
        for container in self.all():
            due = known[container.name].due
            if container.since is not None:
                self._resume_run(container)
            elif due is not None:
                self._wait_until(max(self._clock.now, due), container)
        self._begin_late()
        if len(self.init) > SLICE:
            self._proceed()

    def _resume_run(self, container: Container) -> None:
        self._plan_end(container)
        for kind, plan in self._probes_of(container) if container.probed is not None else ():
            failed = self._probes.resume(container, kind, plan)
            if failed is not None:
                container.cancel()
                self._kill_failed(container, kind, failed)
                return

    def debug(self, plans: Sequence[ContainerPlan]) -> None:
        """Starts the ephemeral containers that are new; they are never restarted."""
        known = {each.name for each in self.ephemeral}
        new = [Container(plan, CREATING) for plan in plans if plan.name not in known]
        self.ephemeral += new
        self._begin_all(new)
        self._changed()

    def replan(self, plan: PodPlan) -> None:
        """Follows a changed pod: a container with another image is restarted, others find other results of probes."""
        changes = zip([*self.init, *self.main], [*plan.init, *plan.containers], strict=True)
        self._work.add(self._replan, list(changes))
        self._changed()

    def _replan(self, change: tuple[Container, ContainerPlan]) -> None:
        container, new = change
        old, container.plan = container.plan, new
        if new.given.get("image") != old.given.get("image"):
            self._change_image(container)
        elif container.waiting in _OBSTRUCTED:
            self._retry(container)
        elif container.since is not None:
            self._probe_anew(container)

    def _probe_anew(self, container: Container) -> None:
        """Goes on with a run with the results of probes that are planned now."""
        planned = container.plan.run(container.restarts)
        if isinstance(planned, ContainerRun):
            container.run = replace(planned, command=container.run.command)
            container.cancel()
            self._plan_end(container)
            self._probe(container)

    def _change_image(self, container: Container) -> None:
        """Restarts a container whose image was changed, or starts it if it lacked the old one."""
        if container.waiting in _OBSTRUCTED:
            self._retry(container)
        elif container.since is not None and container.plan.part == MAIN:
            message = f"Container {container.name} definition changed, will be restarted"
            self._record(container, "Normal", "Killing", message)
            container.end(self._clock.now, KILLED)
            self._begin(container)

    def stop(self, within: Nanoseconds) -> Nanoseconds:
        """Begins to stop all containers and returns how long that takes; none is restarted any more."""
        self._stop_starting()
        running = self._running()
        for container in self.all():
            container.cancel()
        return min(within, max((container.run.stop for container in running), default=0))

    def stopped(self, within: Nanoseconds, then: Callable[[], None]) -> None:
        """Ends the containers that were asked to stop, tells it, then does something else.

        Those that needed longer than that were killed.
        """

        def end(container: Container) -> None:
            container.end(self._clock.now, STOPPED if container.run.stop <= within else KILLED)

        def told() -> None:
            self._tell()
            then()

        self._work.add(end, self._running())
        self._settle(told)

    def lose(self) -> None:
        """Forgets what was planned: the machine is down."""
        self._drop_work()
        for container in self.all():
            container.cancel()

    def recover(self) -> None:
        """Goes on after the machine was down: what was running then is lost."""
        if self._ending:
            self._end(self._ending)
            return
        lost = self._running()
        self._begin_all([each for each in self.all() if self._is_due_again(each)])
        self._work.add(self._lose_run, lost)
        self._begin_late()
        self._proceed()
        self._settle(self._tell_or_end)

    def _is_due_again(self, container: Container) -> bool:
        """Tells whether a container was to be started again when its timers were cancelled."""
        if container.waiting:
            return container.waiting in (BACK_OFF, *_OBSTRUCTED)
        return container.ended is not None and container.plan.is_restarted(self._policy, container.ended.exit_code)

    def _lose_run(self, container: Container) -> None:
        if container.since is not None:
            self._exit(container, KILLED, "ContainerStatusUnknown")

    def kill(self, exit_code: int, reason: str, then: Callable[[], None]) -> None:
        """Ends all running containers, then does something else."""
        self._stop_starting()
        for container in self.all():
            container.cancel()
        self._work.add(lambda each: each.end(self._clock.now, exit_code, reason), self._running())
        self._settle(then)

    def _stop_starting(self) -> None:
        self._stopping = True
        self._drop_work()

    # starting

    def _proceed(self) -> None:
        """Starts what comes next: an init container, or all containers once they are done."""
        self._work.add(self._proceed_from, [self._succeeded])

    def _proceed_from(self, place: int) -> None:
        """Starts an init container, from a place in their row on, and goes on if it is done at once: a sidecar."""
        for index in range(place, len(self.init)):
            container = self.init[index]
            if self._is_done(container):
                self._succeeded += index == self._succeeded and not container.plan.is_sidecar
                continue
            if container.waiting == INITIALIZING:
                self._begin(container)
                if self._is_done(container):
                    self._work.add(self._proceed_from, [index + 1])
            return
        if self.initialized is None:
            self.initialized = self._clock.now
            self._begin_all(self.main)

    def _begin_late(self) -> None:
        """Starts what was to be started when the start of many containers was interrupted."""
        late = [*(self.main if self.initialized is not None else ()), *self.ephemeral]
        self._begin_all([each for each in late if each.waiting in (INITIALIZING, CREATING)])

    def _begin_all(self, containers: Collection[Container]) -> None:
        self._work.add(self._begin, containers)

    def _begin(self, container: Container) -> None:
        image = container.plan.given.get("image")
        run = container.next_run()
        if isinstance(run, Obstacle):
            self._obstruct(container, run)
            return
        container.begin(self._clock.now, run)
        self._record(container, "Normal", "Pulled", f'Successfully pulled image "{image}"')
        self._record(container, "Normal", "Created", "Container created")
        self._record(container, "Normal", "Started", "Container started")
        self._plan_end(container)
        container.started = container.run.startup is None
        self._probe(container)

    def _obstruct(self, container: Container, obstacle: Obstacle) -> None:
        """Lets a container wait until it can be started; that is tried again and again."""
        self._record(container, "Warning", "Failed", f"Error: {obstacle.message}")
        container.wait(obstacle.reason, obstacle.message)
        self._wait_until(self._clock.now + _RETRY, container)

    def _wait_until(self, due: Nanoseconds, container: Container) -> None:
        """Plans what comes next for a container that does not run."""
        then = {NO_IMAGE: self._back_off_pull, CONFIG_ERROR: self._try_again}.get(container.waiting, self._restart)
        container.timers.append(self._clock.at(due, partial(then, container), background=True))
        container.report = None

    def _try_again(self, container: Container) -> None:
        self._retry(container)
        self._changed()

    def _retry(self, container: Container) -> None:
        container.cancel()
        self._begin(container)

    def _back_off_pull(self, container: Container) -> None:
        image = container.plan.given.get("image")
        self._record(container, "Normal", "BackOff", f'Back-off pulling image "{image}"')
        container.wait(PULL_BACK_OFF, f'Back-off pulling image "{image}"')
        self._changed()

    def _plan_end(self, container: Container) -> None:
        run = container.run.command
        if run.duration is not None and container.since is not None:
            due = max(self._clock.now, container.since + run.duration)
            end = partial(self._ended, container, run.exit_code)
            container.timers.append(self._clock.at(due, end, background=True))

    def _probe(self, container: Container) -> None:
        """Begins the probes of a run: that of the startup first, then the others."""
        container.probed = self._clock.now
        if container.started and container.run.readiness is None:
            container.ready = container.plan.is_sidecar or container.plan.part != INIT
        for kind, plan in self._probes_of(container):
            self._probes.begin(container, kind, plan)

    def _probes_of(self, container: Container) -> list[tuple[str, ProbePlan]]:
        """Returns the probes that are made now."""
        run = container.run
        if not container.started:
            return [(STARTUP, run.startup)] if run.startup is not None else []
        alive = run.liveness is None or run.liveness.always_succeeds
        probes = ((LIVENESS, None if alive else run.liveness), (READINESS, run.readiness))
        return [(kind, plan) for kind, plan in probes if plan is not None]

    def _probe_failed(self, container: Container, kind: str) -> None:
        self._record(container, "Warning", "Unhealthy", f"{kind} probe failed: ")

    def _probed(self, container: Container, kind: str, success: bool) -> None:
        if kind == READINESS:
            container.ready = success
        elif not success:
            message = f"Container {container.name} failed {kind.lower()} probe, will be restarted"
            self._record(container, "Normal", "Killing", message)
            container.cancel()
            self._kill_failed(container, kind, self._clock.now)
            return
        elif kind == STARTUP:
            container.started = True
            self._probe(container)
            self._proceed()
        self._changed()

    def _kill_failed(self, container: Container, kind: str, since: Nanoseconds) -> None:
        """Lets a container end that has failed a probe at a time."""
        probe = container.run.liveness if kind == LIVENESS else container.run.startup
        grace = self._grace if probe is None or probe.grace is None else probe.grace
        due = max(self._clock.now, since + min(container.run.stop, grace))
        container.timers.append(self._clock.at(due, partial(self._ended, container, KILLED), background=True))

    # ending

    def _ended(self, container: Container, exit_code: int) -> None:
        if container.since is None or self._stopping:
            return
        self._exit(container, exit_code)
        self._proceed_or_end(container)

    def _exit(self, container: Container, exit_code: int, reason: str = "") -> None:
        """Ends a run and plans the next one, if the container is restarted."""
        container.end(self._clock.now, exit_code, reason, _message(container, exit_code))
        if container.plan.part == INIT and container.has_succeeded and not container.plan.is_sidecar:
            container.ready = True
        if not container.plan.is_restarted(self._policy, exit_code):
            return
        if delay := container.back_off():
            container.wait(BACK_OFF)
            self._record(container, "Warning", "BackOff", f"Back-off restarting failed container {container.name}")
        self._wait_until(self._clock.now + delay, container)

    def _restart(self, container: Container) -> None:
        self._begin(container)
        if self.initialized is None:
            self._proceed()
        self._changed()

    def _proceed_or_end(self, container: Container) -> None:
        is_init = container.plan.part == INIT
        if self.has_many and not is_init:
            self._changed()  # whether the pod ends is looked up once
            return
        if phase := self._outcome([container] if is_init else ()):
            self._end(phase)
            return
        if is_init and self.initialized is None:
            self._proceed()
        self._changed()

    def _go_on(self) -> None:
        phase = self._outcome(()) if self.has_many and not self._stopping else ""
        if phase:
            self._end(phase)
        else:
            super()._go_on()

    def _tell_or_end(self) -> None:
        if phase := self._outcome(self.init):
            self._end(phase)
        else:
            self._tell()

    def _end(self, phase: str) -> None:
        """Ends the pod, and with it its sidecars and ephemeral containers."""
        self._ending = phase
        self._stop_starting()
        self._work.add(self._end_with_pod, self._running())
        self._settle(partial(self._tell_end, phase))

    def _end_with_pod(self, container: Container) -> None:
        container.end(self._clock.now, STOPPED if container.plan.part == EPHEMERAL else 0)

    def _tell_end(self, phase: str) -> None:
        codes = (each.ended.exit_code for each in (*self.init, *self.main) if each.ended)
        code = next((code for code in codes if code), 0)
        self._note_ready()
        self._watcher.ended(self, phase, code)


def _message(container: Container, exit_code: int) -> str:
    """Returns the termination message: what the command wrote to its file, or its last output after an error."""
    return container.run.command.message_of(exit_code, str(container.plan.given.get("terminationMessagePolicy") or ""))
