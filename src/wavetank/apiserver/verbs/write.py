"""One write of an object: what is asked for, its result, and whether it is done beside the event loop."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from wavetank.apiserver import errors
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.codec.pieces import is_large
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
from wavetank.apiserver.webhooks.waiting import HEAVIEST, in_slices, run_beside
from wavetank.cluster.objects.resource import Resource

T = TypeVar("T")

_MOST_LARGE = 4096  # large objects that are known


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

    `weight` is about how many bytes are looked at; `was_slow` says that checking the object took long, `is_large` that
    it has so many bytes that changes of it may make it too large. `asked` and `show` are those of admission's
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
    is_large: bool = False
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


class LargeObjects:
    """The uids of objects that are large or whose last write took long: a small patch of one is a heavy request."""

    def __init__(self) -> None:
        self._uids: dict[str, None] = {}

    def __contains__(self, resource: Resource) -> bool:
        return resource.uid in self._uids

    def weigh(self, write: Write, old: Resource | None) -> None:
        """Makes a client's write of a large object a heavy one."""
        if old is not None and write.request.body and old in self:  # not of actors in this process
            write.weight = HEAVIEST

    def weight(self, document: Document, request: Request) -> int:
        """Returns about how many bytes the answer to a write has, by what was written and by the object."""
        uid = document.get("metadata", {}).get("uid")
        large = uid in self._uids if uid else is_large(document)  # a review has no uid
        return HEAVIEST if large else len(request.body)

    def beside(self, kind: Kind, resource: Resource, function: Callable[[], T]) -> T:
        """Runs a function that only reads an object; of a large one beside the loop, if no webhook converts it."""
        converts = kind.custom is not None and kind.custom.converter is not None
        return run_beside(function, HEAVIEST) if resource in self and not converts else function()

    def each(self, kind: Kind, resources: Iterable[Resource], show: Callable[[Kind, Resource], T]) -> Iterator[T]:
        """Yields what a function shows of each object; the event loop goes on meanwhile, if the caller may wait."""
        for resource in in_slices(resources):
            yield self.beside(kind, resource, partial(show, kind, resource))

    def note(self, uid: str, large: bool) -> None:
        """Notes whether the last write of an object was a heavy one."""
        if large:
            if len(self._uids) >= _MOST_LARGE:
                del self._uids[next(iter(self._uids))]
            self._uids[uid] = None
        else:
            self._uids.pop(uid, None)


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
