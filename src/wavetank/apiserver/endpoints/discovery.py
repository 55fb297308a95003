"""Discovery: the groups, versions and resources that the server serves, plain and aggregated."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from wavetank.apiserver.endpoints.aggregated import AggregatedGroup, aggregated_group, plain_resources
from wavetank.apiserver.endpoints.health import HEALTH, checks_of, health
from wavetank.apiserver.endpoints.issuer import CONFIGURATION, KEYS, issuer_document
from wavetank.apiserver.errors import method_not_allowed
from wavetank.apiserver.kinds import Kind, KindTable
from wavetank.apiserver.kinds.kind import Subresource
from wavetank.apiserver.requests.media import JSON, YAML, Clause, best_match
from wavetank.apiserver.requests.negotiation import Representation, check_route, negotiate_plain, wants_pretty
from wavetank.apiserver.requests.request import Request, Response
from wavetank.cluster.releases import SERVED, Release

AGGREGATED = ("APIGroupDiscoveryList", "apidiscovery.k8s.io", "v2")
CORE = "v1"

_PRIVATE = ("cache-control", "no-cache, private")
_DEEPEST = 3  # parts of a path: /apis/apps/v1

# Kinds that are stored in another group or version than the one by which a path names them.
_STORED = {
    "CustomResourceDefinition.apiextensions.k8s.io": "apiextensions.k8s.io/v1beta1/CustomResourceDefinition",
    "Event.events.k8s.io": "/v1/Event",
    "HorizontalPodAutoscaler.autoscaling": "autoscaling/v2/HorizontalPodAutoscaler",
    "VolumeAttributesClass.storage.k8s.io": "storage.k8s.io/v1beta1/VolumeAttributesClass",
}

Document = dict[str, Any]


class Discovery:
    """Answers the paths above the resources: /api, /apis and what is below them, /version, health checks."""

    def __init__(self, kinds: KindTable, release: Release = SERVED, aggregated: Sequence[AggregatedGroup] = ()) -> None:
        self._kinds = kinds
        self._release = release
        self._others = {group.name: group for group in aggregated}

    def respond(self, request: Request) -> Response | None:
        """Answers one of the paths; None if it is another path, or of a group that is not served.

        As upstream, some of them answer every method, others only GET (405).
        """
        parts = [part for part in request.path.split("/") if part]
        if parts and parts[0] in HEALTH:
            return health(request, parts)
        if parts[:1] in ([".well-known"], ["openid"]):
            found = issuer_document(request)
            if found is not None:
                _check_method(request)
                check_route(request, (dict(found.headers)["content-type"],))
            return found
        if len(parts) > _DEEPEST:
            return None
        if parts == ["version"]:
            _check_method(request)
            check_route(request, (JSON,))
            return _answer(Representation(), version_info(self._release))
        if parts == ["api"]:
            _check_method(request)
        if parts in (["api"], ["apis"]) and (aggregated := self._aggregated(request, parts[0])):
            return aggregated
        if not parts:
            return _answer(Representation(), {"paths": sorted(self._paths())})
        document = self._plain(parts)
        if document is None:
            return None
        if "resources" in document:
            _check_method(request)
        return _answer(negotiate_plain(request, routed="resources" in document or parts == ["api"]), document)

    def _plain(self, parts: list[str]) -> Document | None:
        if parts[:1] == ["api"] and len(parts) > 2:
            return None
        groups = self._groups()
        match parts:
            case ["api"]:
                return api_versions()
            case ["apis"]:
                described = [_group(name, versions) for name, versions in groups.items() if name]
                return {"kind": "APIGroupList", "apiVersion": "v1", "groups": described}
            case ["apis", group] if group in groups:
                return {"kind": "APIGroup", "apiVersion": "v1", **_group(group, groups[group])}
            case ["apis", group, version] if group in self._others and version in groups[group]:
                return plain_resources(self._others[group], version)
            case ["apis", group, version] if version in groups.get(group, ()):
                return self._resources(group, version)
            case ["api", version] if version in groups.get("", ()):
                return self._resources("", version)
        return None

    def _groups(self) -> dict[str, list[str]]:
        return self._kinds.groups() | {name: list(group.versions) for name, group in self._others.items()}

    def _paths(self) -> Iterable[str]:
        yield from ("/api", f"/api/{CORE}", "/apis")
        for group, versions in self._groups().items():
            if group:
                yield from (f"/apis/{group}", *(f"/apis/{group}/{version}" for version in versions))
        for name in HEALTH:
            yield from (f"/{name}", *(f"/{name}/{check}" for check in checks_of(name)))
        yield from (CONFIGURATION, KEYS, "/openapi/v3", "/version")

    def _resources(self, group: str, version: str) -> Document:
        kinds = [kind for kind in self._kinds if (kind.group, kind.version) == (group, version)]
        resources = [entry for kind in kinds for entry in (_resource(kind), *_subresources(kind))]
        contents = {"groupVersion": f"{group}/{version}" if group else version, "resources": resources}
        return {"kind": "APIResourceList", **({"apiVersion": "v1"} if group else {}), **contents}  # as upstream

    def _aggregated(self, request: Request, root: str) -> Response | None:
        """Returns all groups and resources at once, if the client accepts that; 304 if they are unchanged."""
        match = best_match(request.headers.get("accept", ""), (JSON, YAML), _wants_aggregated)
        if match is None or match[1].target != AGGREGATED:
            return None
        representation = Representation(match[0], pretty=wants_pretty(request))
        document = self.aggregated(root)
        etag = f'"{hashlib.sha512(Representation().encode(document)).hexdigest().upper()}"'
        headers = [("cache-control", "public"), ("etag", etag), ("vary", "Accept")]
        if request.headers.get("if-none-match") == etag:
            return Response(304, headers)
        kind, group, version = AGGREGATED
        headers.append(("content-type", f"{match[0]};g={group};v={version};as={kind}"))
        return Response(200, headers, representation.encode(document))

    def aggregated(self, root: str) -> Document:
        """Returns the APIGroupDiscoveryList of core ("api") or of all other groups ("apis")."""
        groups = {name: versions for name, versions in self._kinds.groups().items() if (not name) == (root == "api")}
        items = [self._aggregated_group(name, versions) for name, versions in groups.items()]
        if root == "apis":
            items += map(aggregated_group, self._others.values())
        kind, group, version = AGGREGATED
        return {"kind": kind, "apiVersion": f"{group}/{version}", "metadata": {}, "items": items}

    def _aggregated_group(self, group: str, versions: list[str]) -> Document:
        described = []
        for version in versions:
            kinds = (kind for kind in self._kinds if (kind.group, kind.version) == (group, version))
            resources = [_aggregated_resource(kind) for kind in kinds]
            described.append({"version": version, "resources": resources, "freshness": "Current"})
        return {"metadata": {"name": group} if group else {}, "versions": described}


def api_versions() -> Document:
    """Returns the versions of the core group."""
    address = {"clientCIDR": "0.0.0.0/0", "serverAddress": "127.0.0.1:6443"}
    return {"kind": "APIVersions", "versions": [CORE], "serverAddressByClientCIDRs": [address]}


def version_info(release: Release) -> Document:
    """Returns the answer of /version for a release."""
    major, minor = map(str, release.version)
    names = {"major": major, "minor": minor, "emulationMajor": major, "emulationMinor": minor}
    names |= {"minCompatibilityMajor": major, "minCompatibilityMinor": str(release.minor - 1)}
    build = {
        "gitVersion": release.tag,
        "gitCommit": "$Format:%H$",
        "gitTreeState": "",
        "buildDate": "1970-01-01T00:00:00Z",
    }
    return {**names, **build, "goVersion": f"go{release.go}", "compiler": "gc", "platform": "linux/amd64"}


def _check_method(request: Request) -> None:
    if request.method != "GET":
        raise method_not_allowed()


def _answer(representation: Representation, document: Document) -> Response:
    headers = [_PRIVATE, ("content-type", representation.media_type)]
    return Response(200, headers, representation.encode(document))


def _wants_aggregated(media_type: str, clause: Clause) -> bool:
    return clause.target == AGGREGATED


def _group(name: str, versions: list[str]) -> Document:
    described = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": described, "preferredVersion": described[0]}


def _resource(kind: Kind) -> Document:
    entry: Document = {"name": kind.plural, "singularName": kind.singular, "namespaced": kind.namespaced}
    entry |= {"kind": kind.kind, "verbs": kind.verbs, **_names(kind)}
    if kind.custom is not None:
        return {**entry, "storageVersionHash": _storage_hash(kind)}
    if "list" in kind.verbs and kind.group_kind != "ComponentStatus":  # what is not stored has no storage version
        entry["storageVersionHash"] = _storage_hash(kind)
    return entry


def _storage_hash(kind: Kind) -> str:
    version = kind.version if kind.custom is None else kind.custom.storage_version
    stored = _STORED.get(kind.group_kind, f"{kind.group}/{version}/{kind.kind}")
    return base64.b64encode(hashlib.sha256(stored.encode()).digest()[:8]).decode()


def _subresources(kind: Kind) -> Iterable[Document]:
    known = kind.subresources.items()
    for name, subresource in sorted(known) if kind.custom is None else known:
        entry: Document = {"name": f"{kind.plural}/{name}", "singularName": "", "namespaced": kind.namespaced}
        if (subresource.group, subresource.version) != (kind.group, kind.version):
            entry |= {"group": subresource.group, "version": subresource.version}
        yield {**entry, "kind": subresource.kind, "verbs": subresource.verbs}


def _names(kind: Kind) -> Document:
    names = {"shortNames": kind.short_names, "categories": kind.categories}
    return {key: value for key, value in names.items() if value}


def _aggregated_resource(kind: Kind) -> Document:
    entry: Document = {"resource": kind.plural, "responseKind": _response_kind(kind)}
    entry |= {"scope": "Namespaced" if kind.namespaced else "Cluster", "singularResource": kind.singular}
    entry |= {"verbs": kind.verbs, **_names(kind)}
    if kind.subresources:
        known = kind.subresources.items()
        ordered = sorted(known) if kind.custom is None else known
        entry["subresources"] = [_aggregated_subresource(kind, each) for _, each in ordered]
    return entry


def _response_kind(kind: Kind) -> Document:
    """Names the kind of an answer; of built-in ones group and version are those of the path."""
    group, version = (kind.group, kind.version) if kind.custom is not None else ("", "")
    return {"group": group, "version": version, "kind": kind.kind}


def _aggregated_subresource(kind: Kind, subresource: Subresource) -> Document:
    foreign = kind.custom is not None or (subresource.group, subresource.version) != (kind.group, kind.version)
    group, version = (subresource.group, subresource.version) if foreign else ("", "")
    response = {"group": group, "version": version, "kind": subresource.kind}
    return {"subresource": subresource.name, "responseKind": response, "verbs": subresource.verbs}
