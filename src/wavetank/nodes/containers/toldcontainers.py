from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import chain
from typing import Protocol

from wavetank.kernel.clock import Clock, Timer
from wavetank.kernel.durations import Nanoseconds
from wavetank.kernel.weakcalls import weakly
from wavetank.nodes.containers.container import Container
from wavetank.nodes.containers.containerlists import ContainerLists
from wavetank.nodes.containers.plans import PodPlan
from wavetank.nodes.containers.reports import Identity, describe
from wavetank.nodes.containers.slicedwork import SLICE, SlicedWork


class PodWatcher(Protocol):
    """The kubelet of a pod, which is told what its containers do."""

    def changed(self, containers: ToldContainers) -> None:
        """Reports the new state of the containers."""

    def ended(self, containers: ToldContainers, phase: str, exit_code: int) -> None:
        """Ends the pod: no container runs, and none will be started."""

    def record(self, containers: ToldContainers, container: Container, type_: str, reason: str, message: str) -> None:
        """Records an Event about a container."""


class ToldContainers(ContainerLists):
    """The containers of one pod, whose kubelet is told when they have changed.

    If many have changed, their reports are made in slices, and the kubelet is told when all are done, once. Of a pod
    with many containers (`has_many`) it is told once at each instant: they may all end in one.
    """

    def __init__(self, pod: Identity, plan: PodPlan, clock: Clock, watcher: PodWatcher) -> None:
        super().__init__(plan)
        self.pod = pod
        self.ready = False
        self.ready_changed: Nanoseconds = clock.now
        self._clock = clock
        self._watcher = watcher
        self._work = SlicedWork(clock, weakly(self._settled))
        self._then: Callable[[], None] | None = None  # when the pending work is done, instead of telling the kubelet
        self.has_many = len(self.init) + len(self.main) > SLICE
        self._is_told = True
        self._later: Timer | None = None

    def _changed(self) -> None:
        if not self.has_many:
            self._go_on()
            return
        self._is_told = False
        if self._later is None:
            self._later = self._clock.at(self._clock.now, self._look)

    def _look(self) -> None:
        """Goes on after everything that has happened to many containers in an instant."""
        self._later = None
        if not self._is_told:
            self._go_on()

    def _go_on(self) -> None:
        if not self._work.is_sliced:
            self._settled()

    def _settle(self, then: Callable[[], None]) -> None:
        """Does something once the pending work is done and all containers have reports: at once if there are few.

        It must not be called by a piece of that work.
        """
        assert not self._work.is_busy
        self._then = then
        self._go_on()

    def _settled(self) -> None:
        changed = [each for each in self.all() if each.report is None]
        if len(changed) > SLICE:
            self._work.add(partial(describe, self.pod), changed)
        else:
            then, self._then = self._then or self._tell, None
            then()

    def _drop_work(self) -> None:
        self._work.drop()
        self._then = None
        if self._later is not None:
            self._later.cancel()
            self._later = None

    def _tell(self) -> None:
        self._is_told = True
        self._note_ready()
        self._watcher.changed(self)

    def _note_ready(self) -> None:
        sidecars = (each for each in self.init if each.plan.is_sidecar)
        ready = self.initialized is not None and all(each.ready for each in chain(sidecars, self.main))
        if ready is not self.ready:
            self.ready, self.ready_changed = ready, self._clock.now

    def _record(self, container: Container, type_: str, reason: str, message: str) -> None:
        self._watcher.record(self, container, type_, reason, message)
