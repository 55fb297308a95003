"""`power:` of nodes."""

from __future__ import annotations

import json
from typing import Any

from wavetank.cluster.fields.power import SHAPES, is_rising
from wavetank.documents import types
from wavetank.documents.structure import Structure, field
from wavetank.errors import InputError
from wavetank.kernel.durations import Nanoseconds

_watts = types.number(0, 1e9)


class TransitionSpec(Structure):
    """What it takes to boot or shut down a node."""

    time: Nanoseconds = field(types.duration, default="0s", doc="how long it takes")
    energy: float = field(types.number(0, 1e12), default=0, doc="joules in this time")

    def written(self) -> dict[str, Any]:
        """Returns it as a part of the annotation."""
        return {"time": self.time, "joules": self.energy}


class PowerSpec(Structure):
    """The power of a node by its utilization: `idle` and `full`, `idle` and `perCore`, or a `table`."""

    idle: float | None = field(_watts, default=None, doc="watts without load")
    full: float | None = field(_watts, default=None, doc="watts with all cores in use")
    per_core: float | None = field(_watts, default=None, doc="watts more for each core in use")
    shape: str = field(
        types.choice(tuple(SHAPES)),
        default="linear",
        doc="how power rises from `idle` to `full`: `linear`, `sqrt`, `square` or `cubic`",
    )
    table: list[float] | None = field(
        types.items(_watts, least=2),
        default=None,
        doc="watts at equal steps of utilization from 0 to 1, such as the eleven figures of SPECpower",
    )
    standby: float = field(_watts, default=0, doc="watts while it is off")
    boot: TransitionSpec = field(types.nested(TransitionSpec), default={}, doc="switching it on")
    shutdown: TransitionSpec = field(types.nested(TransitionSpec), default={}, doc="switching it off")

    def check(self, path: str) -> None:
        """Refuses models that say too little, too much, or that power falls with load."""
        if self.table is not None:
            if (self.idle, self.full, self.per_core) != (None, None, None):
                raise InputError("expected a table, or idle with full or perCore, not both", path=path)
            if not is_rising(self.table):
                raise InputError("watts fall with utilization", path=f"{path}.table")
        elif self.idle is None or (self.full is None) == (self.per_core is None):
            raise InputError("expected idle with either full or perCore, or a table", path=path)
        elif self.full is not None and self.full < self.idle:
            raise InputError(f"{self.full:g} W in use are less than {self.idle:g} W idle", path=f"{path}.full")
        elif self.per_core is not None and self.shape != "linear":
            raise InputError("watts per core rise linearly", path=f"{path}.shape")

    def annotation(self) -> str:
        """Returns it as the annotation of a node."""
        stated = {"idle": self.idle, "full": self.full, "perCore": self.per_core, "table": self.table}
        fields: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
        if self.shape != "linear":
            fields["shape"] = self.shape
        if self.standby:
            fields["standby"] = self.standby
        for name, transition in (("boot", self.boot), ("shutdown", self.shutdown)):
            if transition.time or transition.energy:
                fields[name] = transition.written()
        return json.dumps(fields)
