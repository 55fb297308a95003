"""Which part of an old object a part of a new one was: what has not changed is not refused again."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from wavetank.apiserver.custom.schema.structural import Structural


class Correlation:
    """A value, what it was before, and the schema by which parts of the two are found to belong together."""

    def __init__(self, new: Any, old: Any, schema: Structural) -> None:
        self.new = new
        self.old = old
        self.schema = schema

    def key(self, name: str) -> Correlation | None:
        """Returns the correlation of a field, None where there is none."""
        if not isinstance(self.old, dict) or not isinstance(self.new, dict):
            return None
        inner = self.schema.below(name)
        if inner is None or name not in self.old or name not in self.new:
            return None
        return Correlation(self.new[name], self.old[name], inner)

    def index(self, i: int) -> Correlation | None:
        """Returns the correlation of an item of a list that is a map, None where there is none."""
        if not isinstance(self.old, list) or not isinstance(self.new, list) or self.schema.items is None:
            return None
        if self.schema.list_type != "map" or not isinstance(self.new[i], dict):
            return None
        old = self._old_items.get(self._key_of(self.new[i]))
        return None if old is None else Correlation(self.new[i], old, self.schema.items)

    @cached_property
    def _old_items(self) -> dict[tuple[tuple[type, Any], ...] | None, dict[str, Any]]:
        """The items that a list had before, by their keys; of those with the same key the first one."""
        found: dict[tuple[tuple[type, Any], ...] | None, dict[str, Any]] = {}
        for each in self.old:
            key = self._key_of(each) if isinstance(each, dict) else None
            if key is not None:
                found.setdefault(key, each)
        return found

    def _key_of(self, item: dict[str, Any]) -> tuple[tuple[type, Any], ...] | None:
        """Returns the key of an item, None if it has not all of it."""
        values = [item.get(name) for name in self.schema.list_map_keys]
        if any(value is None or isinstance(value, (dict, list)) for value in values):
            return None
        return tuple((type(value), value) for value in values)

    @cached_property
    def unchanged(self) -> bool:
        """Says whether the value is what it was; parts that no schema describes count as changed."""
        old, new = self.old, self.new
        if isinstance(old, dict) and isinstance(new, dict):
            parts = [self.key(name) for name in new]
            return len(old) == len(new) and all(part is not None and part.unchanged for part in parts)
        if isinstance(old, list) and isinstance(new, list) and self.schema.list_type == "map":
            parts = [self.index(i) for i in range(len(new))]
            return len(old) == len(new) and all(part is not None and part.unchanged for part in parts)
        return type(old) is type(new) and bool(old == new)
