from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from wavetank.apiserver.errors import StatusError, forbidden
from wavetank.apiserver.kinds.kind import Kind
from wavetank.apiserver.requests.request import User
from wavetank.apiserver.waiting import run_beside
from wavetank.cluster.objects.groupkinds import GroupKind

Document = dict[str, Any]
T = TypeVar("T")


@dataclass(slots=True)
class Reinvocation:
    """What is known of the mutating webhooks that were called for a write, for a second round.

    `called` are those that may be called again, `again` those that must be since the object has changed after them;
    `output` is the object as the last round left it.
    """

    is_second: bool = False
    called: set[str] = field(default_factory=set)
    again: set[str] = field(default_factory=set)
    output: Document | None = None

    def require_again(self) -> None:
        """Requires that all webhooks that were called so far are called again."""
        self.again |= self.called
        self.called.clear()


@dataclass(slots=True)
class Attributes:
    """The attributes of a write: CREATE, UPDATE, DELETE or CONNECT of an object or one of its subresources.

    Plugins may change `document` (the object as it is to be stored) and add to `warnings`, which the client gets.
    `calls` counts the webhooks that were called: meanwhile the store may have changed. `options` are the fields of the
    options that the client has stated, `managed` the managedFields of the document, which does not have them itself.
    If a Scale is written, `asked` is it, and `show` returns the Scale of an object: webhooks see these. `weight` is
    about how many bytes are looked at.
    """

    operation: str
    kind: Kind
    document: Document
    old: Document | None = None
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    user: User = field(default_factory=User)
    dry_run: bool = False
    warnings: list[str] = field(default_factory=list)
    calls: int = 0
    reinvocation: Reinvocation | None = None
    path_name: str = ""  # the name in the path of the request, which that of a POST does not have
    weight: int = 0
    options: Document = field(default_factory=dict)
    managed: list[Document] | None = None
    asked: Document | None = None
    show: Callable[[Document], Document] | None = None

    def beside(self, function: Callable[[], T], weight: int = 0) -> T:
        """Runs a function that only reads: beside the event loop, if the object is large or `weight` is."""
        return run_beside(function, max(self.weight, weight))

    def is_write_of(self, group_kind: GroupKind, *operations: str) -> bool:
        """Says whether an object of a kind (not a subresource) is written by one of the operations."""
        return self.kind.group_kind == group_kind and not self.subresource and self.operation in operations

    def refused(self, why: str) -> StatusError:
        """Returns the 403 with a reason."""
        metadata = self.document.get("metadata") or {}
        name = metadata.get("name") or self.name or metadata.get("generateName") or "Unknown"
        return forbidden(self.kind.resource, name, why)
