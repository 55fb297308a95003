"""JSON Schemas with named definitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Schema = dict[str, Any]


class Definitions(Protocol):
    """The named definitions of a JSON Schema that is being written."""

    def refer(self, name: str, write: Callable[[Definitions], Schema]) -> Schema:
        """Returns a reference to the definition `name`, which `write` returns if it is not there yet."""
        ...


SchemaWriter = Callable[[Definitions], Schema]
