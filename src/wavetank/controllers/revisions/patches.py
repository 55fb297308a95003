"""What a ControllerRevision holds: a patch that puts a template back in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from wavetank.cluster.objects.resource import Resource

# What Go's encoder does not write as it is, lest a browser take it for markup.
_ESCAPES = {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def patch_of(template: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the patch that replaces whatever template there is by this one."""
    return {"spec": {"template": {**template, "$patch": "replace"}}}


def template_of(revision: Resource) -> dict[str, Any]:
    """Returns the template that a revision remembers."""
    template = ((revision.manifest.get("data") or {}).get("spec") or {}).get("template") or {}
    return {field: value for field, value in template.items() if field != "$patch"}


def patch_text(patch: Mapping[str, Any]) -> bytes:
    """Returns a patch as Go writes it: the bytes over which its hash is computed."""
    text = msgspec.json.encode(patch, order="sorted").decode()
    return "".join(_ESCAPES.get(character, character) for character in text).encode()
