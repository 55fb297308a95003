from __future__ import annotations

from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any

import msgspec

from wavetank.apiserver.requests.request import Request, Response
from wavetank.loop.extenders.client import HttpExtenderClient
from wavetank.loop.transport.connection import Connection
from wavetank.scheduling.framework.extenders.answers import ExtenderError
from wavetank.scheduling.framework.extenders.extenders import ExtenderClient

Serve = Callable[[Connection, Request], None]


def serve_extender(config: Mapping[str, Any], extenders: Mapping[str, ExtenderClient]) -> Serve:
    """Returns what answers the calls of an extender: one of `extenders`, by its urlPrefix, or the real one."""
    local = extenders.get(str(config.get("urlPrefix") or "").rstrip("/"))
    return ExtenderProxy(config).serve if local is None else LocalExtender(local).serve


class LocalExtender:
    """Answers a program's calls by an extender in this process; that takes no virtual time."""

    def __init__(self, client: ExtenderClient) -> None:
        self._client = client

    def serve(self, connection: Connection, request: Request) -> None:
        """Answers one call; the status is 500 if the extender fails."""
        try:
            status, answer = 200, self._client.call(request.path.lstrip("/"), msgspec.json.decode(request.body))
        except ExtenderError as error:
            status, answer = 500, {"error": str(error)}
        connection.answer(Response(status, [("content-type", "application/json")], msgspec.json.encode(answer)))


class ExtenderProxy:
    """Forwards a program's calls to one of its extenders and the responses back; that takes no virtual time.

    The extender itself runs freely, outside of the simulation: a response that depends on more than the request is not
    repeatable. If it does not respond, the program's connection is closed.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._client = HttpExtenderClient(config)

    def serve(self, connection: Connection, request: Request) -> None:
        """Forwards one call."""
        try:
            status, body = self._client.post(request.path.lstrip("/"), request.body)
        except (OSError, HTTPException, ValueError):
            connection.finish()
            return
        connection.answer(Response(status, [("content-type", "application/json")], body))
