from __future__ import annotations

from dataclasses import dataclass

from wavetank.apiserver.errors import (
    StatusError,
    bad_request,
    method_not_allowed,
    method_not_supported,
    no_such_resource,
    not_found,
)
from wavetank.apiserver.kinds import Kind, KindTable, Subresource
from wavetank.apiserver.validation.names import path_segment_problems
from wavetank.cel.gotext import quote

# The verb of each method for one object, and for a collection.
_ONE = {"GET": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete", "POST": "create"}
_OF_ONE = ("get", "update", "patch", "delete")
_MANY = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}


@dataclass(frozen=True, slots=True)
class Target:
    """What a request is about: a kind's collection, an object or a subresource, and the verb.

    `namespace` is "" for cluster-scoped kinds and for a collection over all namespaces. `rest` is what follows a
    subresource that takes a path of its own.
    """

    kind: Kind
    verb: str
    namespace: str = ""
    name: str = ""
    subresource: Subresource | None = None
    rest: str = ""


class UnknownPathError(StatusError):
    """A path that no group serves; the real server answers it in plain text."""

    def __init__(self) -> None:
        super().__init__(404, "NotFound", "404 page not found")


def resolve(kinds: KindTable, method: str, path: str) -> Target:
    """Resolves a path and a method; a StatusError if there is no such resource or it does not support the method."""
    group, version, parts = _split(path)
    watching = parts[:1] == ["watch"]
    kind, namespace, below = _find(kinds, group, version, parts[1:] if watching else parts)
    if kind is None:
        raise no_such_resource() if _is_built_in(kinds, group) else UnknownPathError
    if watching:
        return _watch(kind, namespace, below, method)
    return _aim(kind, namespace, below, method)


def _is_built_in(kinds: KindTable, group: str) -> bool:
    return any(kind.custom is None for kind in kinds if kind.group == group)


def _split(path: str) -> tuple[str, str, list[str]]:
    """Cuts a path into group, version and what follows; empty parts inside stay, as an empty namespace."""
    parts = path.removeprefix("/").rstrip("/").split("/")
    if parts[0] == "api" and len(parts) > 1:
        return "", parts[1], parts[2:]
    if parts[0] == "apis" and len(parts) > 2 and parts[1]:
        return parts[1], parts[2], parts[3:]
    raise UnknownPathError


def _find(kinds: KindTable, group: str, version: str, parts: list[str]) -> tuple[Kind | None, str | None, list[str]]:
    """Returns the kind, the namespace (None if the path has none) and what follows the kind."""
    if parts[:1] == ["namespaces"] and len(parts) > 2:
        kind = kinds.find(group, version, parts[2])
        if kind is not None and kind.namespaced:
            return kind, parts[1], parts[3:]
    return kinds.find(group, version, parts[0]) if parts else None, None, parts[1:]


def _watch(kind: Kind, namespace: str | None, parts: list[str], method: str) -> Target:
    if len(parts) > 1 or (parts and kind.namespaced and namespace is None):
        raise no_such_resource()
    if method != "GET" or "watch" not in kind.verbs:
        raise method_not_allowed()
    return Target(kind, "watch", namespace or "", parts[0] if parts else "")


def _aim(kind: Kind, namespace: str | None, parts: list[str], method: str) -> Target:
    everywhere = kind.namespaced and namespace is None
    if kind.custom is not None:
        return _aim_custom(kind, namespace, parts, method)
    if not parts:
        return Target(kind, _verb_of_many(kind, method, everywhere), namespace or "")
    if everywhere or kind.verbs == ("create",):  # only stored objects have names, and need a namespace
        raise no_such_resource()
    name, *below = parts
    if problems := path_segment_problems(name):
        raise bad_request(f"Name parameter invalid: {quote(name)}: {';'.join(problems)}")
    if not below:
        return Target(kind, _verb(method, kind.verbs, without="create"), namespace or "", name)
    subresource = kind.subresources.get(below[0])
    if subresource is None or (len(below) > 1 and subresource.name != "proxy"):
        raise no_such_resource()
    verb = _verb(method, subresource.verbs)
    return Target(kind, verb, namespace or "", name, subresource, "/".join(below[1:]))


def _aim_custom(kind: Kind, namespace: str | None, parts: list[str], method: str) -> Target:
    """Resolves the path of a custom kind, for which the real server has other handlers with other messages."""
    verbs = _ONE if parts else {**_MANY, "PUT": "update", "PATCH": "patch"}
    verb = verbs.get("GET" if method == "HEAD" else method, "")
    if kind.namespaced and namespace is None and (parts or verb != "list"):
        raise UnknownPathError
    if not parts:
        if verb in _OF_ONE:
            raise bad_request("name must be provided")
        if not verb:
            raise method_not_supported(kind.resource, verb)
        return Target(kind, verb, namespace or "")
    name, *below = parts
    if problems := path_segment_problems(name):
        raise bad_request(f"Name parameter invalid: {quote(name)}: {';'.join(problems)}")
    subresource = kind.subresources.get(below[0]) if below else None
    if len(below) > 1 or (below and subresource is None):
        raise not_found(kind.resource, name)
    known = subresource.verbs if subresource is not None else (*_OF_ONE, "create")
    if verb not in known:
        raise method_not_supported(kind.resource, verb)
    return Target(kind, verb, namespace or "", name, subresource)


def _verb_of_many(kind: Kind, method: str, everywhere: bool) -> str:
    verb = _MANY.get(method, "")
    if verb not in kind.verbs or (everywhere and verb != "list"):
        raise method_not_allowed()
    return verb


def _verb(method: str, verbs: tuple[str, ...], without: str = "") -> str:
    verb = _ONE.get(method, "")
    if verb not in verbs or verb == without:
        raise method_not_allowed()
    return verb
