"""The data of a ControllerRevision: a patch that restores a template."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wavetank.cluster.objects.resource import Resource
from wavetank.cluster.sortedjson import encode_sorted

# Characters that Go's JSON encoder escapes for HTML.
_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"})


def patch_of(template: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the patch that replaces any template by this one."""
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def sorted_patch(patch: Any) -> Any:
    """Returns a patch with its keys sorted, as Go writes them: clients compare it with their own byte by byte."""
    if isinstance(patch, Mapping):
        return {key: sorted_patch(patch[key]) for key in sorted(patch)}
    return [sorted_patch(each) for each in patch] if isinstance(patch, list | tuple) else patch


def template_of(revision: Resource) -> dict[str, Any]:
    """Returns the template of a revision."""
    template = ((revision.manifest.get("data") or {}).get("spec") or {}).get("template") or {}
    return {field: value for field, value in template.items() if field != "$patch"}


def patch_text(patch: Mapping[str, Any]) -> bytes:
    """Returns a patch as Go encodes it: the bytes that are hashed."""
    return encode_sorted(patch).decode().translate(_ESCAPES).encode()
