"""How objects of a kind are written and deleted, like the strategies in Kubernetes' registry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from wavetank.cluster.store.store import Store

Document = dict[str, Any]

# The garbage collector's default policies: what happens to an object's dependents if the client does not say.
DELETE_DEPENDENTS, ORPHAN_DEPENDENTS, UNSUPPORTED = "DeleteDependents", "OrphanDependents", "Unsupported"


@dataclass(frozen=True, slots=True)
class WriteContext:
    """The circumstances of a write: the time as the API writes it, and the user."""

    now: str
    user_name: str = ""
    user_groups: tuple[str, ...] = ()
    user_uid: str = ""
    user_extra: tuple[tuple[str, tuple[str, ...]], ...] = ()


Prepare = Callable[[Document, WriteContext], None]
PrepareUpdate = Callable[[Document, Document, WriteContext], None]


class Allocate(Protocol):
    """Reserves what an object needs beyond itself, such as the cluster address of a Service, before validation."""

    def __call__(self, store: Store, new: Document, old: Document | None, *, dry_run: bool) -> None:
        """Completes `new` in place; `old` is None for a create. A StatusError if nothing is left."""


@dataclass(frozen=True, slots=True)
class Termination:
    """How a kind is deleted whose objects stay until their content is gone: Namespace, CustomResourceDefinition.

    `mark` changes an object, in place, when its deletion begins (at the given time); `propagates` says whether the
    client's propagation policy adds finalizers to it. `is_held` says whether an object stays although it has no
    finalizers in its metadata; None if finalizers alone decide.
    """

    mark: Callable[[Document, str], None]
    propagates: bool
    is_held: Callable[[Document], bool] | None = None


@dataclass(frozen=True, slots=True)
class Strategy:
    """How one kind is written and deleted.

    Writing: `counted` are the fields, and `counted_metadata` the metadata field, a change of which makes a new
    generation; `has_generation` says whether a new object gets generation 1 (None: if any field is counted).
    `own_status`: status is dropped on create and kept on update; `status_metadata` tells what of the metadata a write
    to the status subresource may change: all, none, or annotations (everything but labels). `pod_spec` is the path to
    the spec of the pods that an object is or makes. `gains_defaults` says whether a new object lacks defaults in the
    real store, which its first write then adds: that write makes a new version even if it changes nothing.
    `generates_names`: a `generateName` gets a random suffix; else it is the name.

    Deleting: `kept` are the names of objects that are not deleted, with the reason; `returns_deleted` answers with the
    object instead of a Status; `dependents` is the default policy of the garbage collector, `orphan_warning` what a
    client is told that relies on it; `grace_period` returns the seconds that an object gets to end, given what the
    client asked for (None: the kind has no grace period).
    """

    counted: tuple[str, ...] = ()
    counted_metadata: str = ""
    has_generation: bool | None = None
    own_status: bool = True
    status_metadata: str = "all"
    generates_names: bool = True
    create_on_update: bool = False
    unconditional_update: bool = True
    pod_spec: tuple[str, ...] = ()
    allocate: Allocate | None = None
    create: Prepare | None = None
    update: PrepareUpdate | None = None
    status: PrepareUpdate | None = None
    gains_defaults: Callable[[Document], bool] | None = None
    kept: Mapping[str, str] = field(default_factory=dict)
    returns_deleted: bool = False
    dependents: str = DELETE_DEPENDENTS
    orphan_warning: str = ""
    grace_period: Callable[[Document, int | None], int] | None = None
    termination: Termination | None = None

    @property
    def starts_generation(self) -> bool:
        """Says whether a new object gets generation 1."""
        return bool(self.counted) if self.has_generation is None else self.has_generation
