"""Paths as OpenAPI describes them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.openapi.types import Types, name_of_kind, type_name

Json = dict[str, Any]

_PATCHES = ("application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json")
_STRATEGIC = "application/strategic-merge-patch+json"
_ANSWERS = ("application/json", "application/vnd.kubernetes.protobuf", "application/yaml")
_CUSTOM_ANSWERS = ("application/json", "application/yaml")
_PATCH = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch"
_STATUS = "io.k8s.apimachinery.pkg.apis.meta.v1.Status"
_OPTIONS = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions"
_LIST = {
    "allowWatchBookmarks": "boolean",
    "continue": "string",
    "fieldSelector": "string",
    "labelSelector": "string",
    "limit": "integer",
    "resourceVersion": "string",
    "resourceVersionMatch": "string",
    "sendInitialEvents": "boolean",
    "timeoutSeconds": "integer",
    "watch": "boolean",
}
_WRITE = {"dryRun": "string", "fieldManager": "string", "fieldValidation": "string"}
_DELETE = {
    "dryRun": "string",
    "gracePeriodSeconds": "integer",
    "ignoreStoreReadErrorWithClusterBreakingPotential": "boolean",
    "orphanDependents": "boolean",
    "propagationPolicy": "string",
}
# By verb: the method, the action that clients look for, the word in identifiers, and the query.
_VERBS: dict[str, tuple[str, str, str, dict[str, str]]] = {
    "get": ("get", "get", "read", {}),
    "list": ("get", "list", "list", _LIST),
    "create": ("post", "post", "create", _WRITE),
    "update": ("put", "put", "replace", _WRITE),
    "patch": ("patch", "patch", "patch", {**_WRITE, "force": "boolean"}),
    "delete": ("delete", "delete", "delete", _DELETE),
    "deletecollection": ("delete", "deletecollection", "deleteCollection", {**_DELETE, **_LIST}),
}
_OF_MANY = ("list", "create", "deletecollection")
_OF_ONE = ("get", "update", "delete", "patch")
_OF_SUBRESOURCES = ("get", "create", "update", "patch")


def paths_of(kind: Kind, types: Types, item: Callable[[Operation], Json]) -> Iterator[tuple[str, Json]]:
    """Yields the paths of a kind; `item` writes an operation in the version of OpenAPI that is asked for."""
    base = f"/apis/{kind.api_version}" if kind.group else f"/api/{kind.version}"
    root = f"{base}/namespaces/{{namespace}}/{kind.plural}" if kind.namespaced else f"{base}/{kind.plural}"
    types.add_kind(kind)
    if kind.namespaced and "list" in kind.verbs:
        yield f"{base}/{kind.plural}", {"get": item(Operation(kind, "list", everywhere=True))}
    yield from _path(root, kind, [verb for verb in _OF_MANY if verb in kind.verbs], None, item)
    yield from _path(f"{root}/{{name}}", kind, [verb for verb in _OF_ONE if verb in kind.verbs], None, item)
    for name, each in sorted(kind.subresources.items()):
        if kind.custom is None or name == "scale":
            types.add_schema(each.schema, each.group, each.version, each.kind)
        verbs = [verb for verb in _OF_SUBRESOURCES if verb in each.verbs]
        yield from _path(f"{root}/{{name}}/{name}", kind, verbs, each, item)


def _path(
    path: str, kind: Kind, verbs: Sequence[str], subresource: Subresource | None, item: Callable[[Operation], Json]
) -> Iterator[tuple[str, Json]]:
    made: Json = {_VERBS[verb][0]: item(Operation(kind, verb, subresource)) for verb in verbs}
    if made:
        names = [name for name in ("name", "namespace") if f"{{{name}}}" in path]
        yield path, {**made, "parameters": names}


class Operation:
    """What one method of a path does."""

    def __init__(
        self, kind: Kind, verb: str, subresource: Subresource | None = None, *, everywhere: bool = False
    ) -> None:
        self.kind = kind
        self.verb = verb
        self.subresource = subresource
        self.method, self.action, self._word, self.query = _VERBS[verb]
        self._everywhere = everywhere

    @property
    def identifier(self) -> str:
        """Returns the operation's name: patchAppsV1NamespacedDeployment."""
        group = "".join(part.capitalize() for part in self.kind.group.removesuffix(".k8s.io").split(".")) or "Core"
        scope = "Namespaced" if self.kind.namespaced and not self._everywhere else ""
        below = "".join(part.capitalize() for part in (self.subresource.name if self.subresource else "").split("/"))
        end = "ForAllNamespaces" if self._everywhere else ""
        return f"{self._word}{group}{self.kind.version.capitalize()}{scope}{self.kind.kind}{below}{end}"

    @property
    def tag(self) -> str:
        """Returns the group and version as tags write it: apps_v1."""
        return f"{self.kind.group.removesuffix('.k8s.io').replace('.', '_') or 'core'}_{self.kind.version}"

    @property
    def marked(self) -> Json:
        """Returns the kind that the operation is about."""
        if self.subresource is not None and self.subresource.kind != self.kind.kind:
            each = self.subresource
            return {"group": each.group, "kind": each.kind, "version": each.version}
        return {"group": self.kind.group, "kind": self.kind.kind, "version": self.kind.version}

    @property
    def body(self) -> tuple[str, tuple[str, ...]] | None:
        """Returns the type of the body and its media types; None if there is none."""
        if self.verb == "patch":
            return _PATCH, _PATCHES if self.kind.custom is not None else (*_PATCHES, _STRATEGIC)
        if self.verb in ("delete", "deletecollection"):
            return _OPTIONS, ("*/*",)
        return (self._type, ("*/*",)) if self.verb in ("create", "update") else None

    @property
    def answer(self) -> tuple[str, tuple[str, ...]]:
        """Returns the type of the answer and its media types."""
        kinds = _CUSTOM_ANSWERS if self.kind.custom is not None else _ANSWERS
        if self.verb in ("delete", "deletecollection"):
            return _STATUS, kinds
        name = name_of_kind(self.kind)
        if self.verb == "list":
            return name.removesuffix(self.kind.kind) + self.kind.list_kind, kinds
        return self._type, kinds

    @property
    def _type(self) -> str:
        if self.subresource is None or self.subresource.kind == self.kind.kind:
            return name_of_kind(self.kind)
        return type_name(self.subresource.schema)

    @property
    def codes(self) -> tuple[int, ...]:
        """Returns the codes of answers that are no refusals."""
        return {"create": (200, 201, 202), "update": (200, 201), "patch": (200, 201), "delete": (200, 202)}.get(
            self.verb, (200,)
        )
