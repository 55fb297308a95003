from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TRUE = frozenset({"1", "t", "T", "TRUE", "true", "True"})
_FALSE = frozenset({"0", "f", "F", "FALSE", "false", "False"})


class Arguments(dict[str, Any]):
    """The arguments of a plugin or an action; as in Volcano, one of the wrong type counts as not given."""

    def integer(self, key: str, default: int) -> int:
        """Returns a whole number; 1.0 and "1" are none."""
        value = self.get(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else default

    def number(self, key: str, default: float) -> float:
        """Returns a number."""
        value = self.get(key)
        return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else default

    def flag(self, key: str, default: bool) -> bool:
        """Returns true or false, also where it is written as a text."""
        value = self.get(key)
        if isinstance(value, bool):
            return value
        if value in _TRUE or value in _FALSE:
            return value in _TRUE
        return default

    def text(self, key: str) -> str:
        """Returns a text, or an empty one."""
        value = self.get(key)
        return value if isinstance(value, str) else ""


def read_arguments(given: Any) -> Arguments:
    """Reads a mapping of arguments; anything else is none."""
    return Arguments({str(key): value for key, value in given.items()}) if isinstance(given, Mapping) else Arguments()
