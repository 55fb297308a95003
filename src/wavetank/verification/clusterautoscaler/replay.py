"""An autoscaler that decides loop by loop from recorded states: whatever it decides, the recorded decision is done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from wavetank.cluster.objects.groupkinds import NODE
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.controllers.clusterautoscaler.autoscaler import ClusterAutoscaler
from wavetank.controllers.clusterautoscaler.loop import POD_APPEARED, RunLoop, Trigger
from wavetank.controllers.clusterautoscaler.report import LoopReport, Resize, ScaleDownReport
from wavetank.controllers.clusterautoscaler.scaledown.planner import UnneededNode
from wavetank.controllers.clusterautoscaler.scaleup.orchestrator import Result, ScaleUpStatus
from wavetank.controllers.clusterautoscaler.templates import NodeTemplate
from wavetank.kernel.clock import SCHEDULERS
from wavetank.kernel.durations import Nanoseconds
from wavetank.verification.clusterautoscaler.recordedorder import RecordedOrder

Json = dict[str, Any]
_INSTANT: Nanoseconds = 100_000  # recorded loops that are closer than this belong to one instant
_RESOLUTION: Nanoseconds = 1_000  # of recorded times of loops, which are rounded down
_MILLISECOND: Nanoseconds = 1_000_000


class RecordedTrigger:
    """Runs loops at the recorded times; further loops of an instant when schedulers have finished their work of it."""

    def __init__(self, store: Store, run: RunLoop, loops: list[Json], begin: Callable[[int], None]) -> None:
        self._store = store
        self._clock = store.clock
        self._run = run
        self._loops = loops
        self._begin = begin
        self._next = 0
        self._seen = -1
        self._plan()

    def signal(self) -> None:
        """Does nothing."""

    def _plan(self) -> None:
        if self._next < len(self._loops):
            due = int(self._loops[self._next]["t"]) + _RESOLUTION - 1
            self._clock.at(max(due, self._clock.now), self._due)

    def _due(self) -> None:
        self._clock.at(self._clock.now, self._start, SCHEDULERS)

    def _start(self) -> None:
        if self._seen != self._store.version:
            self._seen = self._store.version
            self._clock.at(self._clock.now, self._start, SCHEDULERS)
            return
        number, self._next = self._next, self._next + 1
        loop = self._loops[number]
        first = not number or int(loop["t"]) - int(self._loops[number - 1]["t"]) > _INSTANT
        self._begin(number)
        self._run(str(loop["trigger"]), first and loop["trigger"] == POD_APPEARED)
        self._plan()


class ForcedOrder(RecordedOrder):
    """Follows the recorded loop of a number."""

    def follow(self, number: int) -> None:
        """Makes a recorded loop the present one."""
        self.loop = self._loops[number]
        self.down = self.loop.get("down", self.down)
        self._last = self._clock.now

    def begin(self) -> None:
        """Does nothing: the loop is known."""


class ReplayedAutoscaler(ClusterAutoscaler):
    """Runs the recorded loops, each from the recorded state.

    Its reports tell what it would have done; done is what the real program did. `order` must be a ForcedOrder.
    """

    _order: ForcedOrder

    def __init__(self, loops: list[Json], *args: Any) -> None:
        self._loops = loops
        self._decided = False  # whether this loop came to a decision about adding nodes
        super().__init__(*args)

    def _make_trigger(self, first: Nanoseconds) -> Trigger:
        return RecordedTrigger(self._context.store, self._loop, self._loops, self._order.follow)

    # adding nodes

    def _help(
        self, pods: list[Pod], ready: list[Node], templates: dict[str, NodeTemplate], report: LoopReport
    ) -> Result:
        self._decided = False
        result = super()._help(pods, ready, templates, report)
        plan = self._recorded_plan()
        if plan and not self._decided:
            result = self._carry_out(ScaleUpStatus(Result.PLANNED, plan), report).result
        return result

    def _plan(
        self, pods: list[Pod], ready: list[Node], templates: dict[str, NodeTemplate], report: LoopReport
    ) -> ScaleUpStatus:
        self._decided = True
        status = super()._plan(pods, ready, templates, report)
        plan = self._recorded_plan()
        if plan:
            return replace(status, result=Result.PLANNED, plan=plan)
        return status if status.result is not Result.PLANNED else ScaleUpStatus(Result.NO_OPTIONS)

    def _recorded_plan(self) -> list[Resize]:
        present = {group.name: group for group in self._groups.all().values()}
        plan = self._order.loop.get("plan") or ()
        return [Resize(present[name].id, before, after, most) for name, before, after, most in plan if name in present]

    # removing nodes

    def _find_unneeded(
        self, candidates: list[Node], destinations: set[str], down: ScaleDownReport, now: Nanoseconds
    ) -> None:
        known = {name: until for name, until in self._planner.unremovable.items() if until > now}
        super()._find_unneeded(candidates, destinations, down, now)
        since = self._order.down.get("unneeded_since_ms") or {}
        found = self._planner.unneeded
        self._planner.unneeded = {
            name: replace(found[name], since=_at(time)) if name in found else self._unneeded(name, time)
            for name, time in since.items()
            if name in self._nodes.all
        }
        until = now + self._options.unremovable_node_recheck_timeout
        self._planner.unremovable = known | dict.fromkeys(self._order.down.get("cannot") or (), until)

    def _unneeded(self, name: str, since_ms: int) -> UnneededNode:
        return UnneededNode(self._nodes.all[name], _at(since_ms), self._moving(name))

    def _moving(self, name: str) -> list[Pod]:
        names = {pod for each in self._order.loop.get("remove_drain") or () if each[0] == name for pod in each[1]}
        return [pod for pod in self._pods.pods_on(name) if pod.name in names]

    def _scale_down(self, not_started: set[str], forbidden: bool, report: LoopReport) -> bool:
        started = super()._scale_down(not_started, forbidden, report)
        empty, filled = self._recorded_removals()
        if started or not (empty or filled):
            return started
        self._cooldown.removal_began(report.time)
        return self._actuator.start(empty, filled)

    def _choose_removals(self, report: LoopReport) -> tuple[list[UnneededNode], list[UnneededNode]]:
        super()._choose_removals(report)
        return self._recorded_removals()

    def _recorded_removals(self) -> tuple[list[UnneededNode], list[UnneededNode]]:
        loop = self._order.loop
        names = (loop.get("remove_empty") or (), [each[0] for each in loop.get("remove_drain") or ()])
        empty, filled = ([self._removal(name) for name in each if self._exists(name)] for each in names)
        return empty, filled

    def _removal(self, name: str) -> UnneededNode:
        return self._planner.unneeded.get(name) or self._unneeded(name, self._context.clock.now // _MILLISECOND)

    def _exists(self, name: str) -> bool:
        return self._context.store.find(NODE, "", name) is not None and name not in self._deletions.all()


def _at(milliseconds: int) -> Nanoseconds:
    """Returns the earliest time of a recorded one, which is rounded to the nearest millisecond."""
    return milliseconds * _MILLISECOND - _MILLISECOND // 2 + 1
