"""Requests and responses of the ASGI protocol."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import parse_qsl

from wavetank.apiserver.clock.control import as_response
from wavetank.apiserver.errors import StatusError, bad_request, too_large, too_many_requests
from wavetank.apiserver.http.messagetypes import Message, Receive, Send
from wavetank.apiserver.http.unread import UNREAD, cut_of
from wavetank.apiserver.requests.request import Query, Response

LARGEST_BODY = 3 * 1024 * 1024  # bytes, as of the real server
LARGEST_WASTE = 16 * LARGEST_BODY  # read and dropped, so that the client sees the error
_BODY_S = 60  # how long a client may take for the body of a request


class ClientGoneError(Exception):
    """The client closed the connection before its request was complete."""


def read_headers(scope: Message) -> Mapping[str, str]:
    """Returns the headers by their names in lower case; of repeated ones the first."""
    return {key.decode("latin-1"): value.decode("latin-1") for key, value in reversed(scope["headers"])}


async def read_body(headers: Mapping[str, str], receive: Receive, largest: int = LARGEST_BODY) -> bytes:
    """Reads a request's body; StatusError if it takes too long, or has more than `largest` bytes.

    That it is too large is said once the client has sent it, or far too much.
    """
    if "content-length" not in headers and "transfer-encoding" not in headers:
        return b""
    try:
        async with asyncio.timeout(_BODY_S):
            return await _read(receive, largest)
    except TimeoutError:
        raise StatusError(408, "Timeout", f"the body of the request has not come within {_BODY_S} s") from None


async def _read(receive: Receive, largest: int) -> bytes:
    message = await receive()
    body: bytes = message.get("body", b"")
    if not message.get("more_body") and message["type"] == "http.request":
        return _checked(len(body), body, largest)
    parts, size = [body], len(body)
    while message["type"] == "http.request" and message["more_body"] and size <= LARGEST_WASTE:
        message = await receive()
        part = message.get("body", b"")
        size += len(part)
        if size <= largest:
            parts.append(part)
    if message["type"] == "http.disconnect":
        raise ClientGoneError
    return _checked(size, b"".join(parts), largest)


def _checked(size: int, body: bytes, largest: int) -> bytes:
    if size > largest:
        raise too_large(largest)
    return body


def parse_query(text: bytes) -> Query:
    """Returns the parameters of a query in their order; StatusError if there are too many."""
    if not text:
        return ()
    try:
        return tuple(parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=1000))
    except ValueError:
        raise bad_request("the query has too many parameters") from None


async def send_response(response: Response, scope: Message, send: Send) -> None:
    """Sends a whole response; 429 in its place if other clients leave too much unread."""
    if not UNREAD.has_room(len(response.body)):
        response = as_response(too_many_requests("large responses to other clients are not read yet", retry_after_s=1))
    headers = [(key.encode("latin-1"), value.encode("latin-1", "replace")) for key, value in response.headers]
    body = response.body
    if response.status not in (204, 304):
        headers.append((b"content-length", b"%d" % len(body)))
    if response.status == 408:  # the rest of the request may still come
        headers.append((b"connection", b"close"))
    await send({"type": "http.response.start", "status": response.status, "headers": headers})
    await UNREAD.send(body, cut_of(scope), send)
