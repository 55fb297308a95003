"""What a request asks for by its method and its URL, before it is known whether there is such a resource."""

from __future__ import annotations

from wavetank.apiserver.authorization.attributes import Attributes
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.selectors.fields import required_name
from wavetank.apiserver.validation.names import path_segment_problems

_VERBS = {"POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_NAMESPACES = "namespaces"
_OF_NAMESPACES = ("status", "finalize")  # parts of a namespace; anything else below it is a resource


def attributes_of(request: Request) -> Attributes:
    """Returns the attributes of a request, as kube-apiserver reads them from the path."""
    parts = request.path.strip("/").split("/")
    prefix = parts[0]
    least = {"api": 3, "apis": 4}.get(prefix, 0)
    if not least or len(parts) < least or parts[least - 1 :] in (["watch"], ["proxy"]):
        return Attributes(request.method.lower(), path=request.path)
    group = parts[1] if prefix == "apis" else ""
    return _of_resource(request, group, parts[least - 1 :])


def _of_resource(request: Request, group: str, parts: list[str]) -> Attributes:
    """Returns the attributes of a request for a resource; `parts` are those of the path after the version."""
    verb, namespace = _VERBS.get(request.method, ""), ""
    if parts[0] in ("watch", "proxy"):
        verb, parts = parts[0], parts[1:]
    if parts[0] == _NAMESPACES and len(parts) > 1:
        namespace = parts[1]
        if len(parts) > 2 and parts[2] not in _OF_NAMESPACES:
            parts = parts[2:]
    name = parts[1] if len(parts) > 1 else ""
    resource = "/".join((parts[0], parts[2])) if len(parts) > 2 and parts[2] and verb != "proxy" else parts[0]
    if not name and verb == "get":
        verb, name = "watch" if request.flag("watch") else "list", _selected_name(request)
    if not name and verb == "delete":
        verb = "deletecollection"
    return Attributes(verb, group, resource, namespace, name)


def _selected_name(request: Request) -> str:
    name = required_name(request.param("fieldSelector"))
    return "" if not name or path_segment_problems(name) else name
