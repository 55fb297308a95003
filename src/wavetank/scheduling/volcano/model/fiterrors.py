"""Why tasks found no node: per node the statuses that were collected, kept as small numbers."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from wavetank.scheduling.framework.nodes.arrays import BoolArray, IntArray

RESOLVABLE, UNRESOLVABLE, ERROR = "Unschedulable", "UnschedulableAndUnresolvable", "Error"


class Status(NamedTuple):
    """A predicate's status for a node, and whether evicting pods may help."""

    code: str
    text: str


Objections = tuple[Status, ...]


class StatusTable:
    """Numbers each distinct list of statuses of a node; 0 is the empty one."""

    def __init__(self) -> None:
        self._all: list[Objections] = [()]
        self._numbers: dict[Objections, int] = {(): 0}
        self._unresolvable = [False]
        self._hopeless = [False]

    def number(self, objections: Objections) -> int:
        """Returns the number of a list of statuses."""
        found = self._numbers.get(objections)
        if found is None:
            found = self._numbers[objections] = len(self._all)
            codes = {status.code for status in objections}
            self._all.append(objections)
            self._unresolvable.append(UNRESOLVABLE in codes)
            self._hopeless.append(not codes <= {RESOLVABLE})
        return found

    def objections(self, number: int) -> Objections:
        """Returns the list of statuses of a number."""
        return self._all[number]

    def unresolvable(self, numbers: IntArray) -> BoolArray:
        """Returns which nodes evicting pods cannot help."""
        return np.array(self._unresolvable, np.bool_)[numbers]

    def hopeless(self, numbers: IntArray) -> BoolArray:
        """Returns which nodes are excluded from preemption: unresolvable, or an error."""
        return np.array(self._hopeless, np.bool_)[numbers]


class FitErrors:
    """Why one task found no node: a text, or the statuses of some nodes."""

    __slots__ = ("_message", "_statuses", "_text", "numbers", "slots")

    def __init__(self, statuses: StatusTable, slots: IntArray, numbers: IntArray, message: str = "") -> None:
        self._statuses = statuses
        self.slots = slots
        self.numbers = numbers
        self._message = message
        self._text = ""

    @property
    def unresolvable(self) -> IntArray:
        """Returns the slots of the nodes that evicting pods cannot help."""
        return self.slots[self._statuses.unresolvable(self.numbers)]

    def text(self) -> str:
        """Writes it as Volcano does."""
        self._text = self._text or self._write()
        return self._text

    def _write(self) -> str:
        head = self._message or f"0/{len(self.slots)} nodes are unavailable"
        if not len(self.slots):
            return head
        counts: Counter[str] = Counter()
        for number, nodes in Counter(self.numbers.tolist()).items():
            for status in self._statuses.objections(number):
                counts[status.text] += nodes
        return f"{head}: {', '.join(sorted(f'{count} {text}' for text, count in counts.items()))}."
