"""The schema of a custom kind as pruning, defaulting and server-side apply see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Document = dict[str, Any]

# What every resource has besides its schema.
META_FIELDS = frozenset(("apiVersion", "kind", "metadata"))


@dataclass(frozen=True, slots=True)
class Structural:
    """One place of a structural schema; `raw` is the JSON schema itself, by which values are checked.

    `is_map` says that fields which are not among `properties` fall under `additional`: a schema, or None for any value.
    """

    raw: Mapping[str, Any]
    type: str = ""
    nullable: bool = False
    default: Any = None
    properties: Mapping[str, Structural] = field(default_factory=dict)
    is_map: bool = False
    additional: Structural | None = None
    items: Structural | None = None
    preserves: bool = False
    embedded: bool = False
    int_or_string: bool = False
    list_type: str = ""
    list_map_keys: tuple[str, ...] = ()
    map_type: str = ""

    @classmethod
    def read(cls, raw: Mapping[str, Any]) -> Structural:
        """Compiles a JSON schema that has been found structural."""
        rest, items = raw.get("additionalProperties"), raw.get("items")
        return cls(
            raw,
            type=raw.get("type", ""),
            nullable=bool(raw.get("nullable")),
            default=raw.get("default"),
            properties={name: cls.read(each) for name, each in (raw.get("properties") or {}).items()},
            is_map=rest is not None,
            additional=cls.read(rest) if isinstance(rest, Mapping) else None,
            items=cls.read(items) if isinstance(items, Mapping) else None,
            preserves=bool(raw.get("x-kubernetes-preserve-unknown-fields")),
            embedded=bool(raw.get("x-kubernetes-embedded-resource")),
            int_or_string=bool(raw.get("x-kubernetes-int-or-string")),
            list_type=raw.get("x-kubernetes-list-type", ""),
            list_map_keys=tuple(raw.get("x-kubernetes-list-map-keys") or ()),
            map_type=raw.get("x-kubernetes-map-type", ""),
        )

    @property
    def rules(self) -> list[Document]:
        """Returns the CEL rules that stand here."""
        return self.raw.get("x-kubernetes-validations") or []

    def below(self, name: str) -> Structural | None:
        """Returns the schema of a field of an object, None where it has none."""
        found = self.properties.get(name)
        return self.additional if found is None else found
