"""The controllers of CustomResourceDefinitions: accept their names, serve their kinds, finalize them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

import msgspec

from wavetank.apiserver.custom.definition.conditions import (
    CLEANUP,
    ESTABLISHED,
    NAMES_ACCEPTED,
    TERMINATING,
    condition,
    condition_of,
    is_true,
    with_conditions,
)
from wavetank.apiserver.custom.definition.naming import accept_names, approval_condition
from wavetank.apiserver.custom.schema.structural import Document
from wavetank.apiserver.definitions.servedkinds import served_kinds
from wavetank.apiserver.definitions.statuses import SERVER_USER, update_status
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.verbs.bootstrapping import bootstrap
from wavetank.apiserver.verbs.deleting import DeleteOptions, Deleter
from wavetank.apiserver.verbs.options import ListOptions
from wavetank.apiserver.verbs.watching import Watches
from wavetank.apiserver.verbs.write import StaleError
from wavetank.apiserver.verbs.writing import Writer
from wavetank.apiserver.waiting import may_wait, run_beside
from wavetank.apiserver.webhooks.calls import WebhookClient
from wavetank.cluster.objects.groupkinds import GroupKind
from wavetank.cluster.objects.resource import Resource

_LARGE = 64 * 1024  # bytes of a definition that takes more than some milliseconds
# The names of large definitions that a request has written: greenlets have contexts of their own.
_pending: ContextVar[dict[str, None] | None] = ContextVar("pending", default=None)
_PRIORITIES = {"groupPriorityMinimum": 1000, "versionPriority": 100}
_AUTOMATIC = {"kube-aggregator.kubernetes.io/automanaged": "true"}


class DefinitionController:
    """Does at once after each write what the controllers inside the real server do with CustomResourceDefinitions.

    As there, the response to a create has no conditions yet. What a large definition needs is done at the end of the
    request that writes it, if that may wait (see `deferring`).
    """

    def __init__(self, writer: Writer, deleter: Deleter, watches: Watches, client: WebhookClient) -> None:
        self._writer = writer
        self._client = client
        self._deleter = deleter
        self._watches = watches
        self._objects = writer.objects
        self._store = writer.objects.store
        found = self._objects.kinds.named("apiextensions.k8s.io/v1", "CustomResourceDefinition")
        services = self._objects.kinds.named("apiregistration.k8s.io/v1", "APIService")
        assert found is not None
        assert services is not None
        self._kind, self._services = found, services
        self._served: dict[str, tuple[Document, list[Kind]]] = {}
        self._followed: set[str] = set()
        self._store.subscribe(found.group_kind, self)
        for each in list(self._store.list(found.group_kind)):
            self.added(each)

    def added(self, new: Resource) -> None:
        """Syncs a new definition."""
        self._plan(new)

    def modified(self, old: Resource, new: Resource) -> None:
        """Syncs a changed definition."""
        self._plan(new)

    def deleted(self, old: Resource) -> None:
        """Forgets a definition; its names are free for others."""
        group = old.manifest["spec"]["group"]
        self._withdraw(old.name)
        for other in list(self._store.list(self._kind.group_kind)):
            if other.manifest["spec"]["group"] == group:
                self._plan(other)

    # syncing

    @contextmanager
    def deferring(self) -> Iterator[None]:
        """Lets a request sync the large definitions that it has written after all else; others are served meanwhile."""
        pending: dict[str, None] = {}
        token = _pending.set(pending)
        try:
            yield
        finally:
            while pending:
                name = next(iter(pending))
                del pending[name]
                with suppress(StaleError):  # the one who has changed it syncs it
                    self._sync(name)
            _pending.reset(token)

    def _plan(self, definition: Resource) -> None:
        """Syncs a definition: a large one at the end of the request."""
        pending = _pending.get()
        if pending is not None and may_wait() and len(msgspec.json.encode(definition.manifest)) > _LARGE:
            pending[definition.name] = None
        else:
            self._sync(definition.name)

    def _sync(self, name: str) -> None:
        present = self._store.find(self._kind.group_kind, "", name)
        if present is None:
            return
        definition = present.render()
        self._serve(definition, present)
        if self._store.find(self._kind.group_kind, "", name) is not present:
            return  # the request that has changed it meanwhile syncs it
        changed = self._next(definition)
        if changed is not None:
            self._write(changed, present)
        elif present.deleted is not None and CLEANUP in (definition["metadata"].get("finalizers") or ()):
            self._clean(name)

    def _next(self, definition: Document) -> Document | None:
        """Returns a definition after the next step, None if nothing is left to do."""
        approval = approval_condition(definition)
        if approval is not None and not _has(definition, approval):
            return with_conditions(definition, self._writer.now, approval)
        spec, status = definition["spec"], definition.get("status") or {}
        if _names(spec["names"]) != _names(status.get("acceptedNames") or {}):
            others = [each for each in self._of_group(spec["group"]) if each["metadata"]["name"] != _name(definition)]
            names, named, established = accept_names(definition, others)
            if _names(names) != _names(status.get("acceptedNames") or {}) or not _has(definition, named):
                changed = with_conditions(definition, self._writer.now, named, established)
                changed["status"]["acceptedNames"] = {"plural": "", "kind": "", **names}
                return changed
        if is_true(definition, NAMES_ACCEPTED) and not is_true(definition, ESTABLISHED):
            established = condition(ESTABLISHED, "True", "InitialNamesAccepted", "the initial names have been accepted")
            return with_conditions(definition, self._writer.now, established)
        return None

    def _write(self, definition: Document, present: Resource) -> None:
        update_status(self._writer, self._kind, definition, present)

    # serving

    def _serve(self, definition: Document, present: Resource) -> None:
        """Serves the kinds of a definition, if its names are accepted."""
        if not is_true(definition, NAMES_ACCEPTED) and not is_true(definition, ESTABLISHED):
            return
        name, status = _name(definition), definition["status"]
        seen = {"spec": definition["spec"], "names": status["acceptedNames"], "going": is_true(definition, TERMINATING)}
        if name in self._served and self._served[name][0] == seen:
            return
        weight = len(msgspec.json.encode(definition["spec"]))
        kinds = run_beside(lambda: list(served_kinds(definition, self._objects.kinds, self._client)), weight)
        if self._store.find(self._kind.group_kind, "", name) is not present:
            return
        self._withdraw(name)
        for kind in kinds:
            self._objects.kinds.add(kind)
        self._served[name] = seen, kinds
        for kind in kinds:
            self._register(kind)

    def _withdraw(self, name: str) -> None:
        """Stops serving a definition's kinds; watches of their objects end."""
        _, kinds = self._served.pop(name, ({}, []))
        for kind in kinds:
            self._objects.kinds.remove(kind)
            self._watches.close(kind.group_kind)
        for kind in kinds:
            self._unregister(kind)
        self._objects.forget()

    def _register(self, kind: Kind) -> None:
        """Registers a group and version by an APIService, as the aggregation layer does."""
        name = f"{kind.version}.{kind.group}"
        if self._objects.find(self._services, "", name) is not None:
            return
        message = "Local APIServices are always available"
        available = {**condition("Available", "True", "Local", message), "lastTransitionTime": self._writer.now}
        document: Document = {"apiVersion": self._services.api_version, "kind": self._services.kind}
        document["metadata"] = {"name": name, "labels": dict(_AUTOMATIC)}
        document["spec"] = {"group": kind.group, "version": kind.version, **_PRIORITIES}
        document["status"] = {"conditions": [available]}
        bootstrap(self._writer, self._services, document)

    def _unregister(self, kind: Kind) -> None:
        used = any((each.group, each.version) == (kind.group, kind.version) for each in self._objects.kinds)
        found = self._objects.find(self._services, "", f"{kind.version}.{kind.group}")
        if found is not None and not used and found.labels.get(next(iter(_AUTOMATIC))) == "true":
            self._store.delete(found)

    # finalizing

    def _clean(self, name: str) -> None:
        """Deletes the objects of a definition that is being deleted, and then removes its finalizer."""
        present = self._store.find(self._kind.group_kind, "", name)
        assert present is not None
        definition = present.render()
        going = condition(TERMINATING, "True", "InstanceDeletionInProgress", "CustomResource deletion is in progress")
        if not _has(definition, going):
            self._write(with_conditions(definition, self._writer.now, going), present)
            return  # the write syncs again
        group_kind = f"{definition['status']['acceptedNames']['kind']}.{definition['spec']['group']}"
        if is_true(definition, ESTABLISHED):
            self._delete_objects(name, group_kind)
            if self._store.has(group_kind):
                self._follow(name, group_kind)
                return
            done = condition(TERMINATING, "False", "InstanceDeletionCompleted", "removed all instances")
        else:
            done = condition(TERMINATING, "False", "NeverEstablished", "resource was never established")
        present = self._store.find(self._kind.group_kind, "", name)
        if present is not None:
            self._release(present, done)

    def _release(self, present: Resource, done: Document) -> None:
        definition = with_conditions(present.render(), self._writer.now, done)
        finalizers = [each for each in definition["metadata"]["finalizers"] if each != CLEANUP]
        definition["metadata"] = {**definition["metadata"], "finalizers": finalizers}
        self._write(definition, present)

    def _delete_objects(self, name: str, group_kind: GroupKind) -> None:
        kinds = self._served.get(name, ({}, []))[1]
        for namespace in sorted({each.namespace for each in self._store.list(group_kind) if each.deleted is None}):
            for kind in kinds[:1]:
                request = Request("DELETE", "", user=SERVER_USER)
                self._deleter.delete_collection(kind, namespace, DeleteOptions(), ListOptions(), request)

    def _follow(self, name: str, group_kind: GroupKind) -> None:
        """Syncs again whenever one of the remaining objects is gone."""
        if group_kind not in self._followed:
            self._followed.add(group_kind)
            self._store.subscribe(group_kind, deleted=lambda _: self._retry(name))

    def _retry(self, name: str) -> None:
        """Syncs a definition that waits until its objects are gone."""
        present = self._store.find(self._kind.group_kind, "", name)
        if present is not None and present.deleted is not None:
            self._sync(name)

    def _of_group(self, group: str) -> list[Document]:
        found = (each.render() for each in self._store.list(self._kind.group_kind))
        return [each for each in found if each["spec"]["group"] == group]


def _name(definition: Document) -> str:
    return str(definition["metadata"]["name"])


def _names(names: Document) -> Document:
    return {key: value for key, value in names.items() if value}


def _has(definition: Document, wanted: Document) -> bool:
    found = condition_of(definition, wanted["type"])
    return found is not None and all(found.get(key) == wanted[key] for key in ("status", "reason", "message"))
