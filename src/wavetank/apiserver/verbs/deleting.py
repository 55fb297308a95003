"""Deleting objects: at once, after a grace period, or when their finalizers are gone."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

from wavetank.apiserver import errors
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.codec import decode_delete_options
from wavetank.apiserver.conversion.versions import to_served
from wavetank.apiserver.custom.definition.conditions import CLEANUP, MARKED, with_conditions
from wavetank.apiserver.fielderrors import FieldError, unsupported
from wavetank.apiserver.fielderrors import invalid as bad_value
from wavetank.apiserver.http.request import Request, User
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import ListOptions, dry_run_errors, integer
from wavetank.apiserver.verbs.reading import Page, page
from wavetank.apiserver.verbs.writing import Writer
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.cluster.store.errors import NotFoundError
from wavetank.kernel.durations import SECOND

ORPHAN, FOREGROUND, BACKGROUND = "Orphan", "Foreground", "Background"
_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER = "orphan", "foregroundDeletion"

# Kinds whose deletion answers the object itself instead of a Status.
_SHOWN = frozenset(
    {
        "Namespace",
        "PersistentVolume",
        "PersistentVolumeClaim",
        "Pod",
        "PodTemplate",
        "ResourceQuota",
        "Service",
        "ServiceAccount",
        "CSIDriver.storage.k8s.io",
        "CSINode.storage.k8s.io",
        "StorageClass.storage.k8s.io",
        "VolumeAttachment.storage.k8s.io",
        "VolumeAttributesClass.storage.k8s.io",
        "DeviceClass.resource.k8s.io",
        "ResourceClaim.resource.k8s.io",
        "ResourceClaimTemplate.resource.k8s.io",
        "ResourceSlice.resource.k8s.io",
    }
)
# Kinds whose dependents stay unless the client says otherwise, and kinds that have no dependents.
_ORPHANING = frozenset({"Job.batch", "ReplicationController"})
_ALONE = frozenset({"Event"})
_DEFINITION = "CustomResourceDefinition.apiextensions.k8s.io"
_PRESERVED = (
    "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set "
    "propagationPolicy=Orphan to suppress this warning"
)
_OTHER_UID = "The object might have been deleted and then recreated"
_OTHER_VERSION = "The object might have been modified"


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """How something is to be deleted; `grace_s` is None where the object decides."""

    grace_s: int | None = None
    policy: str | None = None
    orphan: bool | None = None
    uid: str | None = None
    version: str | None = None
    dry_run: bool = False

    @classmethod
    def read(cls, request: Request, kinds: KindTable) -> DeleteOptions:
        """Reads and checks the options: of the body if there is one, else of the query."""
        if request.body:
            return cls.of(decode_delete_options(kinds, request.body, request.headers.get("content-type", "")))
        stated = {name: request.param(name) for name in ("uid", "resourceVersion")}
        document: Document = {"preconditions": {name: value for name, value in stated.items() if value}}
        document["gracePeriodSeconds"] = integer(request.param("gracePeriodSeconds"))
        document["propagationPolicy"] = request.param("propagationPolicy") or None
        document["orphanDependents"] = request.flag("orphanDependents") if request.has("orphanDependents") else None
        document["dryRun"] = request.all("dryRun")
        return cls.of(document)

    @classmethod
    def of(cls, document: Document) -> DeleteOptions:
        """Checks and takes over the options in a DeleteOptions document."""
        dry_run = document.get("dryRun") or []
        preconditions = document.get("preconditions") or {}
        options = cls(
            grace_s=document.get("gracePeriodSeconds"),
            policy=document.get("propagationPolicy"),
            orphan=document.get("orphanDependents"),
            uid=preconditions.get("uid"),
            version=preconditions.get("resourceVersion"),
            dry_run=bool(dry_run),
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
    """What a deletion answers: a Status or the object, with 202 if the client insists on cascading but must wait."""

    document: Document
    status: int = 200


class Deleter:
    """Deletes objects."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer
        self._objects = writer.objects
        self._store = writer.objects.store

    def delete(self, kind: Kind, namespace: str, name: str, options: DeleteOptions, request: Request) -> Deleted:
        """Deletes one object; 404 if there is none."""
        if _warns(kind, options):
            request.warnings.append(_PRESERVED)
        old = self._objects.get(kind, namespace, name)
        deleted, document = self._delete(kind, old, options, request.user)
        return Deleted(document, 202 if not deleted and options.orphan is False else 200)

    def delete_collection(
        self, kind: Kind, namespace: str, options: DeleteOptions, listed: ListOptions, request: Request
    ) -> Page:
        """Deletes what a list shows, and returns that list as it was."""
        found = page(self._objects, kind, namespace, listed)
        for resource in found[0]:
            with suppress(NotFoundError):  # another one's deletion may have taken it along
                self.delete(kind, resource.namespace, resource.name, options, request)
        if _warns(kind, options):
            request.warnings.append(_PRESERVED)
        return found

    def _delete(self, kind: Kind, old: Resource, options: DeleteOptions, user: User) -> tuple[bool, Document]:
        """Returns whether the object is gone, and what is answered."""
        stored = self._objects.stored(kind)
        if stored.group_kind == _DEFINITION and old.deleted is None:
            return False, self._terminate_definition(stored, old, options, user)
        if stored.group_kind == "Namespace":
            going = self._terminate_namespace(stored, old, options, user)
            if going is not None:
                return False, going
        self.check_preconditions(kind, old, options)
        document = old.render()
        graceful, pending, options = self._grace(stored, document, options)
        if pending:
            return False, self._answer(kind, old)
        self._admit(stored, document, options, user)
        finalizers = _finalizers(stored, document, options)
        if not graceful and not finalizers:
            return self._remove(kind, old, options)
        document["metadata"]["finalizers"] = finalizers
        if not finalizers:
            del document["metadata"]["finalizers"]
        if not graceful:
            self._mark(document)
        return self._mark_and_remove(kind, document, old, options, keep=bool(finalizers or options.grace_s))

    def _mark_and_remove(
        self, kind: Kind, document: Document, old: Resource, options: DeleteOptions, *, keep: bool
    ) -> tuple[bool, Document]:
        if options.dry_run:
            return not keep, to_served(kind, document)
        marked = self._store_marked(self._objects.stored(kind), document, old)
        if keep:
            return False, self._objects.show(kind, marked)
        return self._remove(kind, marked, options)

    def _remove(self, kind: Kind, old: Resource, options: DeleteOptions) -> tuple[bool, Document]:
        if options.dry_run:
            return True, self._answer(kind, old)
        with suppress(NotFoundError):  # a kubelet may have let its pod go as soon as it was marked
            self._store.delete(old)
        return True, self._answer(kind, old, self._store.version)

    def _store_marked(self, kind: Kind, document: Document, old: Resource) -> Resource:
        metadata = document["metadata"]
        stamp = metadata["deletionTimestamp"]
        document["metadata"]["resourceVersion"] = str(old.resource_version)
        if document == old.render():
            return old
        new = self._writer.resource(kind, document, old)
        if old.deleted is None or stamp != render_time(old.deleted):
            new.deleted = self._store.clock.now + (metadata.get("deletionGracePeriodSeconds") or 0) * SECOND
        self._store.update(new)
        return new

    def _answer(self, kind: Kind, resource: Resource, version: int | None = None) -> Document:
        if self._objects.stored(kind).group_kind in _SHOWN:
            return self._objects.show(kind, resource, version)
        details = {"name": resource.name, "group": kind.group, "kind": kind.plural, "uid": resource.uid}
        named = {name: value for name, value in details.items() if value}
        return {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "details": named}

    def check_preconditions(self, kind: Kind, old: Resource, options: DeleteOptions) -> None:
        """Refuses (409) to delete an object that is another one, or another version, than the client thinks."""
        if options.uid is not None and options.uid != old.uid:
            why = f"the UID in the precondition ({options.uid}) does not match the UID in record ({old.uid})"
            raise errors.conflict(kind.group_kind, old.name, f"{why}. {_OTHER_UID}")
        if options.version is not None and options.version != str(old.resource_version):
            why = f"the ResourceVersion in the precondition ({options.version}) does not match the ResourceVersion in "
            raise errors.conflict(kind.group_kind, old.name, f"{why}record ({old.resource_version}). {_OTHER_VERSION}")

    def _admit(self, kind: Kind, document: Document, options: DeleteOptions, user: User) -> None:
        metadata = document["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        attributes = Attributes("DELETE", kind, document, document, namespace, name, "", user, options.dry_run)
        self._writer.admission.validate(attributes)

    # grace

    def _grace(self, kind: Kind, document: Document, options: DeleteOptions) -> tuple[bool, bool, DeleteOptions]:
        """Marks a pod that is to be deleted gracefully; returns whether it is, whether it was already, the options."""
        if options.grace_s is not None and options.grace_s < 0:
            options = replace(options, grace_s=1)
        if kind.group_kind != "Pod":
            return False, False, options
        metadata = document["metadata"]
        if metadata.get("deletionTimestamp"):
            return self._shorten(metadata, options)
        options = replace(options, grace_s=_grace_of(document, options.grace_s))
        assert options.grace_s is not None
        metadata["deletionTimestamp"] = render_time(self._store.clock.now + options.grace_s * SECOND)
        metadata["deletionGracePeriodSeconds"] = options.grace_s
        _count(metadata)
        return True, False, options

    def _shorten(self, metadata: Document, options: DeleteOptions) -> tuple[bool, bool, DeleteOptions]:
        """Lets a pod that is being deleted go sooner; later is not possible."""
        present = metadata.get("deletionGracePeriodSeconds") or 0
        if not present:
            return False, False, options
        if options.grace_s is None or options.grace_s >= present:
            return False, True, options
        metadata["deletionGracePeriodSeconds"] = options.grace_s
        metadata["deletionTimestamp"] = render_time(self._store.clock.now + options.grace_s * SECOND)
        return True, False, options

    def _mark(self, document: Document) -> None:
        """Marks an object that stays only until its finalizers are gone."""
        metadata = document["metadata"]
        if not metadata.get("deletionTimestamp"):
            _count(metadata)
            metadata["deletionTimestamp"] = render_time(self._store.clock.now)
        metadata["deletionGracePeriodSeconds"] = 0

    # custom kinds and namespaces

    def _terminate_definition(self, kind: Kind, old: Resource, options: DeleteOptions, user: User) -> Document:
        """Begins the end of a custom kind, which stays until its objects are gone."""
        self._check_stated(kind, old, options)
        document = old.render()
        self._admit(kind, document, options, user)
        metadata = document["metadata"]
        metadata["deletionTimestamp"] = render_time(self._store.clock.now)
        metadata["finalizers"] = list(dict.fromkeys([*(metadata.get("finalizers") or ()), CLEANUP]))
        document = with_conditions(document, metadata["deletionTimestamp"], MARKED)
        return document if options.dry_run else self._objects.show(kind, self._store_marked(kind, document, old))

    def _check_stated(self, kind: Kind, old: Resource, options: DeleteOptions) -> None:
        for what, stated, present in (
            ("UID", options.uid, old.uid),
            ("ResourceVersion", options.version, str(old.resource_version)),
        ):
            if stated is not None and stated != present:
                why = f"Precondition failed: {what} in precondition: {stated}, {what} in object meta: {present}"
                raise errors.conflict(kind.resource, old.name, why)

    def _terminate_namespace(self, kind: Kind, old: Resource, options: DeleteOptions, user: User) -> Document | None:
        """Begins the end of a namespace, which its own finalizers keep; None if nothing keeps it any more."""
        self._check_stated(kind, old, options)
        document = old.render()
        if old.deleted is not None:
            kept = (document.get("spec") or {}).get("finalizers")
            return document if kept else None
        self._admit(kind, document, options, user)
        metadata = document["metadata"]
        metadata["deletionTimestamp"] = render_time(self._store.clock.now)
        document["status"] = {**(document.get("status") or {}), "phase": "Terminating"}
        finalizers = _finalizers(kind, document, options)
        if finalizers:
            metadata["finalizers"] = finalizers
        return document if options.dry_run else self._objects.show(kind, self._store_marked(kind, document, old))


def _grace_of(pod: Document, asked: int | None) -> int:
    """Returns the grace period of a pod in seconds: none if nobody runs it."""
    phase = (pod.get("status") or {}).get("phase")
    if not pod["spec"].get("nodeName") or phase in ("Succeeded", "Failed"):
        return 0
    grace = asked if asked is not None else pod["spec"].get("terminationGracePeriodSeconds", 0)
    return int(grace) if grace >= 0 else 1


def _finalizers(kind: Kind, document: Document, options: DeleteOptions) -> list[str]:
    """Returns the finalizers that an object has while it is being deleted, those of the garbage collector included."""
    old: list[str] = document["metadata"].get("finalizers") or []
    kept = [name for name in old if name not in (_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER)]
    if _orphans(kind, old, options):
        kept.append(_ORPHAN_FINALIZER)
    if _waits_for_dependents(kind, old, options):
        kept.append(_FOREGROUND_FINALIZER)
    return old if set(kept) == set(old) else kept


def _orphans(kind: Kind, finalizers: list[str], options: DeleteOptions) -> bool:
    if kind.group_kind in _ALONE:
        return False
    if options.orphan is not None:
        return options.orphan
    if options.policy is not None:
        return options.policy == ORPHAN
    for name in finalizers:
        if name in (_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER):
            return name == _ORPHAN_FINALIZER
    return kind.group_kind in _ORPHANING


def _waits_for_dependents(kind: Kind, finalizers: list[str], options: DeleteOptions) -> bool:
    if kind.group_kind in _ALONE or options.orphan is not None:
        return False
    if options.policy is not None:
        return options.policy == FOREGROUND
    first = next((name for name in finalizers if name in (_ORPHAN_FINALIZER, _FOREGROUND_FINALIZER)), "")
    return first == _FOREGROUND_FINALIZER


def _warns(kind: Kind, options: DeleteOptions) -> bool:
    return kind.group_kind == "Job.batch" and options.policy is None and options.orphan is None


def _count(metadata: Document) -> None:
    """Counts the beginning of a deletion as a change, for kinds that count them."""
    if metadata.get("generation"):
        metadata["generation"] += 1
