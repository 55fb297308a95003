from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Protocol

import msgspec

from wavetank.apiserver.codec.pieces import encode
from wavetank.apiserver.codec.protobufencoding import encoder_of
from wavetank.apiserver.conversion.versions import stored_kind, to_served
from wavetank.apiserver.errors import not_found
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.requests.protobufwriter import wrap
from wavetank.apiserver.verbs.encodedobjects import EncodedKey, EncodedObjects
from wavetank.apiserver.verbs.options import ListOptions
from wavetank.cluster.objects.kinds import parse_resource
from wavetank.cluster.objects.pod import Pod
from wavetank.cluster.objects.resource import EPOCH_SECONDS, Resource
from wavetank.cluster.store.store import Store
from wavetank.kernel.durations import SECOND, Nanoseconds

Document = dict[str, Any]


class KubeletReports(Protocol):
    """What simulated kubelets report of pods and nodes beyond what the store holds."""

    def render(self, resource: Resource) -> Document:
        """Returns an object with what its kubelet reports; the same for the same resource version."""

    def log(self, pod: Pod, container: str, previous: bool) -> list[tuple[Nanoseconds, str]]:
        """Returns the lines that a container has written, with the virtual time of each."""


def complete_nothing(_: Resource) -> None:
    """New objects are stored as they are."""


class Objects:
    """The objects in the store, found by kind and name and rendered as documents of a served version.

    `complete` is called with each new object before it is stored, with a large one beside the event loop.
    """

    def __init__(
        self,
        store: Store,
        kinds: KindTable,
        reports: KubeletReports | None = None,
        complete: Callable[[Resource], None] = complete_nothing,
    ) -> None:
        self.store = store
        self.kinds = kinds
        self.reports = reports
        self._complete = complete
        self._encoded = EncodedObjects()

    @property
    def now(self) -> float:
        """Returns the current time in seconds since 1970."""
        return EPOCH_SECONDS + self.store.clock.now / SECOND

    def stored(self, kind: Kind) -> Kind:
        """Returns the storage version of a kind."""
        return stored_kind(self.kinds, kind)

    def find(self, kind: Kind, namespace: str, name: str) -> Resource | None:
        """Returns an object, or None."""
        return self.store.find(self.stored(kind).group_kind, namespace, name)

    def get(self, kind: Kind, namespace: str, name: str) -> Resource:
        """Returns an object; 404 if there is none."""
        found = self.find(kind, namespace, name)
        if found is None:
            raise not_found(kind.resource, name)
        return found

    def parse(self, kind: Kind, document: Document, is_new: bool) -> Resource:
        """Returns the store's object of a document; InputError if it is none."""
        made = parse_resource(document, self.store.specs, namespaced=kind.namespaced)
        if is_new:
            self._complete(made)
        return made

    def render(self, resource: Resource) -> Document:
        """Returns a stored document, which is the caller's own at its first two levels."""
        return self.reports.render(resource) if self.reports is not None else resource.render()

    def forget(self) -> None:
        """Forgets encoded objects: a kind has changed, and its objects may be rendered differently.

        What a thread encodes at this moment is not kept.
        """
        self._encoded = EncodedObjects()

    def show(self, kind: Kind, resource: Resource, version: int | None = None) -> Document:
        """Returns an object in a served version; `version` is shown instead of its own resource version."""
        if kind.custom is None:
            document = to_served(kind, self.render(resource))
        else:  # decoding what is cached is faster than pruning and defaulting it again
            document = msgspec.json.decode(self.encode(kind, resource))
        if version is not None:
            document["metadata"] = {**document["metadata"], "resourceVersion": str(version)}
        return document

    def encode(self, kind: Kind, resource: Resource) -> bytes:
        """Returns the JSON of an object in a served version."""
        head = f'{{"kind":"{kind.kind}","apiVersion":"{kind.api_version}",'
        return head.encode() + self.encode_item(kind, resource)[1:]

    def encode_item(self, kind: Kind, resource: Resource) -> bytes:
        """Returns the JSON of an object in a list, without its kind; cached, since several clients read it."""
        key, encoded = _item_key(kind, resource), self._encoded_of(kind)
        found = encoded.get(key)
        if found is None:
            document = to_served(kind, self.render(resource))
            del document["kind"], document["apiVersion"]
            found = encoded.keep(key, encode(document))
        return found

    def has_item(self, kind: Kind, resource: Resource) -> bool:
        """Returns whether the JSON of an object is cached."""
        return _item_key(kind, resource) in self._encoded_of(kind)

    def encode_protobuf(self, kind: Kind, resource: Resource) -> bytes:
        """Returns the protobuf body of an object of a built-in kind in a served version."""
        return wrap(kind.api_version, kind.kind, self.message(kind, resource))

    def message(self, kind: Kind, resource: Resource) -> bytes:
        """Returns the protobuf message of an object of a built-in kind, without its kind; cached as JSON is."""
        key, encoded = _message_key(kind, resource), self._encoded_of(kind)
        found = encoded.get(key)
        if found is None:
            document = to_served(kind, self.render(resource))
            found = encoded.keep(key, encoder_of(kind.schema.structure)(document))
        return found

    def has_message(self, kind: Kind, resource: Resource) -> bool:
        """Returns whether the protobuf message of an object is cached."""
        return _message_key(kind, resource) in self._encoded_of(kind)

    def _encoded_of(self, kind: Kind) -> EncodedObjects:
        """Returns the cache for a kind; if a request still has a kind that is no longer served, an empty one."""
        encoded = self._encoded  # first: kinds are removed before objects are forgotten
        served = kind.custom is None or self.kinds.find(kind.group, kind.version, kind.plural) is kind
        return encoded if served else EncodedObjects()

    def sorted(self, kind: Kind, namespace: str, at: int | None = None) -> list[tuple[str, Resource]]:
        """Returns all objects of a kind with their keys, in the order of the real server's keys.

        A key is the name, preceded by the namespace and a slash if all namespaces are listed. `at` is an earlier
        resource version; ExpiredError if it is no longer known.
        """
        group_kind = self.stored(kind).group_kind
        found: Iterable[Resource] = self.store.list(group_kind) if at is None else self.store.at(group_kind, at)
        if kind.namespaced and not namespace:
            return sorted(((f"{each.namespace}/{each.name}", each) for each in found), key=_key)
        return sorted(((each.name, each) for each in found if each.namespace == namespace), key=_key)

    def selected(self, kind: Kind, options: ListOptions, resource: Resource) -> bool:
        """Says whether an object matches the selectors of a list or a watch of a kind, whatever its namespace."""
        if not options.labels.is_empty and not options.labels.matches(resource.labels):
            return False
        if not options.fields.terms:
            return True
        # fields of custom resources are those of the version that is asked for
        render = self.render if kind.custom is None else partial(self.show, kind)
        return options.fields.matches(resource, render)


def _key(item: tuple[str, Resource]) -> str:
    return item[0]


def _item_key(kind: Kind, resource: Resource) -> EncodedKey:
    return resource.uid, resource.resource_version, kind.api_version


def _message_key(kind: Kind, resource: Resource) -> EncodedKey:
    return resource.uid, resource.resource_version, f"{kind.api_version} protobuf"
