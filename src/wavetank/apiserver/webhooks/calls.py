"""Calls of webhooks, whatever the transport: the API server states the endpoint and gets the answer's body."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, Protocol

import msgspec

Document = dict[str, Any]
_HTTPS_PORT = 443


class CallError(Exception):
    """A webhook could not be called, or its answer could not be read; the message is in the words of Go's client."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a webhook is called: its URL as the real server would call it, and its Service (NAMESPACE/NAME) if any.

    `port` is that of the Service or URL, `ca_bundle` PEM text or empty.
    """

    url: str
    service: str = ""
    port: int = _HTTPS_PORT
    ca_bundle: bytes = b""
    timeout_s: float = 10.0

    @property
    def path(self) -> str:
        """Returns the path of the URL, with its query."""
        rest = self.url.partition("://")[2]
        return "/" + rest.partition("/")[2]


class WebhookClient(Protocol):
    """Calls webhooks. The caller waits; the clock does not move in the meantime."""

    def reaches(self, endpoint: Endpoint) -> bool:
        """Tells whether anything can answer there; simulated Services cannot, and their webhooks are left out."""

    def post(self, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Sends a JSON body; returns the status code and the body of the answer. CallError if there is none."""


class NoWebhooks:
    """A client that reaches no webhook."""

    def reaches(self, endpoint: Endpoint) -> bool:
        """Returns False."""
        return False

    def post(self, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Raises a CallError."""
        raise unreachable(endpoint)


def encode_post(path: str, host: str, body: bytes, fields: str = "") -> bytes:
    """Returns the HTTP/1.1 request of a call; `fields` are further lines of its head, each with its line end."""
    head = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAccept: application/json, */*\r\n"
    head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n{fields}\r\n"
    return head.encode("latin-1") + body


def failed_post(endpoint: Endpoint, why: str) -> CallError:
    """Returns the error for a request that failed, as Go's client words it."""
    return CallError(f'failed to call webhook: Post "{endpoint.url}": {why}')


def unreachable(endpoint: Endpoint) -> CallError:
    """Returns the error for a Service that nothing answers."""
    if endpoint.service:
        namespace, _, name = endpoint.service.partition("/")
        return failed_post(endpoint, f'service "{name}" not found in "{namespace}"')
    host = endpoint.url.partition("://")[2].partition("/")[0]
    return failed_post(endpoint, f"dial tcp: lookup {host}: no such host")


def timed_out(endpoint: Endpoint) -> CallError:
    """Returns the error for an answer that has not come in time."""
    return failed_post(endpoint, "context deadline exceeded")


def endpoint_of(config: Document, timeout_s: float | None) -> Endpoint:
    """Returns the endpoint of a clientConfig, which is told the timeout; CallError if it states none."""
    query = f"?timeout={timeout_s:g}s" if timeout_s else ""
    bundle = _decoded(config.get("caBundle"))
    timeout_s = timeout_s or 30.0
    if config.get("url"):
        url = str(config["url"])
        return Endpoint(url + query, "", _port_of(url), bundle, timeout_s)
    service = config.get("service")
    if not service:
        raise CallError("could not get REST client: webhook configuration must have either service or URL")
    port = service.get("port") or _HTTPS_PORT
    host = f"{service['name']}.{service['namespace']}.svc:{port}"
    url = f"https://{host}/{str(service.get('path') or '').lstrip('/')}{query}"
    return Endpoint(url, f"{service['namespace']}/{service['name']}", port, bundle, timeout_s)


def decode_review(body: bytes) -> Any:
    """Returns what a webhook has answered; CallError if it is no JSON."""
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        why = "exceeded max depth"
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        why = str(error)
    raise CallError(f"failed to call webhook: couldn't get version/kind; json parse error: {why}")


def _decoded(bundle: str | None) -> bytes:
    try:
        return base64.b64decode(bundle or "", validate=True)
    except binascii.Error:
        raise CallError("could not get REST client: unable to load root certificates") from None


def _port_of(url: str) -> int:
    scheme, _, rest = url.partition("://")
    port = rest.partition("/")[0].rpartition(":")[2]
    return int(port) if port.isdigit() else _HTTPS_PORT if scheme == "https" else 80


def check_status(status: int, body: bytes) -> None:
    """Raises a CallError for an answer that is an error, as Go's client words it."""
    if status < 400:
        return
    text = body.decode(errors="replace").strip()
    message = _STATUS_TEXTS.get(status) or (
        f'an error on the server ("{text}") has prevented the request from succeeding' if status >= 500 else text
    )
    raise CallError(f"failed to call webhook: {message or 'unknown'}")


_STATUS_TEXTS = {
    400: "the server rejected our request for an unknown reason",
    401: "the server has asked for the client to provide credentials",
    404: "the server could not find the requested resource",
    405: "the server does not allow this method on the requested resource",
    409: "the server reported a conflict",
    422: "the server rejected our request due to an error in our request",
    429: "the server has received too many requests and has asked us to try again later",
    503: "the server is currently unable to handle the request",
    504: "the server was unable to return a response in the time allotted, but may still be processing the request",
}
