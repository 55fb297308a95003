from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.batchoperator.client.objects import KubeObject
from wavetank.batchoperator.reconcilers.pods import is_ghost
from wavetank.batchoperator.reconcilers.testbed.plan import Place, Plan
from wavetank.batchoperator.resources import labels
from wavetank.batchoperator.resources.testbed import SlotState
from wavetank.cluster.objects.pod import ENDS

Key = tuple[str, str]
Entry = Mapping[str, Any]  # a slot in the status of a testbed


class Slots:
    """The pods of one testbed, by slot; changes are noted, so that only slots that have changed are looked at again.

    `unsettled` are pods that are unscheduled or terminating. `stale` are slots whose status may have changed, `due`
    those in which pods may have to be created or deleted.
    """

    def __init__(self) -> None:
        self.plan: Plan | None = None
        self.ids: dict[Place, int] = {}
        self.ghosts: dict[Place, dict[Key, KubeObject]] = {}
        self.others: dict[Place, dict[Key, KubeObject]] = {}  # pods of applications
        self.unsettled: dict[Key, KubeObject] = {}
        self.astray: dict[Key, KubeObject] = {}  # scheduled, but not to the node of a slot
        self.entries: tuple[Entry, ...] = ()  # the last known status
        self.documents: dict[Place, Mapping[str, Any]] = {}  # the ghost pods of this plan
        self.stale: set[Place] = set()
        self.due: set[Place] = set()
        self._place: dict[Key, Place] = {}
        self._layout: dict[Place, int] | None = None  # of the last known status

    def take(self, plan: Plan) -> None:
        """Takes a new plan; everything has to be looked at again."""
        self.plan = plan
        self.documents.clear()
        self.ids = {place: id_ for id_, place in enumerate(plan.places)}
        self.touch_all()

    def touch_all(self) -> None:
        """Notes all slots as changed."""
        self.stale.update(self.ids)
        self.due.update(self.ids, self.ghosts)

    def note(self, pod: KubeObject, gone: bool) -> None:
        """Notes the new version of a pod."""
        key = pod.key
        self._forget(key)
        if gone or pod.phase in ENDS:
            return
        if not pod.node_name or pod.deleting:
            self.unsettled[key] = pod
        place = place_of(pod)
        if place is None:
            if pod.node_name:
                self.astray[key] = pod
            return
        self._place[key] = place
        table = self.ghosts if is_ghost(pod) else self.others
        if place in table:
            table[place][key] = pod
        else:
            table[place] = {key: pod}
        self.stale.add(place)
        self.due.add(place)

    def _forget(self, key: Key) -> None:
        self.unsettled.pop(key, None)
        if self.astray:
            self.astray.pop(key, None)
        place = self._place.pop(key, None)
        if place is not None:
            self.stale.add(place)
            self.due.add(place)
            for table in (self.ghosts, self.others):
                pods = table.get(place)
                if pods is not None and pods.pop(key, None) is not None and not pods:
                    del table[place]

    def follow(self, entries: Iterable[Entry]) -> None:
        """Takes over the status as it is now; the extender writes it, too."""
        entries = tuple(entries)
        if entries != self.entries:
            if len(entries) != len(self.ids):
                self._layout = None  # it was written by another program, or before a change of the nodes
            known = {id(entry) for entry in self.entries}
            for entry in entries:
                if id(entry) not in known:
                    place = (entry["nodeName"], entry["slotPositionOnNode"])
                    self.stale.add(place)
                    self.due.add(place)
            self.entries = entries

    def report(self) -> tuple[Entry, ...]:
        """Returns the status of all slots; that of unchanged ones is the same object as before."""
        if self._is_complete:
            if not self.stale:
                return self.entries
            entries = list(self.entries)
            for place in self.stale & self.ids.keys():
                old = entries[self.ids[place]]
                new = self._entry(place, old)
                if new != old:
                    entries[self.ids[place]] = new
            return tuple(entries)
        before = {(entry["nodeName"], entry["slotPositionOnNode"]): entry for entry in self.entries}
        return tuple(self._entry(place, before.get(place)) for place in self.ids)

    @property
    def _is_complete(self) -> bool:
        """Tells whether the last known status is that of these slots."""
        return self._layout is self.ids and len(self.entries) == len(self.ids)

    def reported(self, entries: tuple[Entry, ...]) -> None:
        """Notes that this status was written."""
        self.entries = entries
        self._layout = self.ids
        self.stale.clear()

    def _entry(self, place: Place, old: Entry | None) -> dict[str, Any]:
        assert self.plan is not None
        node, position = place
        state, pod, reserved_for = self._occupation(place, old)
        entry: dict[str, Any] = {
            "position": self.ids[place],
            "nodeName": node,
            "nodeId": self.plan.node_ids[node],
            "slotPositionOnNode": position,
            "state": state.value,
        }
        if pod is not None:
            entry |= {"podName": pod.name, "podUId": pod.uid}
        if reserved_for:
            entry["reservedFor"] = reserved_for
        return entry

    def _occupation(self, place: Place, old: Entry | None) -> tuple[SlotState, KubeObject | None, str]:
        ghost = next((pod for pod in self.ghosts.get(place, {}).values() if pod.node_name and not pod.deleting), None)
        others = self.others.get(place, {}).values()
        inside = next((pod for pod in others if pod.node_name), None)
        if inside is not None:
            return SlotState.OCCUPIED, inside, ""
        coming = next(iter(others), None)
        if coming is not None:
            return SlotState.RESERVED, ghost, coming.name
        reserved_for = self._promised(old)
        if reserved_for:
            return SlotState.RESERVED, ghost, reserved_for
        return SlotState.FREE, ghost, ""

    def _promised(self, old: Entry | None) -> str:
        """Returns the pod for which a slot is reserved, if that pod is still there but not yet marked."""
        name = "" if old is None else str(old.get("reservedFor") or "")
        waits = name and any(pod.name == name and place_of(pod) is None for pod in self.unsettled.values())
        return name if waits else ""


def place_of(pod: KubeObject) -> Place | None:
    """Returns the slot that a pod is in or will be in; None if it is on another node than it should be."""
    node, position = pod.labels.get(labels.TARGET_NODE), pod.labels.get(labels.SLOT_ID)
    if not node or position is None or not position.isdecimal() or pod.node_name not in ("", node):
        return None
    return node, int(position)
