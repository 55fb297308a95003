"""The real server's internal types, as its error messages show them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any

import msgspec

from wavetank.apiserver.gotypes.table import GoType, internal_fields_of

_ZEROS: Mapping[str, Any] = {"s": "", "i": 0, "b": False, "f": 0, "q": "0", "x": 0}
_IN_SECURITY_CONTEXT = ("hostNetwork", "hostPID", "hostIPC", "shareProcessNamespace", "hostUsers")


def internal(struct: str, document: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a document as Go would show the internal struct: Go's names, every field, null for what is unset."""
    if struct == "core.PodSpec":
        document = _with_host_fields_moved(document)
    shown: dict[str, Any] = {}
    for field in internal_fields_of(struct):
        if field.go_name:
            shown[field.go_name] = _value(field.type, document.get(field.name))
        else:
            shown.update({name: _sorted(value) for name, value in (document.get(field.name) or {}).items()})
    return shown


def difference(struct: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> str:
    """Returns what has changed between two documents, as a unified diff of their internal forms."""
    before, after = _lines(internal(struct, old)), _lines(internal(struct, new))
    return "".join(list(difflib.unified_diff(before, after, n=3))[2:])


def _value(go: GoType, raw: Any) -> Any:
    if go.code == "*":
        assert go.item is not None
        return None if raw is None else _value(go.item, raw)
    if go.code == "struct":
        return internal(go.struct, raw or {}) if internal_fields_of(go.struct) else _public(raw)
    if go.code in ("[]", "{}"):
        return _each(go, raw)
    return _ZEROS.get(go.code) if raw is None else raw


def _sorted(value: Any) -> Any:
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _public(raw: Any) -> Any:
    """Returns a type that internal types share with clients (a label selector), with its maps sorted as Go does."""
    if isinstance(raw, dict) and isinstance(raw.get("matchLabels"), dict):
        return {**raw, "matchLabels": _sorted(raw["matchLabels"])}
    return raw


def _each(go: GoType, raw: Any) -> Any:
    assert go.item is not None
    if not raw:
        return None
    if go.code == "[]":
        return [_value(go.item, one) for one in raw]
    return {key: _value(go.item, raw[key]) for key in sorted(raw)}


def _with_host_fields_moved(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Moves what internally belongs to the pod's security context there."""
    moved = {name: spec[name] for name in _IN_SECURITY_CONTEXT if name in spec}
    context = spec.get("securityContext")
    return {**spec, "securityContext": {**context, **moved} if context is not None else moved or None}


def _lines(shown: dict[str, Any]) -> list[str]:
    text = msgspec.json.format(msgspec.json.encode(shown), indent=1).decode()
    text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    # Go ends the last line too.
    return f"{text}\n".splitlines(keepends=True)
