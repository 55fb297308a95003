from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from wavetank.apiserver.clock.control import as_response
from wavetank.apiserver.errors import StatusError, bad_request, not_found
from wavetank.apiserver.http.authentication import Authenticator
from wavetank.apiserver.http.messages import ClientGoneError, parse_query, read_body, read_headers, send_response
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.requests.request import Request, Response
from wavetank.apiserver.waiting import beside
from wavetank.errors import InputError
from wavetank.results import layout
from wavetank.results.read.runfolder import RunFolder, runs_in
from wavetank.ui.login import OneTimeLogin
from wavetank.ui.play.recording import read_recording
from wavetank.ui.site import Endpoint, Site, json_response

_WHERE = "Start wavetank play again for a new link, or enter the token that --token gave it."


class PlayApp:
    """The page of finished runs as an ASGI application; fits `apiserver.http.server.App`.

    `path` is a folder of results, or of one run in it; InputError if it is neither.
    """

    def __init__(self, path: Path, guard: Authenticator, token: str | None, login: OneTimeLogin) -> None:
        self._guard = guard
        if (path / layout.SWEEP).is_file():
            raise InputError("these are results of a sweep: give the folder of one of its scenarios", source=str(path))
        self._runs: dict[str, RunFolder] = {run.label: run for run in runs_in(path)}
        self._name = path.resolve().name
        endpoints: dict[tuple[str, str], Endpoint] = {
            ("GET", "/runs"): self._list,
            ("GET", "/recording"): self._read,
        }
        self._site = Site(login, {"mode": "play", "where": _WHERE}, token is not None, endpoints)

    def start(self, failed: Callable[[Exception], None]) -> None:
        """Has nothing to start."""

    def stop(self) -> None:
        """Has nothing to stop."""

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Serves one request."""
        try:
            response = await self._answer(scope, receive)
        except StatusError as error:
            response = as_response(error)
        except ClientGoneError:
            return
        await send_response(response, scope, send)

    async def _answer(self, scope: Message, receive: Receive) -> Response:
        headers = read_headers(scope)
        self._guard.check_site(headers)
        if scope["path"] == "/":
            return Response(307, [("location", "/ui/")])
        body = await read_body(headers, receive)
        request = Request(scope["method"], scope["path"], parse_query(scope["query_string"]), headers, body)
        public = self._site.answer_public(request)
        if public is not None:
            return public
        self._guard.admit(headers)
        answer = await self._site.answer(request)
        assert isinstance(answer, Response)
        return answer

    async def _list(self, request: Request) -> Response:
        runs = [{"label": run.label, "scheduler": run.scheduler} for run in self._runs.values()]
        return json_response({"title": self._name, "runs": runs})

    async def _read(self, request: Request) -> Response:
        run = self._runs.get(request.param("run"))
        if run is None:
            raise not_found("runs", request.param("run"))
        try:
            return await beside(lambda: json_response(read_recording(run)))
        except InputError as error:
            raise bad_request(str(error)) from None
