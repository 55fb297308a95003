from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from wavetank.apiserver.codec.copying import copied
from wavetank.apiserver.codec.sizes import is_large
from wavetank.apiserver.errors import bad_request
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.subresources import PARTS
from wavetank.apiserver.requests.request import Request, User
from wavetank.apiserver.verbs.deleting import DeleteOptions, Deleter
from wavetank.apiserver.verbs.objects import Document
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.write import Write
from wavetank.apiserver.verbs.writing import Writer
from wavetank.apiserver.waiting import HEAVIEST, break_after_write, may_wait
from wavetank.cluster.objects.resource import Resource


class Actor:
    """A client in the same process: its writes obey the same rules as requests, without encoding and decoding.

    Documents are of storage versions, complete and in canonical form. A refused write raises a StatusError. After some
    writes of one event of the simulation other clients are served, whose writes may then come before the next one.
    """

    def __init__(self, writer: Writer, deleter: Deleter, user: User) -> None:
        self._writer = writer
        self._deleter = deleter
        self._user = user
        self._options = WriteOptions(manager=user.name.removeprefix("system:"))

    def create(self, document: Mapping[str, Any], name: str = "") -> Resource:
        """Creates an object; the given document is not changed."""
        kind = self._kind(document)
        namespace = str(document["metadata"].get("namespace") or "default") if kind.namespaced else ""
        write = self._write(kind, namespace, "", document)
        made = write.beside(partial(copied, dict(document)))
        if name:
            made["metadata"]["name"] = name
        self._writer.track(write, None, made)
        shown = self._writer.add(write, made)
        added = self._writer.objects.get(kind, namespace, shown["metadata"]["name"])
        break_after_write()
        return added

    def update(self, old: Resource, document: Document) -> Resource:
        """Replaces an object, last read as `old`; 409 if it has changed since."""
        kind = self._kind(document)
        write = self._write(kind, old.namespace, old.name, document)
        made = write.beside(partial(copied, document))
        write.beside(partial(self._writer.default, kind, made))
        return self._replace(write, old, made)

    def update_status(self, old: Resource, status: Document, annotations: Mapping[str, str] | None = None) -> Resource:
        """Replaces the status of an object, last read as `old`, and its annotations if any are given.

        409 if it has changed since.
        """
        document = self._writer.objects.render(old)
        document["status"] = copied(status)
        if annotations is not None:
            document["metadata"] = {**document["metadata"], "annotations": dict(annotations)}
        write = self._write(self._kind(document), old.namespace, old.name, document, "status")
        return self._replace(write, old, document)

    def update_approval(self, old: Resource, conditions: Sequence[Mapping[str, Any]]) -> Resource:
        """Replaces the conditions of a CertificateSigningRequest, last read as `old`, and may approve or deny it."""
        document = self._writer.objects.render(old)
        document["status"] = {**(document.get("status") or {}), "conditions": [dict(each) for each in conditions]}
        write = self._write(self._kind(document), old.namespace, old.name, document, "approval")
        return self._replace(write, old, document)

    def finalize(self, old: Resource, document: Document) -> None:
        """Replaces the finalizers in the spec of a namespace, last read as `old`."""
        write = self._write(self._kind(document), old.namespace, old.name, document, "finalize")
        self._replace(write, old, copied(document))

    def delete(self, old: Resource, grace_s: int | None = None, policy: str | None = None) -> None:
        """Deletes an object, by name and uid."""
        options = DeleteOptions(grace_s=grace_s, policy=policy, uid=old.uid)
        request = Request("DELETE", "", user=self._user)
        self._deleter.delete(self._kind(old.render()), old.namespace, old.name, options, request)
        break_after_write()

    def _replace(self, write: Write, old: Resource, document: Document) -> Resource:
        present = self._writer.objects.get(write.kind, write.namespace, write.name)
        document["metadata"] = {**document["metadata"], "resourceVersion": str(old.resource_version)}
        live = self._writer.show(write, present)
        self._writer.track(write, live, document)
        self._writer.replace(write, document, present)
        replaced = self._writer.objects.find(write.kind, write.namespace, write.name) or present
        break_after_write()
        return replaced

    def _write(
        self, kind: Kind, namespace: str, name: str, document: Mapping[str, Any], subresource: str = ""
    ) -> Write:
        request = Request("PUT" if name else "POST", "", user=self._user)
        write = Write(kind, namespace, name, request, self._options)
        if subresource:
            part = PARTS[subresource]
            write = Write(kind, namespace, name, request, self._options, subresource, part.prepare, part.validate)
        if may_wait() and is_large(document):
            write.weight = HEAVIEST
        return write

    def _kind(self, document: Mapping[str, Any]) -> Kind:
        kind = self._writer.objects.kinds.named(str(document.get("apiVersion")), str(document.get("kind")))
        if kind is None:
            raise bad_request(f"no kind {document.get('kind')!r} is registered for {document.get('apiVersion')!r}")
        return kind
