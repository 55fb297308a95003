from __future__ import annotations

import re
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

import msgspec

from wavetank.apiserver.requests.request import Request, Response
from wavetank.batchoperator.esi.external import ExternalError
from wavetank.batchoperator.esi.interface import Interface, RefusedError
from wavetank.batchoperator.esi.routes import Route, find_route
from wavetank.cluster.store.errors import ApiError

JSON = [
    ("content-type", "application/json"),
    ("cache-control", "no-store"),
    ("x-content-type-options", "nosniff"),
]
_PLACE = re.compile(r" - at `(?:key in )?\$\.?([^`]*)`")
_UNAVAILABLE = 503


def answer(interface: Interface, request: Request) -> Response:
    """Answers a REST request."""
    try:
        return _answer(interface, request)
    except RefusedError as error:
        return refuse(error.status, str(error), request.path, error.field)
    except ApiError as error:  # of the Kubernetes API
        return refuse(error.code if 400 <= error.code < 500 else _UNAVAILABLE, str(error), request.path)


def _answer(interface: Interface, request: Request) -> Response:
    method = "GET" if request.method == "HEAD" else request.method
    route, name, methods = find_route(method, request.path)
    if route is None:
        if not methods:
            raise RefusedError(404, "there is no such path; /openapi.json lists them")
        response = refuse(405, f"only {', '.join(methods)} is possible here", request.path)
        return Response(405, [*response.headers, ("allow", ", ".join(methods))], response.body)
    result = route.answer(interface, name, _read_body(route, request))
    if result is None:
        return Response(route.nothing, [])
    body = msgspec.json.encode(result)
    return Response(200, JSON, b"" if request.method == "HEAD" else body)


def _read_body(route: Route, request: Request) -> Any:
    if route.body is None:
        return None
    try:
        return msgspec.json.decode(request.body, type=route.body)
    except msgspec.ValidationError as error:
        message = str(error)
        place = _PLACE.search(message)
        raise RefusedError(400, _PLACE.sub("", message), place.group(1) if place else "") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RefusedError(400, f"the body is no JSON: {error}") from None


def refuse(status: int, message: str, path: str, field: str = "") -> Response:
    """Returns the response that says why a request was refused, in the form of Spring with the field in addition."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    text = f"{field}: {message}" if field else message
    error = ExternalError(now, status, HTTPStatus(status).phrase, text, path, field)
    return Response(status, JSON, msgspec.json.encode(error))
