from __future__ import annotations

import msgspec


class Reference(msgspec.Struct, frozen=True, rename="camel"):
    """The name and namespace of another object of the same API group."""

    name: str
    namespace: str = "default"

    @property
    def key(self) -> tuple[str, str]:
        """Returns (namespace, name)."""
        return self.namespace, self.name

    def __str__(self) -> str:
        return f"{self.namespace}/{self.name}"
