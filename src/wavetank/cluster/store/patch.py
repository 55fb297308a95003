from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merge_patch(document: Any, patch: Any) -> Any:
    """Applies an RFC 7386 JSON merge patch: null deletes, mappings merge, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(document) if isinstance(document, Mapping) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge_patch(result.get(key), value)
    return result
