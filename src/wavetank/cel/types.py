"""Types of expressions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Type:
    """A type: `name` with the types that it is made of; objects have fields. A variable has an upper-case name."""

    name: str
    params: tuple[Type, ...] = ()
    fields: Mapping[str, Type] | None = field(default=None, compare=False)

    def __str__(self) -> str:
        if self.params:
            name = "optional_type" if self.name == "optional" else self.name
            return f"{name}({', '.join(map(str, self.params))})"
        return _SHOWN.get(self.name, self.name)

    @property
    def is_variable(self) -> bool:
        """Returns whether this stands for any type, the same one wherever it stands."""
        return len(self.name) == 1 and self.name.isupper()


_SHOWN = {
    "timestamp": "google.protobuf.Timestamp",
    "duration": "google.protobuf.Duration",
    "Quantity": "kubernetes.Quantity",
    "Semver": "kubernetes.Semver",
    "URL": "kubernetes.URL",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
    **{name: f"kubernetes.authorization.{name}" for name in ("Authorizer", "Decision", "GroupCheck")},
    **{name: f"kubernetes.authorization.{name}" for name in ("PathCheck", "ResourceCheck")},
}
DYN, ERROR, NULL = Type("dyn"), Type("!error!"), Type("null")
BOOL, INT, UINT, DOUBLE, STRING, BYTES = map(Type, ("bool", "int", "uint", "double", "string", "bytes"))
TIMESTAMP, DURATION = Type("timestamp"), Type("duration")


def list_of(item: Type) -> Type:
    """Returns the type of a list."""
    return Type("list", (item,))


def map_of(key: Type, value: Type) -> Type:
    """Returns the type of a map."""
    return Type("map", (key, value))


def optional_of(value: Type) -> Type:
    """Returns the type of a value that may be missing."""
    return Type("optional", (value,))
