from __future__ import annotations

from collections.abc import Mapping
from http.client import HTTPException
from typing import Any

from wavetank.apiserver.requests.request import Request, Response
from wavetank.loop.extenders.client import HttpExtenderClient
from wavetank.loop.transport.connection import Connection


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
