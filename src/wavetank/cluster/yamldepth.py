"""Loaders of YAML whose documents may not be nested too deeply, and may be read beside other work."""

from __future__ import annotations

from typing import Any

import yaml

MAX_DEPTH = 500  # no document comes near it; the C loader, which recurses, ends the process far beyond

_AT_ONCE = 1000  # nodes that are freed together


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
