"""Deleting objects: at once, after a grace period, or when their finalizers are gone."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar

from wavetank.apiserver import errors
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.conversion.versions import to_served
from wavetank.apiserver.fielderrors import FieldError, unsupported
from wavetank.apiserver.fielderrors import invalid as bad_value
from wavetank.apiserver.generations import next_generation
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.requests.decoding import decode_delete_options
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.strategies.strategy import Termination
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import ListOptions, dry_run_errors, integer
from wavetank.apiserver.verbs.propagation import BACKGROUND, FOREGROUND, ORPHAN, deletion_finalizers
from wavetank.apiserver.verbs.reading import Page, page
from wavetank.apiserver.verbs.write import StaleError
from wavetank.apiserver.verbs.writing import Writer
from wavetank.apiserver.waiting import in_slices, run_beside
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import NotFoundError
from wavetank.kernel.durations import SECOND

T = TypeVar("T")

_OTHER_UID = "The object might have been deleted and then recreated"
_OTHER_VERSION = "The object might have been modified"
_ATTEMPTS = 3  # at a large object that changes meanwhile, before it is deleted at once
_STATED = ("gracePeriodSeconds", "preconditions", "orphanDependents", "propagationPolicy", "dryRun")


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """The options of a deletion; `grace_s` is None if the object's own grace period applies.

    `admitted`: no admission is needed any more. `of_collection`: the request does not name the object. `at_once`: no
    others are served while a large object is marked. `stated` are the options as the client states them, for webhooks.
    """

    grace_s: int | None = None
    policy: str | None = None
    orphan: bool | None = None
    uid: str | None = None
    version: str | None = None
    dry_run: bool = False
    admitted: bool = False
    of_collection: bool = False
    at_once: bool = False
    stated: Document = field(default_factory=dict, compare=False)

    @classmethod
    def read(cls, request: Request, kinds: KindTable) -> DeleteOptions:
        """Reads and validates the options: from the body if there is one, else from the query."""
        if request.body:
            content_type = request.headers.get("content-type", "")
            decode = partial(decode_delete_options, kinds, request.body, content_type)
            return cls.of(run_beside(decode, len(request.body)))
        stated = {name: request.param(name) for name in ("uid", "resourceVersion") if request.param(name)}
        document: Document = {"preconditions": stated or None}
        document["gracePeriodSeconds"] = integer(request.param("gracePeriodSeconds"))
        document["propagationPolicy"] = request.param("propagationPolicy") or None
        document["orphanDependents"] = request.flag("orphanDependents") if request.has("orphanDependents") else None
        document["dryRun"] = request.all("dryRun")
        return cls.of(document)

    @classmethod
    def of(cls, document: Document) -> DeleteOptions:
        """Validates and returns the options of a DeleteOptions document."""
        dry_run = document.get("dryRun") or []
        preconditions = document.get("preconditions") or {}
        options = cls(
            grace_s=document.get("gracePeriodSeconds"),
            policy=document.get("propagationPolicy"),
            orphan=document.get("orphanDependents"),
            uid=preconditions.get("uid"),
            version=preconditions.get("resourceVersion"),
            dry_run=bool(dry_run),
            stated={name: document[name] for name in _STATED if document.get(name) not in (None, [])},
        )
        mistakes = [*options._mistakes(), *dry_run_errors(dry_run)]
        if mistakes:
            raise errors.invalid("DeleteOptions.meta.k8s.io", "", mistakes)
        return options

    def _mistakes(self) -> list[FieldError]:
        found = []
        if self.orphan is not None and self.policy is not None:
            why = "orphanDependents and deletionPropagation cannot be both set"
            found.append(bad_value("propagationPolicy", self.policy, why))
        if self.policy is not None and self.policy not in (FOREGROUND, BACKGROUND, ORPHAN):
            found.append(unsupported("propagationPolicy", self.policy, (FOREGROUND, BACKGROUND, ORPHAN, "nil")))
        return found


@dataclass(slots=True)
class Deleted:
    """The answer to a deletion: a Status or the object; 202 if dependents must be deleted first."""

    document: Document
    status: int = 200


class Deleter:
    """Deletes objects."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._objects = writer.objects
        self._store = writer.objects.store

    def delete(self, kind: Kind, namespace: str, name: str, options: DeleteOptions, request: Request) -> Deleted:
        """Deletes one object; 404 if there is none, 403 if the kind keeps it."""
        if name in (kept := strategy_of(kind).kept):
            raise errors.forbidden(kind.resource, name, kept[name])
        self._warn(kind, options, request)
        for _ in range(_ATTEMPTS):
            with suppress(StaleError):
                return self._delete_present(kind, namespace, name, options, request)
        return self._delete_present(kind, namespace, name, replace(options, at_once=True), request)

    def _delete_present(
        self, kind: Kind, namespace: str, name: str, options: DeleteOptions, request: Request
    ) -> Deleted:
        """Deletes one object; StaleError if a large one has changed meanwhile."""
        old = self._objects.get(kind, namespace, name)
        deleted, document = self._delete(kind, old, options, request)
        return Deleted(document, 202 if not deleted and options.orphan is False else 200)

    def delete_collection(
        self, kind: Kind, namespace: str, options: DeleteOptions, listed: ListOptions, request: Request
    ) -> Page:
        """Deletes the objects of a list, and returns the list as it was."""
        found = page(self._objects, kind, namespace, listed)
        for resource in in_slices(found[0]):
            with suppress(NotFoundError):  # the deletion of another one may have deleted it as well
                self.delete(kind, resource.namespace, resource.name, replace(options, of_collection=True), request)
        self._warn(kind, options, request)
        return found

    def _warn(self, kind: Kind, options: DeleteOptions, request: Request) -> None:
        warning = strategy_of(kind).orphan_warning
        if warning and _relies_on_default(options):
            request.warnings.append(warning)

    def _delete(self, kind: Kind, old: Resource, options: DeleteOptions, request: Request) -> tuple[bool, Document]:
        """Returns whether the object is gone, and the answer."""
        stored = self._objects.stored(kind)
        termination = strategy_of(stored).termination
        terminating = self._terminate(stored, termination, old, options, request) if termination is not None else None
        if terminating is not None:
            return False, terminating
        self.check_preconditions(kind, old, options)
        document = self._beside(kind, old, options, old.render)
        before = {**document, "metadata": dict(document["metadata"])}
        graceful, pending, options = self._grace(stored, document, options)
        if pending:
            return False, self._answer(kind, old)
        self._admit(stored, before, options, request)
        finalizers = deletion_finalizers(strategy_of(stored), document, options.policy, options.orphan)
        if not graceful and not finalizers:
            return self._remove(kind, old, options)
        document["metadata"]["finalizers"] = finalizers
        if not finalizers:
            del document["metadata"]["finalizers"]
        if not graceful:
            self._mark(document)
        return self._mark_and_remove(kind, document, old, options, request, keep=bool(finalizers or options.grace_s))

    def _mark_and_remove(
        self, kind: Kind, document: Document, old: Resource, options: DeleteOptions, request: Request, *, keep: bool
    ) -> tuple[bool, Document]:
        if options.dry_run:
            return not keep, to_served(kind, document)
        marked = self._store_marked(self._objects.stored(kind), document, old, options)
        if keep:
            return False, self._writer.large.beside(kind, marked, partial(self._objects.show, kind, marked))
        self._admit_removal(self._objects.stored(kind), marked, options, request)
        return self._remove(kind, marked, options)

    def _remove(self, kind: Kind, old: Resource, options: DeleteOptions) -> tuple[bool, Document]:
        if options.dry_run:
            return True, self._answer(kind, old)
        with suppress(NotFoundError):  # its kubelet may have deleted a pod as soon as it was marked
            self._store.delete(old)
        return True, self._answer(kind, old, self._store.version)

    def _store_marked(self, kind: Kind, document: Document, old: Resource, options: DeleteOptions) -> Resource:
        marked = self._beside(kind, old, options, partial(self._marked, kind, document, old))
        if marked is not old:
            self._store.update(marked)
        return marked

    def _beside(self, kind: Kind, old: Resource, options: DeleteOptions, function: Callable[[], T]) -> T:
        """Runs a function that reads an object, of a large one beside the loop; StaleError if that has changed."""
        result = function() if options.at_once else self._writer.large.beside(kind, old, function)
        if self._objects.find(kind, old.namespace, old.name) is not old:
            raise StaleError(kind.resource, old.name)
        return result

    def _marked(self, kind: Kind, document: Document, old: Resource) -> Resource:
        """Returns the new version of an object that is marked as deleted; the old one if it was already."""
        metadata = document["metadata"]
        stamp = metadata["deletionTimestamp"]
        metadata["resourceVersion"] = str(old.resource_version)
        if document == old.render():
            return old
        new = self._writer.resource(kind, document, old)
        if old.deleted is None or stamp != render_time(old.deleted):
            new.deleted = self._store.clock.now + (metadata.get("deletionGracePeriodSeconds") or 0) * SECOND
        return new

    def _answer(self, kind: Kind, resource: Resource, version: int | None = None) -> Document:
        if strategy_of(self._objects.stored(kind)).returns_deleted:
            return self._writer.large.beside(kind, resource, partial(self._objects.show, kind, resource, version))
        details = {"name": resource.name, "group": kind.group, "kind": kind.plural, "uid": resource.uid}
        named = {name: value for name, value in details.items() if value}
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": named}

    def check_preconditions(self, kind: Kind, old: Resource, options: DeleteOptions) -> None:
        """Raises a 409 if the object has another uid or resource version than the preconditions state."""
        if options.uid is not None and options.uid != old.uid:
            why = f"the UID in the precondition ({options.uid}) does not match the UID in record ({old.uid})"
            raise errors.conflict(old.group_kind, old.name, f"{why}. {_OTHER_UID}")
        if options.version is not None and options.version != str(old.resource_version):
            why = f"the ResourceVersion in the precondition ({options.version}) does not match the ResourceVersion in "
            raise errors.conflict(old.group_kind, old.name, f"{why}record ({old.resource_version}). {_OTHER_VERSION}")

    def _admit(self, kind: Kind, document: Document, options: DeleteOptions, request: Request) -> None:
        if not options.admitted:
            self._writer.admission.validate(self._attributes(kind, document, options, request))

    def _admit_removal(self, kind: Kind, marked: Resource, options: DeleteOptions, request: Request) -> None:
        """Asks webhooks and policies once more about an object that was marked and is removed at once."""
        if not options.admitted and self._writer.admission.may_wait:
            attributes = self._attributes(kind, marked.render(), options, request)
            self._writer.admission.validate_outside(attributes)

    def _attributes(self, kind: Kind, document: Document, options: DeleteOptions, request: Request) -> Attributes:
        metadata = document["metadata"]
        name = "" if options.of_collection else metadata["name"]
        attributes = Attributes("DELETE", kind, document, document, metadata.get("namespace", ""), name)
        attributes.user, attributes.warnings = request.user, request.warnings
        attributes.dry_run, attributes.options = options.dry_run, options.stated
        return attributes

    # grace

    def _grace(self, kind: Kind, document: Document, options: DeleteOptions) -> tuple[bool, bool, DeleteOptions]:
        """Marks an object of a kind with a grace period; returns whether it has one, whether it was marked already."""
        if options.grace_s is not None and options.grace_s < 0:
            options = replace(options, grace_s=1)
        grace_period = strategy_of(kind).grace_period
        if grace_period is None:
            return False, False, options
        metadata = document["metadata"]
        if metadata.get("deletionTimestamp"):
            return self._shorten(metadata, options)
        grace_s = grace_period(document, options.grace_s)
        options = replace(options, grace_s=grace_s)
        metadata["deletionTimestamp"] = render_time(self._store.clock.now + grace_s * SECOND)
        metadata["deletionGracePeriodSeconds"] = grace_s
        _count(metadata)
        return True, False, options

    def _shorten(self, metadata: Document, options: DeleteOptions) -> tuple[bool, bool, DeleteOptions]:
        """Shortens the grace period of a pod that is being deleted; it cannot be extended."""
        present = metadata.get("deletionGracePeriodSeconds") or 0
        if not present:
            return False, False, options
        if options.grace_s is None or options.grace_s >= present:
            return False, True, options
        metadata["deletionGracePeriodSeconds"] = options.grace_s
        metadata["deletionTimestamp"] = render_time(self._store.clock.now + options.grace_s * SECOND)
        return True, False, options

    def _mark(self, document: Document) -> None:
        """Marks an object that stays until its finalizers are gone."""
        metadata = document["metadata"]
        if not metadata.get("deletionTimestamp"):
            _count(metadata)
            metadata["deletionTimestamp"] = render_time(self._store.clock.now)
        metadata["deletionGracePeriodSeconds"] = 0

    # kinds whose content is deleted before them

    def _terminate(
        self, kind: Kind, termination: Termination, old: Resource, options: DeleteOptions, request: Request
    ) -> Document | None:
        """Starts to delete an object that stays until its content is gone; None if nothing holds it any more."""
        if old.deleted is not None and termination.is_held is None:
            return None
        self._check_stated(kind, old, options)
        document = old.render()
        if old.deleted is not None and termination.is_held is not None:
            return document if termination.is_held(document) else None
        self._admit(kind, document, options, request)
        termination.mark(document, render_time(self._store.clock.now))
        if termination.propagates:
            finalizers = deletion_finalizers(strategy_of(kind), document, options.policy, options.orphan)
            if finalizers:
                document["metadata"]["finalizers"] = finalizers
        return (
            document if options.dry_run else self._objects.show(kind, self._store_marked(kind, document, old, options))
        )

    def _check_stated(self, kind: Kind, old: Resource, options: DeleteOptions) -> None:
        for what, stated, present in (
            ("UID", options.uid, old.uid),
            ("ResourceVersion", options.version, str(old.resource_version)),
        ):
            if stated is not None and stated != present:
                why = f"Precondition failed: {what} in precondition: {stated}, {what} in object meta: {present}"
                raise errors.conflict(kind.resource, old.name, why)


def _relies_on_default(options: DeleteOptions) -> bool:
    return options.policy is None and options.orphan is None


def _count(metadata: Document) -> None:
    """Counts the start of a deletion as a new generation, for kinds with generations."""
    if metadata.get("generation"):
        metadata["generation"] = next_generation(metadata["generation"])
