"""Subresources that write a part of their own object: status, finalize, approval, resize, ephemeralcontainers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from wavetank.apiserver.fielderrors import FieldError, forbidden
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.objects import Document
from wavetank.apiserver.strategies.registry import prepare_finalize, prepare_status, prepare_update
from wavetank.apiserver.strategies.strategy import Writing
from wavetank.apiserver.validation.registry import validate_status_update, validate_update
from wavetank.apiserver.writing import Prepare, Validate


class Part(NamedTuple):
    """How a part of an object is written."""

    prepare: Prepare
    validate: Validate


def _prepare_approval(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Keeps all but the conditions of a request for a certificate."""
    conditions = (new.get("status") or {}).get("conditions")
    new["spec"], new["status"] = old["spec"], dict(old.get("status") or {})
    if conditions:
        new["status"]["conditions"] = conditions
    prepare_status(kind, new, old, writing)


def _prepare_resize(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Keeps all but what the containers ask for."""
    spec = {**old["spec"]}
    for field in ("containers", "initContainers"):
        asked = {each.get("name"): each for each in (new.get("spec") or {}).get(field) or []}
        if field in spec:
            spec[field] = [_resized(container, asked.get(container["name"])) for container in spec[field]]
    new["spec"], new["metadata"] = spec, {**old["metadata"]}
    prepare_update(kind, new, old, writing)


def _resized(container: Document, asked: Document | None) -> Document:
    if asked is None:
        return container
    changed = {field: asked[field] for field in ("resources", "resizePolicy") if field in asked}
    return {**container, **changed}


def _prepare_ephemeral(kind: Kind, new: Document, old: Document, writing: Writing) -> None:
    """Keeps all but the ephemeral containers."""
    added = (new.get("spec") or {}).get("ephemeralContainers")
    new["spec"], new["metadata"] = {**old["spec"]}, {**old["metadata"]}
    if added:
        new["spec"]["ephemeralContainers"] = added
    prepare_update(kind, new, old, writing)


def _validate_ephemeral(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    """Refuses to take an ephemeral container away or to change one: they can only be added."""
    field = "spec.ephemeralContainers"
    present = {each["name"]: each for each in new["spec"].get("ephemeralContainers") or []}
    found = []
    for container in old["spec"].get("ephemeralContainers") or []:
        name = container["name"]
        if name not in present:
            found.append(forbidden(field, f'existing ephemeral containers "{name}" may not be removed\n'))
        elif present[name] != container:
            found.append(forbidden(field, f'existing ephemeral containers "{name}" may not be changed\n'))
    return found


def _validate_nothing(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    return []


PARTS: Mapping[str, Part] = {
    "status": Part(prepare_status, validate_status_update),
    "finalize": Part(prepare_finalize, validate_update),
    "approval": Part(_prepare_approval, _validate_nothing),
    "resize": Part(_prepare_resize, _validate_nothing),
    "ephemeralcontainers": Part(_prepare_ephemeral, _validate_ephemeral),
}
