"""The paper's twenty scenarios (table 1) and its algorithms."""

from __future__ import annotations

from typing import NamedTuple

KUBERNETES = ("BRA", "EP", "ILP", "IPAP", "LRP", "MRP", "NAP", "NLP", "NPAPP", "RLP", "TTP")
VOLCANO = (
    *("DRF_BRA", "DRF_LRP", "DRF_MRP", "GANG_BRA", "GANG_DRF_BINPACK", "GANG_DRF_BRA", "GANG_DRF_LRP"),
    *("GANG_DRF_MRP", "GANG_LRP", "GANG_MRP", "SLA_BRA", "SLA_LRP", "SLA_MRP"),
)
CHANGES = (0, -50, -25, 25, 50)  # of the resources, in percent, in the order of the scenarios


class Scenario(NamedTuple):
    """A scenario: its number in the paper, the workload, the time of day, and the change of resources in percent."""

    number: int
    queue: str
    period: str
    change: int

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Returns the algorithms that the paper compares in it, in the order of its tables."""
        return KUBERNETES if self.queue == "tasks" else VOLCANO

    @property
    def label(self) -> str:
        """Returns a short name: `2: tasks, day, -50 %`."""
        return f"{self.number}: {self.queue}, {self.period}, {self.change:+d} %"


_KINDS = [(queue, period, change) for queue in ("tasks", "jobs") for period in ("day", "night") for change in CHANGES]
SCENARIOS = tuple(Scenario(number, *kind) for number, kind in enumerate(_KINDS, 1))
