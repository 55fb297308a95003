"""kubectl's annotation of what was last applied on the client's side, for objects that move to server-side apply."""

from __future__ import annotations

from typing import Any

import msgspec

from wavetank.apiserver.managedfields.typed import Document, Typed
from wavetank.apiserver.structured.checking import check
from wavetank.apiserver.structured.comparing import compare
from wavetank.apiserver.structured.fieldsets import EMPTY, FieldSet, difference
from wavetank.apiserver.structured.stating import stated
from wavetank.apiserver.structured.types import UntypedError
from wavetank.cluster.sortedjson import encode_sorted
from wavetank.cluster.yamldepth import is_too_deep

KUBECTL = "kubectl"  # the only manager that uses the annotation
_ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration"
_MOST_BYTES = 256 * 1024  # of all annotations together
_ESCAPED = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def last_applied(document: Document) -> str:
    """Returns the text of the annotation, or an empty one."""
    annotations = (document.get("metadata") or {}).get("annotations") or {}
    return str(annotations.get(_ANNOTATION) or "")


def own_fields(live: Typed) -> FieldSet:
    """Returns the fields that were applied on the client's side and are still so: kubectl may take them over."""
    try:
        document: Any = msgspec.json.decode(last_applied(live.document) or "null")
        if not isinstance(document, dict) or document.get("apiVersion") != live.api_version or is_too_deep(document):
            return EMPTY
        check(live.kind, document)
        changed = compare(live.kind, document, live.document)
    except (msgspec.DecodeError, RecursionError, UntypedError):
        return EMPTY
    fields = stated(live.kind, document)
    for each in (changed.modified, changed.added, changed.removed):
        fields = difference(fields, each)
    return fields


def keep_up(document: Document, applied: Document) -> None:
    """Writes what kubectl has applied into the annotation, if the object has one."""
    if not last_applied(document):
        return
    metadata = document["metadata"] = dict(document["metadata"])
    annotations = {**metadata["annotations"], _ANNOTATION: _text_of(applied)}
    if sum(len(name.encode()) + len(text.encode()) for name, text in annotations.items()) > _MOST_BYTES:
        del annotations[_ANNOTATION]
    metadata["annotations"] = annotations


def _text_of(applied: Document) -> str:
    metadata = applied.get("metadata")
    if isinstance(metadata, dict) and isinstance(metadata.get("annotations"), dict):
        others = {name: text for name, text in metadata["annotations"].items() if name != _ANNOTATION}
        applied = {**applied, "metadata": {**metadata, "annotations": others}}
    return encode_sorted(applied).decode().translate(_ESCAPED) + "\n"
