from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_NUMERIC = {
    "Gt": lambda have, bound: have > bound,
    "Lt": lambda have, bound: have < bound,
    "Gte": lambda have, bound: have >= bound,
    "Lte": lambda have, bound: have <= bound,
}
OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist", *_NUMERIC)
NUMERIC = tuple(_NUMERIC)


@dataclass(frozen=True, slots=True)
class Requirement:
    """What a NodePool asks of the labels of its nodes."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Returns whether labels satisfy it; a label that is not there satisfies NotIn and DoesNotExist only."""
        have = labels.get(self.key)
        if self.operator == "DoesNotExist":
            return have is None
        if have is None:
            return self.operator == "NotIn"
        if self.operator == "Exists":
            return True
        if self.operator in ("In", "NotIn"):
            return (have in self.values) == (self.operator == "In")
        return have.isdigit() and _NUMERIC[self.operator](int(have), int(self.values[0]))

    def render(self) -> dict[str, Any]:
        """Returns the JSON form."""
        return {"key": self.key, "operator": self.operator, **({"values": list(self.values)} if self.values else {})}
