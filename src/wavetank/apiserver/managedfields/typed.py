"""Objects with the type by which they are merged, in any version of their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from wavetank.apiserver.structured.types import MergeType

Document = dict[str, Any]


class Typed(NamedTuple):
    """A document in one version of its kind; that version is `api_version`."""

    kind: MergeType
    document: Document
    api_version: str


# Converts an object to another version; None if its kind has no such version.
Convert = Callable[[Typed, str], Typed | None]


def without_managers(document: Document) -> Document:
    """Returns a document without its managedFields; the document itself if it has none."""
    metadata = document.get("metadata")
    if not isinstance(metadata, dict) or "managedFields" not in metadata:
        return document
    return {**document, "metadata": {name: each for name, each in metadata.items() if name != "managedFields"}}
