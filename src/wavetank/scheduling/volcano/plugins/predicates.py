from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wavetank.cluster.objects.podspec import PodSpec
from wavetank.scheduling.framework.cycle.cycle import Cycle
from wavetank.scheduling.framework.nodes.arrays import IntArray
from wavetank.scheduling.framework.plugin import SKIP, FilterPlugin, PreFilterPlugin
from wavetank.scheduling.volcano import defects
from wavetank.scheduling.volcano.config.arguments import Arguments
from wavetank.scheduling.volcano.model.fiterrors import ERROR, RESOLVABLE, UNRESOLVABLE, Status
from wavetank.scheduling.volcano.model.statuses import BINDING
from wavetank.scheduling.volcano.model.task import TEMPLATE, Task
from wavetank.scheduling.volcano.plugins.kubeplugins import KubePlugins
from wavetank.scheduling.volcano.session.hooks import Hooks, Plugin
from wavetank.scheduling.volcano.session.session import Session

_FULL = Status(RESOLVABLE, "node(s) pod number exceeded")
_CACHED = Status(ERROR, "plugin equivalence cache predicates failed")
_UNPREPARED = Status(ERROR, "not found")  # what a filter says whose PreFilter has not seen the task


class Predicates(Plugin):
    """Filters nodes as kube-scheduler does, but for resources, and keeps its account of the nodes up to date.

    Statuses are collected until one is unresolvable. Filters that depend on the node object alone come first; with
    `predicate.CacheEnable` their answers are kept for pods of one template.
    """

    name = "predicates"

    def __init__(self, arguments: Arguments, kube: KubePlugins) -> None:
        self._kube = kube
        stable: list[tuple[str, FilterPlugin]] = [
            ("", kube.unschedulable),
            ("NodeAffinity", kube.affinity),
            ("TaintToleration", kube.taints),
        ]
        others: list[tuple[str, FilterPlugin]] = [
            ("NodePorts", kube.ports),
            ("PodAffinity", kube.pod_affinity),
            ("NodeVolumeLimits", kube.volume_limits),
            ("VolumeZone", kube.volume_zones),
            ("PodTopologySpread", kube.spread),
            ("VolumeBinding", kube.volumes),
        ]
        self._stable = _enabled(stable, arguments)
        self._others = _enabled(others, arguments)
        self._preparing = [each for each in (*self._stable, *self._others) if isinstance(each, PreFilterPlugin)]
        self._caches = arguments.flag("predicate.CacheEnable", False)

    def open(self, session: Session) -> Hooks:
        """Takes part in filtering, and follows what becomes of tasks."""
        self._session = session
        self._cycles: dict[str, Cycle] = {}  # of the tasks that have been looked at
        self._families: dict[object, tuple[list[PreFilterPlugin], list[str]]] = {}
        self._reserved: dict[str, Task] = {}  # tasks for which volumes are kept
        self._fits: dict[str, IntArray] = {}  # by template: 0 unknown, 1 fits, -1 does not
        return Hooks(
            prepare=self._prepare,
            predicate=self._judge,
            allocated=self._allocated,
            deallocated=self._deallocated,
            close=self._close,
        )

    # the tasks

    def _prepare(self, task: Task) -> str:
        cycle = self._cycles.get(task.key)
        if cycle is None or defects.STICKY_SKIPS in self._session.without:
            cycle = self._kube.cycle(self._session.table, task.pod)
        asked, skipped = self._interested(task.pod.spec)
        cycle.skipped.update(skipped)
        for plugin in asked:
            result = SKIP if plugin.passes_now(cycle) else plugin.pre_filter(cycle)
            if result.rejected is not None:
                return f"plugin {plugin.name} pre-predicates failed {result.rejected.text}"
            if result.skip:
                cycle.skipped.add(plugin.name)
            elif task.pod.nominated_node:  # of such a task preempt asks the filters before they are prepared again
                plugin.freeze(cycle)
        self._cycles[task.key] = cycle
        return ""

    def _interested(self, spec: PodSpec) -> tuple[list[PreFilterPlugin], list[str]]:
        """Returns the filters that have to look at pods of a spec beforehand, and the names of those that need not."""
        known = self._families.get(spec.family)
        if known is None:
            asked: list[PreFilterPlugin] = [plugin for plugin in self._preparing if not plugin.skips_family(spec)]
            skipped = [plugin.name for plugin in self._preparing if plugin.skips_family(spec)]
            known = self._families[spec.family] = (asked, skipped)
        return known

    def _allocated(self, task: Task) -> None:
        """Shows a task on its node; one whose eviction is taken back cannot be reserved a place, and stays hidden."""
        cycle = self._cycles.get(task.key)
        if cycle is not None or defects.HIDDEN_PODS in self._session.without:
            self._session.show(task)
        if cycle is not None and task.pod.spec.volumes:
            self._kube.volumes.reserve(cycle, task.node)
            self._reserved[task.key] = task

    def _deallocated(self, task: Task) -> None:
        self._session.hide(task)
        if self._reserved.pop(task.key, None) is not None:
            self._kube.volumes.unreserve(self._cycles[task.key], task.node)

    def _close(self) -> None:
        """Gives up the volumes of tasks that are not bound in this session."""
        for task in self._reserved.values():
            if task.status != BINDING:
                self._kube.volumes.unreserve(self._cycles[task.key], task.node)

    def awaited(self, task: Task, node_name: str) -> Cycle | None:
        """Returns what was found for a task whose volumes have to be bound before it, or None."""
        cycle = self._cycles.get(task.key) if task.key in self._reserved else None
        return cycle if cycle is not None and self._kube.volumes.has_to_prepare(cycle, node_name) else None

    # the nodes

    def _judge(self, task: Task, slots: IntArray) -> IntArray:
        table = self._session.table
        cycle = self._cycles.get(task.key)
        full = table.max_pods[slots] <= table.pod_count[slots]
        numbers = np.where(full, self._session.statuses.number((_FULL,)), 0)
        alive = self._apply_stable(task, cycle or self._kube.cycle(table, task.pod), slots, numbers)
        if cycle is None:
            self._object(numbers, alive, _UNPREPARED)
            return numbers
        self._apply(self._others, cycle, slots, numbers, alive)
        return numbers

    def _apply_stable(self, task: Task, cycle: Cycle, slots: IntArray, numbers: IntArray) -> IntArray:
        """Asks the stable filters, or looks up what they have said; returns the places that are still open."""
        template = task.pod.annotations.get(TEMPLATE) if self._caches else None
        places = np.arange(len(slots))
        if not template:
            return self._apply(self._stable, cycle, slots, numbers, places)
        known = self._fits.setdefault(template, np.zeros(len(self._session.names), np.int64))
        answers = known[slots]
        self._object(numbers, np.flatnonzero(answers < 0), _CACHED)
        asked = np.flatnonzero(answers == 0)
        passed = self._apply(self._stable, cycle, slots, numbers, asked)
        known[slots[asked]] = -1
        known[slots[passed]] = 1
        return np.flatnonzero(known[slots] > 0)

    def _apply(
        self, filters: Sequence[FilterPlugin], cycle: Cycle, slots: IntArray, numbers: IntArray, places: IntArray
    ) -> IntArray:
        """Adds the statuses of filters to the numbers; returns the positions without an unresolvable one."""
        for plugin in filters:
            if plugin.name in cycle.skipped or not len(places):
                continue
            codes = plugin.filter(cycle, slots[places])
            if not codes.any():
                continue
            for code in np.unique(codes[codes != 0]).tolist():
                reasons = plugin.reasons(cycle, code)
                resolvable = all(reason.resolvable for reason in reasons)
                text = ", ".join(reason.text for reason in reasons)
                status = Status(RESOLVABLE if resolvable else UNRESOLVABLE, text)
                self._object(numbers, places[codes == code], status)
            places = places[~self._session.statuses.unresolvable(numbers[places])]
        return places

    def _object(self, numbers: IntArray, places: IntArray, status: Status) -> None:
        """Adds one status to the numbers of some nodes."""
        statuses = self._session.statuses
        for number in np.unique(numbers[places]).tolist():
            same = places[numbers[places] == number]
            numbers[same] = statuses.number((*statuses.objections(number), status))


def _enabled(filters: Sequence[tuple[str, FilterPlugin]], arguments: Arguments) -> list[FilterPlugin]:
    """Removes the filters that are switched off; one without a key cannot be."""
    return [each for key, each in filters if not key or arguments.flag(f"predicate.{key}Enable", True)]
