from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from wavetank.apiserver.errors import bad_request, forbidden, no_such_resource
from wavetank.apiserver.http.asgi import SITE
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.requests.stream import Stream
from wavetank.ui.assets import find_asset
from wavetank.ui.login import OneTimeLogin

Endpoint = Callable[[Request], Awaitable[Response | Stream]]

_JSON = [("content-type", "application/json"), ("cache-control", "no-store")]


class Site:
    """The page and what only the page asks for, below /ui; fits `apiserver.http.asgi.Site`.

    `facts` tells the page what it shows. An endpoint has a method and a path below /ui/api.
    """

    def __init__(
        self,
        login: OneTimeLogin,
        facts: dict[str, Any],
        needs_token: bool,
        endpoints: Mapping[tuple[str, str], Endpoint],
    ) -> None:
        self._login = login
        self._facts = {**facts, "tokenNeeded": needs_token}
        self._endpoints = endpoints

    def answer_public(self, request: Request) -> Response | None:
        """Answers what needs no token, since it has no data of the cluster; None if the path is another one."""
        if request.method == "POST" and request.path == f"{SITE}/login":
            return self._exchange(request.body)
        if request.method not in ("GET", "HEAD"):
            return None
        if request.path == f"{SITE}/facts":
            return json_response(self._facts)
        return find_asset(request.path)

    async def answer(self, request: Request) -> Response | Stream:
        """Answers a request with the token; StatusError if the path does not exist."""
        path = request.path.removeprefix(f"{SITE}/api")
        endpoint = self._endpoints.get((request.method, path))
        if endpoint is None:
            raise no_such_resource()
        return await endpoint(request)

    def _exchange(self, body: bytes) -> Response:
        try:
            code = msgspec.json.decode(body, type=dict[str, str]).get("code", "")
        except msgspec.DecodeError:
            raise bad_request("expected {code: …}") from None
        token = self._login.exchange(code)
        if token is None:
            raise forbidden("", "", "this link has been used, or is of another session")
        return json_response({"token": token})


def json_response(value: object) -> Response:
    """Returns a value as JSON that is not kept."""
    return Response(200, list(_JSON), msgspec.json.encode(value))
