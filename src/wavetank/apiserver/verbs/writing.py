"""Creating, replacing and patching objects: decoding, defaulting, admission, validation, storage."""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TypeVar

from wavetank.apiserver import errors
from wavetank.apiserver.admission.attributes import Attributes
from wavetank.apiserver.admission.chain import AdmissionChain
from wavetank.apiserver.codec.yamltext import warning_lines
from wavetank.apiserver.conversion.versions import to_served, to_stored
from wavetank.apiserver.defaulting.defaults import set_defaults
from wavetank.apiserver.fielderrors import FieldError
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.patches import apply_patch
from wavetank.apiserver.registry.preparing import prepare_create
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.registry.validation import validate_create
from wavetank.apiserver.registry.warnings import create_warnings, update_warnings
from wavetank.apiserver.requests.decoding import decode
from wavetank.apiserver.requests.negotiation import Representation
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.responses import answer
from wavetank.apiserver.strategies.strategy import WriteContext
from wavetank.apiserver.verbs.etcd import LARGE, check_size
from wavetank.apiserver.verbs.fieldmanagers import (
    FieldManagers,
    put_managers,
    take_managers,
    unchanged,
    without_managers,
)
from wavetank.apiserver.verbs.identity import (
    check_name,
    check_namespace,
    check_served,
    check_uid,
    check_version,
    generate_name,
    name_taken,
    set_namespace,
)
from wavetank.apiserver.verbs.largeobjects import LargeObjects
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.ownerreferences import drop_duplicate_owners
from wavetank.apiserver.verbs.refusing import refuse
from wavetank.apiserver.verbs.weights import weight_of
from wavetank.apiserver.verbs.write import (
    StaleError,
    Write,
    Written,
    attributes_of,
    is_finished,
    patch_type,
)
from wavetank.apiserver.waiting import is_heavy, run_beside
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import Resource, render_time
from wavetank.errors import InputError

T = TypeVar("T")

_SYSTEM_FIELDS = ("creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
_ATTEMPTS = 6  # at an update or a patch
_SLOW_S = 0.005  # of checking an object that is not small


class Writer:
    """Writes objects into the store by the strategies of their kinds."""

    def __init__(self, objects: Objects, admission: AdmissionChain, names: random.Random) -> None:
        self.objects = objects
        self.admission = admission
        self.field_managers = FieldManagers(objects.kinds)
        self._names = names
        self.large = LargeObjects()

    # requests

    def read_body(self, kind: Kind | Subresource, request: Request, options: WriteOptions) -> Document:
        """Returns the document in a request's body; warnings about it are added to the request."""
        content_type = request.headers.get("content-type", "")
        validation = options.field_validation or "Warn"
        read = partial(decode, self.objects.kinds, kind, request.body, content_type, validation)
        decoded = run_beside(read, weight_of(kind, request))
        request.warnings += (line for text in decoded.warnings for line in warning_lines(text))
        request.stated = decoded.stated
        return decoded.document

    def create(self, kind: Kind, namespace: str, request: Request) -> Written:
        """Creates the object in a request's body."""
        options = WriteOptions.read(request, "Create")
        document = self.read_body(kind, request, options)
        write = Write(kind, namespace, "", request, options)
        write.beside(partial(self._begin, write, document))
        self.track(write, None, document)
        return Written(self.add(write, document), 201)

    def update(self, write: Write) -> Written:
        """Replaces an object by the one in a request's body."""
        return self._again_if_stale(write, self._update)

    def _update(self, write: Write) -> Written:
        document = self.read_body(write.kind, write.request, write.options)
        write.beside(partial(self._complete, write, document))
        old = self.objects.find(write.kind, write.namespace, write.name)
        check_uid(write, document, old)
        if old is None and not write.may_create:
            raise errors.not_found(write.kind.resource, write.name)
        live = self.show(write, old) if old is not None else None
        self.track(write, live, document)
        if old is None:
            write.beside(partial(self._begin, write, document))
            return Written(self.add(write, document), 201)
        return Written(self.replace(write, document, old))

    def patch(self, write: Write) -> Written:
        """Applies the patch in a request's body."""
        return self._again_if_stale(write, self._patch)

    def _again_if_stale(self, write: Write, attempt: Callable[[Write], Written]) -> Written:
        """Repeats a write if the object has changed meanwhile; a conflict if the request states its old version."""
        warnings = len(write.request.warnings)
        for _ in range(_ATTEMPTS - 1):
            with suppress(StaleError):
                return attempt(write)
            del write.request.warnings[warnings:]
        return attempt(write)

    def _patch(self, write: Write) -> Written:
        old = self.objects.find(write.kind, write.namespace, write.name)
        self.large.weigh(write, old)
        if write.applies:
            return self._apply(write, old)
        if old is None:
            raise errors.not_found(write.kind.resource, write.name)
        live = self.show(write, old)
        bare = live if b"managedFields" in write.request.body else without_managers(live)
        document = self.read_patch(write.kind, bare, write)
        write.beside(partial(self._complete, write, document))
        self.track(write, live, document)
        return Written(self.replace(write, document, old))

    def track(self, write: Write, live: Document | None, document: Document) -> None:
        """Adds to a document who manages which of its fields."""
        kind = self.objects.stored(write.kind)
        write.beside(partial(self.field_managers.update, write, kind, live, document, self.now))

    def answer(self, kind: Kind, representation: Representation, written: Written, request: Request) -> Response:
        """Returns the response to a write; that an object has become large is kept for the next write."""
        document, now = written.document, self.objects.now
        show = partial(answer, kind, representation, document, now, written.status, request.warnings)
        response = run_beside(show, self.large.answer_weight(document, request))
        if len(response.body) > LARGE and "metadata" in document:
            self.large.note(document["metadata"].get("uid", ""), True)
        return response

    def read_patch(self, kind: Kind | Subresource, shown: Document, write: Write) -> Document:
        """Returns a document with a request's patch applied; warnings about it are added to the request."""
        request, validation = write.request, write.options.field_validation or "Warn"
        apply = partial(apply_patch, self.objects.kinds, kind, shown, request.body, patch_type(request), validation)
        patched = write.beside(apply)
        request.warnings += patched.warnings
        request.stated = patched.stated
        return patched.document

    def _apply(self, write: Write, old: Resource | None) -> Written:
        """Server-side apply; creates the object if it does not exist."""
        if old is None and write.subresource and not write.may_create:
            raise errors.not_found(write.kind.resource, write.name)
        live = self.show(write, old) if old is not None else None
        apply = partial(self.field_managers.apply, write, self.objects.stored(write.kind), live, self.now)
        document = write.beside(apply)
        if old is None:
            return Written(self.add(write, self._named(write, document)), 201)
        write.beside(partial(self._complete, write, document))
        return Written(self.replace(write, document, old))

    def _named(self, write: Write, document: Document) -> Document:
        """Returns an applied object that does not exist yet, with its name; 409 if it states a uid."""
        metadata = document["metadata"]
        if metadata.get("uid"):
            why = f"uid mismatch: the provided object specified uid {metadata['uid']}, and no existing object was found"
            raise errors.conflict(write.kind.resource, write.name, why)
        set_namespace(write, document)
        check_name(write, document)
        metadata.pop("resourceVersion", None)
        write.beside(partial(self._begin, write, document))
        return document

    def _begin(self, write: Write, document: Document) -> None:
        """Sets the defaults and the namespace of a new object, and drops fields that only the server sets."""
        self.default(write.kind, document)
        metadata = document.setdefault("metadata", {})
        for name in _SYSTEM_FIELDS:
            metadata.pop(name, None)
        set_namespace(write, document)
        write.request.warnings += drop_duplicate_owners(document)

    def _complete(self, write: Write, document: Document) -> None:
        set_namespace(write, document)
        check_name(write, document)
        write.request.warnings += drop_duplicate_owners(document)
        self.default(write.kind, document)

    # from documents to objects in the store

    def add(self, write: Write, document: Document) -> Document:
        """Creates an object of a document in the served version, and returns it as it is served."""
        managed = take_managers(document)  # long, and read by nothing below
        kind, document = self.objects.stored(write.kind), to_stored(write.kind, document)
        check_served(self.objects, write.kind, document["metadata"])
        attributes = attributes_of("CREATE", write, kind, document, None, managed)
        self._mutate(write, attributes)
        metadata = document["metadata"]
        store = self.objects.store
        # while webhooks are called, or a large object is checked, other writes may take the next uid
        waits = self.admission.may_wait or is_heavy(write.weight)
        metadata["uid"] = store.reserve_uid() if waits or write.options.dry_run else store.next_uid
        metadata["creationTimestamp"] = self.now
        generate_name(self.objects, kind, metadata, self._names)
        attributes.name = metadata.get("name", "")
        self._allocate(write, kind, document, None)
        mistakes = write.beside(partial(self._check_new, write, kind, document))
        refuse(write, kind, document, mistakes, managed)
        self.admission.validate(attributes)
        return self._insert(write, kind, put_managers(document, managed))

    def _check_new(self, write: Write, kind: Kind, document: Document) -> list[FieldError]:
        """Prepares and checks a new document; warnings are added to the request if nothing is wrong."""
        begun = perf_counter()
        prepare_create(kind, document, self._context(write))
        mistakes = validate_create(write.kind, document)
        write.was_slow = perf_counter() - begun > _SLOW_S
        if not mistakes:
            write.request.warnings += create_warnings(kind, document)
        return mistakes

    def replace(self, write: Write, document: Document, old: Resource) -> Document:
        """Replaces an object by a document in the served version, and returns it as it is served."""
        self.large.weigh(write, old)
        managed = take_managers(document)
        kind, document = self.objects.stored(write.kind), to_stored(write.kind, document)
        before = old.render() if kind.custom is None else self.objects.show(kind, old)
        attributes = attributes_of("UPDATE", write, kind, document, before, managed)
        self._mutate(write, attributes)
        check_version(write, kind, document["metadata"], old)
        self._allocate(write, kind, document, before)
        mistakes = write.beside(partial(self._check_changed, write, kind, document, before))
        refuse(write, kind, document, mistakes, managed)
        self.admission.validate(attributes)
        return self._exchange(write, kind, put_managers(document, managed), before, old)

    def _check_changed(self, write: Write, kind: Kind, document: Document, before: Document) -> list[FieldError]:
        """Prepares and checks a changed document; warnings are added to the request if nothing is wrong."""
        begun = perf_counter()
        write.prepare(kind, document, before, self._context(write))
        mistakes = write.validate(write.kind, document, before)
        write.was_slow = perf_counter() - begun > _SLOW_S
        if not mistakes and not write.subresource:
            write.request.warnings += update_warnings(kind, document, before)
        return mistakes

    def _mutate(self, write: Write, attributes: Attributes) -> None:
        self.admission.mutate(attributes)
        write.weight = attributes.weight  # what a plugin has added may be large

    def _allocate(self, write: Write, kind: Kind, document: Document, old: Document | None) -> None:
        allocate = strategy_of(kind).allocate
        if allocate is not None and not write.subresource:
            allocate(self.objects.store, document, old, dry_run=write.options.dry_run)

    def admit_creation(self, write: Write, body: Kind | Subresource, document: Document) -> None:
        """Runs mutating admission of a subresource that is created, such as a Binding, and webhooks that check it."""
        fields, now = self.field_managers, self.now
        managed = fields.of_new(write, body, document, now) if self.admission.may_wait else None
        attributes = attributes_of("CREATE", write, self.objects.stored(write.kind), document, None, managed)
        self.admission.mutate(attributes)
        self.admission.validate_outside(attributes)

    def exchange(self, kind: Kind, document: Document, old: Resource) -> Resource:
        """Stores a changed document of a stored kind; returns the old version if nothing has changed."""
        if self._is_present(kind, document, old):
            return old
        new = self.resource(kind, document, old)
        self.objects.store.update(new)
        return new

    def _is_present(self, kind: Kind, document: Document, old: Resource) -> bool:
        """Tells whether a document of a stored kind is what is stored already; it gets the version of that."""
        document["metadata"]["resourceVersion"] = str(old.resource_version)
        stored = document if kind.custom is None else kind.custom.store(document)
        gains_defaults = strategy_of(kind).gains_defaults
        settled = gains_defaults is None or not gains_defaults(document) or not self.objects.store.is_first(old)
        return settled and unchanged(stored, old.render())

    def resource(self, kind: Kind, document: Document, old: Resource | None = None) -> Resource:
        """Returns the store's object of a document, as a new version of `old` if given."""
        if kind.custom is not None:
            document = kind.custom.store(document)
        try:
            new = self.objects.parse(kind, document, is_new=old is None)
        except InputError as error:
            raise errors.bad_request(str(error)) from None
        if old is not None:
            new.uid, new.created, new.deleted = old.uid, old.created, old.deleted
            new.resource_version = old.resource_version
        if isinstance(new, Pod) and isinstance(old, Pod):
            new.behavior, new.restarts, new.started = old.behavior, old.restarts, old.started
        return new

    def _insert(self, write: Write, kind: Kind, document: Document) -> Document:
        metadata = document["metadata"]
        if metadata.get("resourceVersion") not in (None, "", "0"):
            raise errors.plain("resourceVersion should not be set on objects to be created")
        metadata.pop("resourceVersion", None)
        self._check_free(write, kind, metadata)
        if write.options.dry_run:
            return self._beside(write, partial(to_served, write.kind, document))
        created = self._beside(write, partial(self._made, write, kind, document))
        self._check_free(write, kind, metadata)  # another one may have come while it was made
        check_served(self.objects, write.kind, metadata)
        check_namespace(self.objects, write, kind, metadata)
        self.objects.store.create(created)
        return self._stored(write, created)

    def _made(self, write: Write, kind: Kind, document: Document, old: Resource | None = None) -> Resource:
        """Returns what is to be stored: a new object, or a version of `old`, which it is if nothing has changed.

        If it is too large for etcd, it is made without managedFields; 500 if it is too large even so.
        """
        if old is not None and self._is_present(kind, document, old):
            return old
        if is_heavy(write.weight):
            try:
                write.is_near_limit = self._check_size(kind, document, old) > LARGE
            except errors.StatusError:
                if write.applies or not take_managers(document):
                    raise
                write.is_near_limit = self._check_size(kind, document, old) > LARGE
        return self.resource(kind, document, old)

    def _check_size(self, kind: Kind, document: Document, old: Resource | None) -> int:
        return check_size(kind, document if kind.custom is None else kind.custom.store(document), old)

    def _check_free(self, write: Write, kind: Kind, metadata: Document) -> None:
        present = self.objects.find(kind, write.namespace, metadata["name"])
        if present is not None:
            raise name_taken(write.kind, present, "generateName" in metadata)

    def _exchange(self, write: Write, kind: Kind, document: Document, before: Document, old: Resource) -> Document:
        self._check_current(write, old)
        if is_finished(kind, document, before):
            if not write.options.dry_run:
                self.objects.store.delete(old)
            return to_served(write.kind, document)
        if write.options.dry_run:
            return self._beside(write, partial(to_served, write.kind, document))
        new = self._beside(write, partial(self._made, write, kind, document, old))
        self._check_current(write, old)
        if new is not old:
            self.objects.store.update(new)
        return self._stored(write, new)

    def _check_current(self, write: Write, old: Resource) -> None:
        """Raises a StaleError if an object has changed since it was read: others were served meanwhile."""
        if self.objects.find(write.kind, write.namespace, write.name) is not old:
            raise StaleError(write.kind.resource, write.name)

    def _stored(self, write: Write, new: Resource) -> Document:
        """Returns an object as it is served after it was written; whether it is large is kept for the next write."""
        self.large.note(new.uid, write.was_slow or write.is_near_limit)
        return self.show(write, new)

    def show(self, write: Write, resource: Resource) -> Document:
        """Returns an object as it is served."""
        return self._beside(write, partial(self.objects.show, write.kind, resource))

    def _beside(self, write: Write, function: Callable[[], T]) -> T:
        """Runs a function without side effects as `Write.beside` does, unless it may call a conversion webhook."""
        custom = write.kind.custom
        return function() if custom is not None and custom.converter is not None else write.beside(function)

    def default(self, kind: Kind, document: Document) -> None:
        """Sets the defaults of a document in a served version, in place."""
        document.setdefault("metadata", {})
        set_defaults(kind, document)

    def _context(self, write: Write) -> WriteContext:
        user = write.request.user
        return WriteContext(self.now, user.name, user.groups, user.uid, user.extra)

    @property
    def now(self) -> str:
        """Returns the current time as a timestamp."""
        return render_time(self.objects.store.clock.now)
