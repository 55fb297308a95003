"""One write of an object: what is asked for, its result, and whether it is done beside the event loop."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from wavetank.apiserver import errors
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.managedfields.applied import APPLY_PATCH
from wavetank.apiserver.patches import OF_CUSTOM, PATCH_TYPES
from wavetank.apiserver.registry.preparing import prepare_update
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.registry.subresources import Prepare, Validate
from wavetank.apiserver.registry.validation import validate_update
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.weights import weight_of
from wavetank.apiserver.waiting import run_beside

T = TypeVar("T")


class StaleError(errors.StatusError):
    """The object has changed while other requests were served: a webhook was called, or a large object checked."""

    def __init__(self, resource: str, name: str) -> None:
        conflict = errors.conflict(resource, name, errors.MODIFIED)
        super().__init__(conflict.code, conflict.reason, str(conflict), conflict.details)


@dataclass(slots=True)
class Written:
    """The result of a write: the document as it is served, and the status code."""

    document: Document
    status: int = 200


@dataclass(slots=True)
class Write:
    """One write: which object, by which request, with which options; `kind` is the served version.

    `weight` is about how many bytes are looked at; `was_slow` says that checking the object took long, `is_near_limit`
    that it has so many bytes that changes of it may make it too large. `asked` and `show` are those of admission's
    Attributes.
    """

    kind: Kind
    namespace: str
    name: str
    request: Request
    options: WriteOptions
    subresource: str = ""
    prepare: Prepare = prepare_update
    validate: Validate = validate_update
    may_create: bool = False
    was_slow: bool = False
    is_near_limit: bool = False
    asked: Document | None = None
    show: Callable[[Document], Document] | None = None
    weight: int = field(init=False)

    def __post_init__(self) -> None:
        self.weight = weight_of(self.kind, self.request)

    @property
    def applies(self) -> bool:
        """Says whether this is a server-side apply; 415 if it is a patch of an unknown type."""
        return self.request.method == "PATCH" and patch_type(self.request) == APPLY_PATCH

    def beside(self, function: Callable[[], T]) -> T:
        """Runs a function that reads and writes nothing but its arguments: beside the event loop, if it is heavy."""
        return run_beside(function, self.weight)


def patch_type(request: Request, *, custom: bool = False) -> str:
    """Returns the media type of a patch; 415 if it is unknown. Custom kinds have no strategic merge patch."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if custom and media_type not in OF_CUSTOM:
        raise errors.unsupported_media_type(OF_CUSTOM)
    if media_type not in PATCH_TYPES and media_type != APPLY_PATCH:
        raise errors.StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {})
    return media_type


def is_finished(kind: Kind, new: Document, old: Document) -> bool:
    """Says whether an object that is being deleted has just lost its last finalizer."""
    before, metadata = old["metadata"], new["metadata"]
    if metadata.get("finalizers") or not before.get("deletionTimestamp") or before.get("deletionGracePeriodSeconds"):
        return False
    termination = strategy_of(kind).termination
    return termination is None or termination.is_held is None or not termination.is_held(new)


def attributes_of(
    operation: str, write: Write, kind: Kind, document: Document, old: Document | None, managed: list[Document] | None
) -> Attributes:
    """Returns the attributes of a write for admission; `kind` is the stored version of its kind."""
    name = write.name or (document.get("metadata") or {}).get("name", "")
    attributes = Attributes(operation, kind, document, old, write.kind.namespace_of(write.namespace, name), name)
    attributes.subresource, attributes.user = write.subresource, write.request.user
    attributes.warnings, attributes.managed = write.request.warnings, managed
    attributes.path_name = write.name
    attributes.dry_run, attributes.options = write.options.dry_run, write.options.stated
    attributes.asked, attributes.show, attributes.weight = write.asked, write.show, write.weight
    return attributes
