"""Documents of version 3 for the paths above the resources: /api, /apis and its groups, /version, the issuer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wavetank.apiserver.openapi.descriptions import texts_of
from wavetank.cluster.releases import SERVED

Json = dict[str, Any]

_META = "io.k8s.apimachinery.pkg.apis.meta.v1"
_VERSION = "io.k8s.apimachinery.pkg.version.Info"
_MEDIA = ("application/json", "application/vnd.kubernetes.protobuf", "application/yaml")
_SECURITY = {
    "BearerToken": {
        "type": "apiKey",
        "description": "Bearer Token authentication",
        "name": "authorization",
        "in": "header",
    }
}
# The fields of types: a text, a list of texts or of a type, or a type; those that must be there are marked with "!".
_TYPES: dict[str, dict[str, str]] = {
    f"{_META}.APIVersions": {
        "apiVersion": "text",
        "kind": "text",
        "serverAddressByClientCIDRs": "![]ServerAddressByClientCIDR",
        "versions": "![]text",
    },
    f"{_META}.APIGroup": {
        "apiVersion": "text",
        "kind": "text",
        "name": "!text",
        "preferredVersion": "GroupVersionForDiscovery",
        "serverAddressByClientCIDRs": "[]ServerAddressByClientCIDR",
        "versions": "![]GroupVersionForDiscovery",
    },
    f"{_META}.APIGroupList": {"apiVersion": "text", "groups": "![]APIGroup", "kind": "text"},
    f"{_META}.GroupVersionForDiscovery": {"groupVersion": "!text", "version": "!text"},
    f"{_META}.ServerAddressByClientCIDR": {"clientCIDR": "!text", "serverAddress": "!text"},
    _VERSION: {
        "buildDate": "!text",
        "compiler": "!text",
        "emulationMajor": "text",
        "emulationMinor": "text",
        "gitCommit": "!text",
        "gitTreeState": "!text",
        "gitVersion": "!text",
        "goVersion": "!text",
        "major": "!text",
        "minCompatibilityMajor": "text",
        "minCompatibilityMinor": "text",
        "minor": "!text",
        "platform": "!text",
    },
}
# In the order of the Go structure, where it is not that of the names.
_REQUIRED = {
    f"{_META}.APIVersions": ["versions", "serverAddressByClientCIDRs"],
    _VERSION: [
        *("major", "minor", "gitVersion", "gitCommit", "gitTreeState", "buildDate"),
        *("goVersion", "compiler", "platform"),
    ],
}
_OF_CORE = ("APIVersions", "APIGroup", "APIGroupList")  # kinds of v1, marked as such
_OPENID = ".well-known/openid-configuration"
_KEYS = "openid/v1/jwks"


def root_places(groups: Iterable[str]) -> list[str]:
    """Returns the places of these documents below /openapi/v3."""
    return [_OPENID, "api", "apis", *(f"apis/{group}" for group in groups if group), _KEYS, "version"]


def root_document(place: str) -> Json:
    """Returns the document of a place."""
    described = {
        "api": ("core", "get available API versions", "getCoreAPIVersions", f"{_META}.APIVersions"),
        "apis": ("apis", "get available API versions", "getAPIVersions", f"{_META}.APIGroupList"),
        "version": ("version", "get the version information for this server", "getCodeVersion", _VERSION),
        _OPENID: (
            "WellKnown",
            "get service account issuer OpenID configuration, also known as the 'OIDC discovery doc'",
            "getServiceAccountIssuerOpenIDConfiguration",
            "",
        ),
        _KEYS: (
            "openid",
            "get service account issuer OpenID JSON Web Key Set (contains public token verification keys)",
            "getServiceAccountIssuerOpenIDKeyset",
            "",
        ),
    }
    group = place.removeprefix("apis/")
    of_group = (_tag(group), "get information of a group", f"get{_camel(group)}APIGroup", f"{_META}.APIGroup")
    tag, text, identifier, answer = described.get(place, of_group)
    operation: Json = {"tags": [tag], "description": text, "operationId": identifier}
    content = {media: {"schema": _reference(answer)} for media in _media(place, answer)}
    operation["responses"] = {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}}
    types = dict(sorted((name, _type(name)) for name in _needed(answer)))
    return {
        "openapi": "3.0.0",
        "info": {"title": "Kubernetes", "version": SERVED.name},
        "paths": {f"/{place}/": {"get": operation}},
        "components": {**({"schemas": types} if types else {}), "securitySchemes": _SECURITY},
    }


def _media(place: str, answer: str) -> tuple[str, ...]:
    if answer.startswith(_META):
        return _MEDIA
    return ("application/jwk-set+json",) if place == _KEYS else ("application/json",)


def _reference(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"} if name else {"type": "string"}


def _needed(name: str) -> Iterator[str]:
    """Yields a type and all that it is made of."""
    if name:
        yield name
        for kind in _TYPES[name].values():
            if "text" not in kind:
                yield from _needed(f"{_META}.{kind.lstrip('!').removeprefix('[]')}")


def _type(name: str) -> Json:
    texts = texts_of(name)
    properties = {field: {**_text(texts, field), **_field(kind)} for field, kind in _TYPES[name].items()}
    made: Json = {**_text(texts, ""), "type": "object"}
    marked = [field for field, kind in _TYPES[name].items() if kind.startswith("!")]
    if marked:
        made["required"] = _REQUIRED.get(name, marked)
    made["properties"] = properties
    kind = name.rpartition(".")[2]
    if kind in _OF_CORE:
        made["x-kubernetes-group-version-kind"] = [{"group": "", "kind": kind, "version": "v1"}]
    return made


def _text(texts: Any, field: str) -> Json:
    return {"description": texts[field]} if texts.get(field) else {}


def _field(kind: str) -> Json:
    required, kind = kind.startswith("!"), kind.lstrip("!")
    if kind.startswith("[]"):
        return {"type": "array", "items": _item(kind[2:]), "x-kubernetes-list-type": "atomic"}
    if kind == "text":
        return {"type": "string", **({"default": ""} if required else {})}
    return _item(kind)


def _item(kind: str) -> Json:
    if kind == "text":
        return {"type": "string", "default": ""}
    return {"default": {}, "allOf": [_reference(f"{_META}.{kind}")]}


def _tag(group: str) -> str:
    first, *more = group.removesuffix(".k8s.io").split(".")
    return first + "".join(part.capitalize() for part in more)


def _camel(group: str) -> str:
    return "".join(part.capitalize() for part in group.removesuffix(".k8s.io").split("."))
