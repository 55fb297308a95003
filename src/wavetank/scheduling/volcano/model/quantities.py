from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from wavetank.cluster.fields.resources import CPU, EPHEMERAL_STORAGE, MEMORY, PODS, Amounts
from wavetank.errors import InputError
from wavetank.quantity import milli, whole

LEAST = 0.1  # less than this is nothing: of a milli-CPU, a byte, a thousandth of a scalar resource
UNLIMITED = 1.7976931348623157e308  # where a queue states no limit


class Quantities:
    """Amounts of resources as Volcano counts them: floats, milli-CPU, bytes, thousandths of scalars, whole pods.

    `scalars` is None if none was ever stated; a scalar that is there with 0 is not the same as one that is
    not there, since some comparisons look only at those that are.
    """

    __slots__ = ("cpu", "memory", "scalars")

    def __init__(self, cpu: float = 0.0, memory: float = 0.0, scalars: dict[str, float] | None = None) -> None:
        self.cpu = cpu
        self.memory = memory
        self.scalars = scalars

    @classmethod
    def parse(cls, given: Mapping[str, Any] | None, path: str = "") -> Quantities:
        """Reads a ResourceList; what is no resource of nodes (count/pods) is left out."""
        new = cls()
        for name, quantity in (given or {}).items():
            try:
                new._set(str(name), quantity)
            except InputError as error:
                raise error.inside(path=f"{path}.{name}") from None
        return new

    def _set(self, name: str, quantity: Any) -> None:
        if name == CPU:
            self.cpu = float(milli(quantity))
        elif name == MEMORY:
            self.memory = float(whole(quantity))
        elif is_scalar(name):
            self.scalars = self.scalars or {}
            self.scalars[name] = float(whole(quantity) if name == PODS else milli(quantity))

    @classmethod
    def of(cls, amounts: Amounts, pods: int = 0) -> Quantities:
        """Takes over what a pod asks for or a node has, with a number of pods on top."""
        scalars = {
            name: float(amount if name == PODS else 1000 * amount)
            for name, amount in amounts.items()
            if name not in (CPU, MEMORY) and is_scalar(name)
        }
        if pods:
            scalars[PODS] = scalars.get(PODS, 0.0) + pods
        return cls(float(amounts.get(CPU, 0)), float(amounts.get(MEMORY, 0)), scalars or None)

    def clone(self) -> Quantities:
        """Returns a copy that may be changed."""
        return Quantities(self.cpu, self.memory, None if self.scalars is None else dict(self.scalars))

    def items(self) -> Iterable[tuple[str, float]]:
        """Yields every resource that is spoken of."""
        yield CPU, self.cpu
        yield MEMORY, self.memory
        yield from (self.scalars or {}).items()

    def get(self, name: str) -> float:
        """Returns the amount of one resource; 0 if it is not stated."""
        if name == CPU:
            return self.cpu
        if name == MEMORY:
            return self.memory
        return self.scalars.get(name, 0.0) if self.scalars else 0.0

    def names(self) -> list[str]:
        """Returns the resources of which there is more than nothing."""
        return [name for name, amount in self.items() if amount >= LEAST]

    def add(self, other: Quantities) -> Quantities:
        """Adds to this one, and returns it."""
        self.cpu += other.cpu
        self.memory += other.memory
        if other.scalars:
            scalars = self.scalars
            if scalars is None:
                scalars = self.scalars = {}
            for name, amount in other.scalars.items():
                scalars[name] = scalars.get(name, 0.0) + amount
        return self

    def take(self, other: Quantities) -> Quantities:
        """Subtracts from this one, and returns it; scalars only where it has ever had any."""
        self.cpu -= other.cpu
        self.memory -= other.memory
        scalars = self.scalars
        if scalars is not None and other.scalars:
            for name, amount in other.scalars.items():
                scalars[name] = scalars.get(name, 0.0) - amount
        return self

    def scale(self, ratio: float) -> Quantities:
        """Multiplies this one, and returns it."""
        self.cpu *= ratio
        self.memory *= ratio
        if self.scalars:
            self.scalars = {name: amount * ratio for name, amount in self.scalars.items()}
        return self

    def is_empty(self) -> bool:
        """Returns whether nothing is asked for but a place for a pod."""
        scalars = self.scalars or {}
        return (
            self.cpu < LEAST
            and self.memory < LEAST
            and all(amount < LEAST for name, amount in scalars.items() if name != PODS)
        )

    def fits(self, free: Quantities) -> bool:
        """Returns whether all of it fits; CPU and memory count even if none is requested."""
        if self.cpu - free.cpu >= LEAST or self.memory - free.memory >= LEAST:
            return False
        return all(amount - free.get(name) < LEAST for name, amount in (self.scalars or {}).items())

    def over(self, limit: Quantities, asked: Quantities, tolerance: float = 0.0) -> list[str]:
        """Names what exceeds a limit among the resources that are asked for, pods aside."""
        found = []
        if asked.cpu > 0 and self.cpu > limit.cpu + tolerance:
            found.append(CPU)
        if asked.memory > 0 and self.memory > limit.memory + tolerance:
            found.append(MEMORY)
        if self.scalars is not None:
            for name, amount in (asked.scalars or {}).items():
                if name != PODS and amount > 0 and self.get(name) > limit.get(name) + tolerance:
                    found.append(name)
        return found

    def cap(self, limit: Quantities, unnamed_is_unlimited: bool) -> Quantities:
        """Lowers this one to a limit, and returns it; says what a scalar is worth that the limit does not name."""
        self.cpu = min(self.cpu, limit.cpu)
        self.memory = min(self.memory, limit.memory)
        if self.scalars is not None:
            named = limit.scalars or {}
            other = UNLIMITED if unnamed_is_unlimited else 0.0
            for name, amount in self.scalars.items():
                self.scalars[name] = min(amount, named[name]) if name in named else min(amount, other)
        return self

    def beyond(self, other: Quantities) -> Quantities:
        """Returns by how much each resource is more than in another."""
        names = {**(self.scalars or {}), **(other.scalars or {})}
        scalars = {name: self.get(name) - other.get(name) for name in names if self.get(name) > other.get(name)}
        return Quantities(max(self.cpu - other.cpu, 0.0), max(self.memory - other.memory, 0.0), scalars)

    def raised_to(self, other: Quantities) -> Quantities:
        """Returns the larger amount of each resource; negative scalars are dropped."""
        scalars: dict[str, float] | None = None
        if self.scalars is not None or other.scalars is not None:
            scalars = {name: amount for name, amount in (self.scalars or {}).items() if amount >= 0}
            for name, amount in (other.scalars or {}).items():
                if amount >= 0:
                    scalars[name] = max(amount, scalars.get(name, 0.0))
        return Quantities(max(self.cpu, other.cpu), max(self.memory, other.memory), scalars)

    def same_as(self, other: Quantities) -> bool:
        """Returns whether all amounts are equal, to the last bit."""
        return (self.cpu, self.memory, self.scalars or {}) == (other.cpu, other.memory, other.scalars or {})

    def __repr__(self) -> str:
        return f"Quantities({', '.join(f'{name} {amount}' for name, amount in self.items())})"


def is_scalar(name: str) -> bool:
    """Returns whether a resource is one that nodes have, besides CPU and memory."""
    if name in (PODS, EPHEMERAL_STORAGE):
        return True
    if name.startswith(("hugepages-", "attachable-volumes-")):
        return True
    return "/" in name and not name.startswith(("count/", "requests."))


def share_of(part: float, whole: float) -> float:
    """Returns a part of a whole; of nothing, all or nothing."""
    if whole == 0:
        return 0.0 if part == 0 else 1.0
    return part / whole
