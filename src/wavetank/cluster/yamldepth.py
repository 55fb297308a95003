"""How deep documents may be: loaders of YAML that refuse deeper ones, which may be read beside other work."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import yaml

MAX_DEPTH = 500  # no document comes near it; the C loader, which recurses, ends the process far beyond

_AT_ONCE = 1000  # nodes that are freed together


def is_too_deep(document: Any) -> bool:
    """Tells whether a document, as it was read, has more levels than it may."""
    level = [document]
    for _ in range(MAX_DEPTH):
        level = [each for outer in level for each in _inside(outer) if isinstance(each, dict | list)]
        if not level:
            return False
    return True


def _inside(value: Any) -> Collection[Any]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


class TooDeepError(yaml.YAMLError):
    """A YAML document is nested too deeply."""

    def __init__(self) -> None:
        super().__init__(f"nested too deeply: more than {MAX_DEPTH} levels")


class DepthLimited:
    """What a loader inherits first, so that it refuses deep documents while it descends: before C code recurses."""

    _depth = 0

    def descend_resolver(self, parent: Any, index: Any) -> None:
        """Is called by the composer of either loader for each node, before those below it."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise TooDeepError

    def ascend_resolver(self) -> None:
        """Is called when a node is complete."""
        self._depth -= 1


class SafeLoader(DepthLimited, getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """The safe loader with a limited depth."""


class BaseLoader(DepthLimited, getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # type: ignore[misc]
    """The loader of texts without types, with a limited depth."""


def release(nodes: list[Any]) -> None:
    """Lets go of nodes that have been read, some at a time: other threads stand still while many are freed at once."""
    while len(nodes) > _AT_ONCE:
        del nodes[-_AT_ONCE:]
