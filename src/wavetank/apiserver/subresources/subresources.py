from __future__ import annotations

from dataclasses import replace

from wavetank.apiserver.custom.scale import SCALE_TYPE
from wavetank.apiserver.endpoints.tokens import USUAL_S, TokenIssuer
from wavetank.apiserver.errors import no_such_resource
from wavetank.apiserver.kinds import Kind, Subresource
from wavetank.apiserver.registry.strategies import strategy_of
from wavetank.apiserver.registry.subresources import PARTS
from wavetank.apiserver.requests.negotiation import negotiate
from wavetank.apiserver.requests.paths import Target
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.apiserver.subresources.binding import bind
from wavetank.apiserver.subresources.connections import refuse
from wavetank.apiserver.subresources.eviction import Evictor
from wavetank.apiserver.subresources.log import Logs
from wavetank.apiserver.subresources.scale import patch_scale, show_scale, update_scale
from wavetank.apiserver.verbs.deleting import Deleter
from wavetank.apiserver.verbs.fieldmanagers import put_managers
from wavetank.apiserver.verbs.options import WriteOptions
from wavetank.apiserver.verbs.reading import get
from wavetank.apiserver.verbs.write import Write, Written
from wavetank.apiserver.verbs.writing import Writer

_CONNECTIONS = ("exec", "attach", "portforward", "proxy")


def _kind_of(subresource: Subresource, owner: Kind) -> Kind:
    """Returns the kind of a subresource's documents, which is not served by itself."""
    group, version, kind = subresource.group, subresource.version, subresource.kind
    custom = SCALE_TYPE if owner.custom is not None else None
    return Kind(group, version, kind, "", "", True, (), subresource.schema, custom=custom)


# Subresources that the real server does not show as a Table.
_WITHOUT_TABLES = frozenset(
    {("CustomResourceDefinition.apiextensions.k8s.io", "status"), ("ResourceClaim.resource.k8s.io", "status")}
)


class Subresources:
    """Serves the paths below objects."""

    def __init__(self, writer: Writer, deleter: Deleter) -> None:
        self._writer = writer
        self._objects = writer.objects
        self._evictor = Evictor(writer, deleter)
        self._logs = Logs(writer.objects)
        self._issuer = TokenIssuer(writer.objects)

    def respond(self, target: Target, request: Request) -> Response | Stream:
        """Answers a request for a subresource."""
        assert target.subresource is not None
        name = target.subresource.name
        if name == "log":
            negotiate(request)  # clients must accept JSON, though a log is none
            return self._logs.read(target.kind, target.namespace, target.name, request)
        if name in _CONNECTIONS:
            refuse(self._objects, target.kind, target.namespace, target.name, name, request)
        tables = target.verb != "create" and (target.kind.group_kind, name) not in _WITHOUT_TABLES
        representation = negotiate(request, tables=tables)
        if target.verb == "create":
            written = self._create(target, target.subresource, request)
        elif name == "scale":
            written = self._scale(target, target.subresource, request)
        elif target.verb == "get":
            version = request.param("resourceVersion")
            found = get(self._objects, target.kind, target.namespace, target.name, version)
            written = Written(self._objects.show(target.kind, found))
        else:
            written = self._write_part(target, name, request)
        kind = target.kind if name in PARTS else _kind_of(target.subresource, target.kind)
        return self._writer.answer(kind, representation, written, request)

    def _create(self, target: Target, subresource: Subresource, request: Request) -> Written:
        kind, namespace, name = target.kind, target.namespace, target.name
        if subresource.name == "binding":
            return bind(self._writer, kind, subresource, namespace, name, request)
        if subresource.name == "eviction":
            return self._evictor.evict(kind, subresource, namespace, name, request)
        if subresource.name == "token":
            return self._issue_token(target, subresource, request)
        raise no_such_resource()

    def _issue_token(self, target: Target, subresource: Subresource, request: Request) -> Written:
        options = WriteOptions.read(request, "Create")
        asked = self._writer.read_body(subresource, request, options)
        write = Write(target.kind, target.namespace, target.name, request, options, "token")
        asked.setdefault("metadata", {}).setdefault("namespace", target.namespace)
        spec = asked.setdefault("spec", {})
        spec["expirationSeconds"] = USUAL_S if spec.get("expirationSeconds") is None else spec["expirationSeconds"]
        managed = self._writer.field_managers.of_new(write, subresource, asked, self._writer.now)
        self._writer.admit_creation(write, subresource, asked)
        put_managers(asked, managed)
        account = self._objects.get(target.kind, target.namespace, target.name)
        return Written(self._issuer.issue(asked, self._objects.render(account)), 201)

    def _scale(self, target: Target, subresource: Subresource, request: Request) -> Written:
        if target.verb == "get":
            version = request.param("resourceVersion")
            found = get(self._objects, target.kind, target.namespace, target.name, version)
            return Written(show_scale(target.kind, self._objects.show(target.kind, found)))
        write = self._write(target, request)
        change = update_scale if target.verb == "update" else patch_scale
        return change(self._writer, write, subresource)

    def _write_part(self, target: Target, name: str, request: Request) -> Written:
        part = PARTS[name]
        write = self._write(target, request)
        creates = name == "status" and strategy_of(target.kind).create_on_update
        write = replace(write, subresource=name, prepare=part.prepare, validate=part.validate, may_create=creates)
        return self._writer.update(write) if target.verb == "update" else self._writer.patch(write)

    def _write(self, target: Target, request: Request) -> Write:
        options = WriteOptions.read(request, "Update" if target.verb == "update" else "Patch")
        return Write(target.kind, target.namespace, target.name, request, options)
