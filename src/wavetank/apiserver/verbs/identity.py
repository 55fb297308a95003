"""Checks that a document is the object that its request names."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING

from wavetank.apiserver import errors
from wavetank.apiserver.fielderrors import invalid as bad_value
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.verbs.etcd import key_of
from wavetank.apiserver.verbs.objects import Document, Objects
from wavetank.apiserver.waiting import is_heavy
from wavetank.cel.gotext import quote
from wavetank.cluster.objects.groupkinds import NAMESPACE
from wavetank.cluster.objects.resource import Resource

if TYPE_CHECKING:
    from wavetank.apiserver.verbs.write import Write

_OTHER_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"
_TERMINATING = "create not allowed while custom resource definition is terminating"
_LONGEST_PREFIX = 58  # of a generated name, before its five random characters
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_ATTEMPTS = 8  # at finding a generated name that is free


def generate_name(objects: Objects, kind: Kind, metadata: Document, chance: random.Random) -> None:
    """Names an object by its generateName if it has no name; the name may be taken, after some attempts."""
    prefix = metadata.get("generateName")
    if metadata.get("name") or not prefix:
        return
    if not strategy_of(kind).generates_names:
        metadata["name"] = prefix
        return
    for _ in range(_ATTEMPTS):
        metadata["name"] = prefix[:_LONGEST_PREFIX] + "".join(chance.choice(_ALPHABET) for _ in range(5))
        if objects.find(kind, metadata.get("namespace", ""), metadata["name"]) is None:
            return


def check_served(objects: Objects, kind: Kind, metadata: Document) -> None:
    """Raises a 403 about a new object if the definition of its kind is being deleted, or has been meanwhile."""
    if kind.custom is None:
        return
    served = objects.kinds.find(kind.group, kind.version, kind.plural)
    if served is None or (served.custom is not None and served.custom.terminating):
        raise errors.forbidden(kind.resource, metadata.get("name", ""), _TERMINATING)


def check_namespace(objects: Objects, write: Write, kind: Kind, metadata: Document) -> None:
    """Raises a 403 about a new object whose namespace has been deleted while it was checked, 404 if it is gone."""
    name = metadata.get("namespace")
    if not name or not is_heavy(write.weight):
        return
    namespace = objects.store.find(NAMESPACE, "", name)
    if namespace is None:
        raise errors.not_found("namespaces", name)
    if (namespace.manifest.get("status") or {}).get("phase") == "Terminating":
        why = f"unable to create new content in namespace {name} because it is being terminated"
        raise errors.forbidden(kind.resource, metadata.get("name", ""), why)


def set_namespace(write: Write, document: Document) -> None:
    """Sets the namespace of an object to that of the request; 400 if it states another one."""
    metadata = document.setdefault("metadata", {})
    if not write.kind.namespaced:
        metadata.pop("namespace", None)
    elif metadata.get("namespace", write.namespace) != write.namespace:
        raise errors.bad_request(_OTHER_NAMESPACE)
    else:
        metadata["namespace"] = write.namespace


def check_name(write: Write, document: Document) -> None:
    """Raises a 400 if an object has another name than the path."""
    name = document["metadata"].get("name")
    if not name:
        why = "name must be provided"
        raise errors.bad_request(f"the name of the object ({write.name} based on URL) was undeterminable: {why}")
    if name != write.name:
        raise errors.bad_request(f"the name of the object ({name}) does not match the name on the URL ({write.name})")


def check_uid(write: Write, document: Document, old: Resource | None) -> None:
    """Raises a 409 if a document states another uid than the object has."""
    stated, present = document["metadata"].get("uid"), old.uid if old is not None else ""
    if not stated or stated == present or (old is None and not write.may_create):
        return
    key = key_of(write.kind, write.namespace, write.name)
    why = f"Precondition failed: UID in precondition: {stated}, UID in object meta: {present}"
    where = f"StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0"
    raise errors.conflict(write.kind.resource, write.name, f"{where}, AdditionalErrorMsg: {why}")


def check_version(write: Write, stored: Kind, metadata: Document, old: Resource) -> None:
    """Sets the resource version of a changed object; 409 if it states another one than the object has."""
    text = metadata.get("resourceVersion") or "0"
    if not re.fullmatch("[0-9]{1,30}", text):
        raise errors.plain(f"strconv.ParseUint: parsing {quote(text)}: invalid syntax")
    if int(text) == 0:
        if not strategy_of(stored).unconditional_update:
            mistake = bad_value("metadata.resourceVersion", 0, "must be specified for an update")
            raise errors.invalid(write.kind.resource, write.name, [mistake])
    elif int(text) != old.resource_version:
        raise errors.conflict(write.kind.resource, write.name, errors.MODIFIED)
    metadata["resourceVersion"] = str(old.resource_version)


def name_taken(kind: Kind, present: Resource, generated: bool) -> errors.StatusError:
    """Returns the 409 for a name that is taken; a client that asked for a generated name may retry after a second."""
    error = errors.already_exists(kind.resource, present.name)
    message, details, retry_after_s = str(error), dict(error.details or {}), 0
    if generated:
        message += ", the server was not able to generate a unique name for the object"
        details["retryAfterSeconds"] = retry_after_s = 1
    if present.deleted is not None:
        message = f"object is being deleted: {message}"
    return errors.StatusError(error.code, error.reason, message, details, retry_after_s=retry_after_s)
