"""Takes the recorded choice where the real programs leave it to chance: map order, equal groups, equal nodes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from wavetank.cluster.objects.groupkinds import POD
from wavetank.cluster.objects.node import Node
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.store.store import Store
from wavetank.kernel.clock import Clock
from wavetank.kernel.durations import Nanoseconds
from wavetank.scheduling.framework.cycle.cycle import Cycle, Outcome
from wavetank.verification.clusterautoscaler.recording import RecordedInputs, RecordedOutputs

Json = dict[str, Any]
_CLOSE: Nanoseconds = 5_000_000
_TOO_EARLY = "0 nodes are available: the recorded scheduler had not seen them yet."


class RecordedOrder:
    """Follows the recorded loop of the same number within the same instant, as far as there is one."""

    is_random = False

    def __init__(self, inputs: RecordedInputs, outputs: RecordedOutputs, clock: Clock) -> None:
        self._clock = clock
        self._loops = outputs.loops
        self._taints = outputs.taints
        self._ids = {group["name"]: f"{group['kind']}/default/{group['name']}" for group in inputs.groups}
        self._next = 0  # the first recorded loop that is not older than the present instant
        self._last: Nanoseconds = -1
        self._number = 0
        self.loop: Json = {}
        self.down: Json = {}

    def begin(self) -> None:
        """Finds the recorded loop."""
        now = self._clock.now
        self._number = self._number + 1 if now - self._last <= _CLOSE else 0
        self._last = now if not self._number else self._last
        while self._next < len(self._loops) and self._loops[self._next]["t"] < self._last - _CLOSE:
            self.down = self._loops[self._next].get("down", self.down)
            self._next += 1
        present = [loop for loop in self._loops[self._next : self._next + 40] if loop["t"] <= self._last + _CLOSE]
        self.loop = present[min(self._number, len(present) - 1)] if present else {}
        for loop in present[: self._number + 1]:
            self.down = loop.get("down", self.down)

    def pods(self, pods: list[Pod], total: int) -> list[Pod]:
        """Puts pods that were packed before those that were not, and those in their recorded order."""
        packed = self.loop.get("packing") or {}
        rest = {name: number for number, name in enumerate(self.loop.get("unschedulable") or ())}
        return sorted(pods, key=lambda pod: (pod.name not in packed, rest.get(pod.name, len(rest))))

    def nodes(self, nodes: Iterable[Node]) -> Iterator[Node]:
        """Puts nodes that were found unneeded before others."""
        unneeded = self.down.get("unneeded_since_ms") or {}
        return iter(sorted(nodes, key=lambda node: (node.name not in unneeded, node.name)))

    def removals(self, names: list[str]) -> list[str]:
        """Puts nodes that were removed first."""
        removed = [*(self.loop.get("remove_empty") or ()), *(each[0] for each in self.loop.get("remove_drain") or ())]
        return sorted(names, key=lambda name: removed.index(name) if name in removed else len(removed))

    def taints(self, names: list[str]) -> list[str]:
        """Puts nodes first that were tainted in this loop."""
        tainted = [node for time, node, *_ in self._taints if abs(time - self._last) <= _CLOSE]
        return sorted(names, key=lambda name: tainted.index(name) if name in tainted else len(tainted))

    def group(self, ids: Sequence[str]) -> str:
        """Returns the recorded choice if it is one of the groups."""
        best = self._ids.get(str(self.loop.get("best")), "")
        return best if best in ids else ids[0]

    def packed_on(self, pod: Pod) -> str:
        """Returns the node on which a pod was packed."""
        name = str((self.loop.get("packing") or {}).get(pod.name, ""))
        if not name.startswith("upcoming:"):
            return name
        group, _, number = name.removeprefix("upcoming:").rpartition("/")
        return f"template-node-for-{self._ids[group]}-upcoming-{number}"

    def moved_to(self, pod: Pod) -> str:
        """Returns the node to which a pod was moved in the simulation."""
        return str((self.down.get("moves") or {}).get(pod.name, ""))


class RecordedBindings:
    """Lets a scheduler bind pods as recorded: on the recorded node if it is feasible, and not before the recorded time.

    The real scheduler hears of several nodes or ended pods of one instant one after the other, and tries pods in
    between. Which pods it tries too early to see all of them depends on how the Go runtime interleaves its goroutines.
    """

    def __init__(self, outputs: RecordedOutputs) -> None:
        self._bindings = {str(entry[2]): (int(entry[0]), str(entry[3])) for entry in outputs.pods if entry[1] == "bind"}
        self._preemptions = [
            (int(entry[0]), str(entry[2]), int(entry[4]))
            for entry in outputs.pods
            if entry[1] == "terminating" and entry[3] == "scheduler"
        ]

    def plan_preemptions(self, store: Store) -> None:
        """Preempts the pods that the recorded scheduler preempted, unless that has happened by then."""
        for time, name, grace_s in self._preemptions:
            store.clock.at(time, partial(_preempt, store, name, grace_s))

    def explain(self, time: Nanoseconds, pod: Pod, outcome: Outcome, cycle: Cycle) -> None:
        """Changes the result of an attempt."""
        bound, name = self._bindings.get(pod.name, (0, ""))
        preemption = outcome.preemption
        if preemption is not None and name in preemption.equally_good:
            preemption.nominated = name
        if not outcome.node_name:
            return
        if cycle.table.slots.get(name, -1) in outcome.feasible and bound <= time + _CLOSE:
            outcome.node_name = name
        elif bound > time - _CLOSE:
            outcome.node_name, outcome.message, outcome.rejectors = "", _TOO_EARLY, frozenset({"NodeResourcesFit"})


def _preempt(store: Store, name: str, grace_s: int) -> None:
    for pod in store.list(POD):
        if pod.name == name and pod.deleted is None:
            store.evict(pod, "", grace_s)
