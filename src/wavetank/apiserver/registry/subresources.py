"""Subresources that write a part of their own object: status, finalize, approval, resize, ephemeralcontainers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from wavetank.apiserver.fielderrors import FieldError
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.preparing import prepare_finalize, prepare_status, prepare_update
from wavetank.apiserver.registry.validation import validate_status_update
from wavetank.apiserver.strategies.certificates import prepare_approval
from wavetank.apiserver.strategies.pods import prepare_ephemeral_containers, prepare_resize
from wavetank.apiserver.strategies.strategy import Document, WriteContext
from wavetank.apiserver.validation.core.nodes import check_namespace_finalize
from wavetank.apiserver.validation.pods.podupdates import check_ephemeral_containers_update, check_resize
from wavetank.apiserver.validation.server.certificates import check_approval

Prepare = Callable[[Kind, Document, Document, WriteContext], None]
Validate = Callable[[Kind, Document, Document], list[FieldError]]


class Part(NamedTuple):
    """How a part of an object is written."""

    prepare: Prepare
    validate: Validate


def _prepare_approval(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    status = new.get("status") or {}
    decided = {**status, "conditions": [*(status.get("conditions") or ())]}
    prepare_status(kind, new, old, context)  # which keeps decisions
    new["status"] = decided
    prepare_approval(new, old, context)


def _prepare_resize(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    prepare_resize(new, old, context)
    prepare_update(kind, new, old, context)


def _prepare_ephemeral(kind: Kind, new: Document, old: Document, context: WriteContext) -> None:
    prepare_ephemeral_containers(new, old, context)
    prepare_update(kind, new, old, context)


def _validate_finalize(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    return list(check_namespace_finalize(new, old))


def _validate_resize(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    return list(check_resize(new, old))


def _validate_ephemeral(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    return list(check_ephemeral_containers_update(new, old))


def _validate_approval(kind: Kind, new: Document, old: Document) -> list[FieldError]:
    return list(check_approval(new, old))


PARTS: Mapping[str, Part] = {
    "status": Part(prepare_status, validate_status_update),
    "finalize": Part(prepare_finalize, _validate_finalize),
    "approval": Part(_prepare_approval, _validate_approval),
    "resize": Part(_prepare_resize, _validate_resize),
    "ephemeralcontainers": Part(_prepare_ephemeral, _validate_ephemeral),
}
