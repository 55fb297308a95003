"""Connections into containers and nodes (exec, attach, portforward, proxy), which a simulation cannot serve."""

from __future__ import annotations

from typing import NoReturn

from wavetank.apiserver import errors
from wavetank.apiserver.kinds import Kind
from wavetank.apiserver.requests.request import Request
from wavetank.apiserver.subresources.containers import choose_container
from wavetank.apiserver.verbs.objects import Objects


def refuse(objects: Objects, kind: Kind, namespace: str, name: str, what: str, request: Request) -> NoReturn:
    """Refuses exec, attach, portforward and proxy: with the real server's error if it had one, else with the reason."""
    plain_name = name.split(":")[1] if name.count(":") > 1 else name.partition(":")[0]
    document = objects.render(objects.get(kind, namespace, plain_name if what == "proxy" else name))
    if kind.kind == "Service":
        raise errors.StatusError(503, "ServiceUnavailable", f'no endpoints available for service "{name}"')
    if kind.kind == "Pod" and what == "proxy" and not (document.get("status") or {}).get("podIP"):
        raise errors.bad_request("address not allowed")
    if kind.kind == "Pod" and what != "proxy":
        if what != "portforward":
            choose_container(document, request.param("container"))
        if not document["spec"].get("nodeName"):
            raise errors.bad_request(f"pod {name} does not have a host assigned")
    if kind.kind == "Node" and not (document.get("status") or {}).get("addresses"):
        raise errors.plain("no preferred addresses found; known addresses: []")
    why = f"{what} is not possible: the containers and nodes of wavetank are simulated, nothing runs in them"
    raise errors.StatusError(501, "NotImplemented", why, errors.of_resource(kind.resource, name))
