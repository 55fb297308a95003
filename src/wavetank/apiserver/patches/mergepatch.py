"""JSON merge patches (RFC 7386), as the real server's library applies them."""

from __future__ import annotations

from typing import Any


def merge(document: dict[str, Any], patch: dict[str, Any]) -> dict[str, Any]:
    """Returns `document` changed by `patch`, its keys sorted as the library writes them; neither is changed itself."""
    merged = dict(document)
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged.get(key), value)
    return dict(sorted(merged.items()))


def _merged(current: Any, patch: Any) -> Any:
    if not isinstance(current, dict):
        return _without_nulls(patch)
    return merge(current, patch) if isinstance(patch, dict) else patch


def _without_nulls(value: Any) -> Any:
    """Leaves nulls out of objects; in lists they stay."""
    if isinstance(value, dict):
        return {key: _without_nulls(each) for key, each in sorted(value.items()) if each is not None}
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return value
