"""The HTTP client for extenders, which behaves as kube-scheduler's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from http.client import HTTPConnection, HTTPException, RemoteDisconnected
from typing import Any
from urllib.parse import urlsplit

import msgspec

from wavetank.kernel.durations import SECOND
from wavetank.loop.extenders.tls import TlsConnection, tls_context
from wavetank.scheduling.config.reading import read_duration
from wavetank.scheduling.framework.extenders.answers import ExtenderError

DEFAULT_TIMEOUT_S = 5.0
_LITERALS = {"n": "null", "t": "true", "f": "false"}


class HttpExtenderClient:
    """Sends each call to an extender in a POST of its own; `config` is its entry in the KubeSchedulerConfiguration.

    Calls take no virtual time. Error messages are those of Go's HTTP client, as far as they do not depend on the
    system.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._url = str(config.get("urlPrefix") or "")
        timeout = read_duration(config.get("httpTimeout"))
        self._timeout_s = timeout / SECOND if timeout else DEFAULT_TIMEOUT_S
        self._tls: Mapping[str, Any] = config.get("tlsConfig") or {}
        is_https = urlsplit(self._url).scheme == "https"
        self._context = tls_context(self._tls, bool(config.get("enableHTTPS"))) if is_https else None

    def call(self, verb: str, request: Mapping[str, Any]) -> Any:
        """Returns the decoded JSON of the answer."""
        url = url_of(self._url, verb)
        try:
            status, body = self.post(verb, msgspec.json.encode(request))
        except RemoteDisconnected:
            raise ExtenderError(closed(url)) from None
        except ConnectionRefusedError:
            raise ExtenderError(f'Post "{url}": dial tcp {urlsplit(url).netloc}: connect: connection refused') from None
        except TimeoutError:
            raise ExtenderError(timed_out(url)) from None
        except (OSError, HTTPException, ValueError) as error:
            raise ExtenderError(f'Post "{url}": {error}') from None
        if status != 200:
            raise ExtenderError(failed(verb, url, status))
        return decoded(body.decode(errors="replace"))

    def post(self, verb: str, body: bytes) -> tuple[int, bytes]:
        """Returns the status and the body of the answer; OSError or HTTPException if there is none."""
        url = url_of(self._url, verb)
        connection = self._connection(url)
        try:
            parts = urlsplit(url)
            path = f"{parts.path}?{parts.query}" if parts.query else parts.path
            connection.request("POST", path, body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def _connection(self, url: str) -> HTTPConnection:
        host = urlsplit(url).netloc.rpartition("@")[2]
        if self._context is None:
            return HTTPConnection(host, timeout=self._timeout_s)
        name = str(self._tls.get("serverName") or "")
        return TlsConnection(host, name, timeout=self._timeout_s, context=self._context)


def url_of(prefix: str, verb: str) -> str:
    """Returns the URL of a verb."""
    return f"{prefix.rstrip('/')}/{verb}"


def closed(url: str) -> str:
    """Returns the error of a connection that was closed without an answer."""
    return f'Post "{url}": EOF'


def timed_out(url: str) -> str:
    """Returns the error of a call that was not answered in time."""
    return f'Post "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)'


def failed(verb: str, url: str, status: int) -> str:
    """Returns the error of a response with a status other than 200."""
    return f"failed {verb} with extender at URL {url}, code {status}"


def decoded(text: str) -> Any:
    """Decodes the first JSON value of a body, as kube-scheduler does; if there is none, ExtenderError as in Go."""
    try:
        return json.JSONDecoder().raw_decode(text.lstrip(" \t\r\n"))[0]
    except json.JSONDecodeError as error:
        raise ExtenderError(_objection(error.doc, error.pos)) from None


def _objection(text: str, position: int) -> str:
    """Returns the message of Go's decoder for a position where a value, or more of one, was expected."""
    if position >= len(text):
        return "unexpected EOF" if text else "EOF"
    literal = _LITERALS.get(text[position], "")
    for place, expected in enumerate(literal):
        found = text[position + place : position + place + 1]
        if not found:
            return "unexpected EOF"
        if found != expected:
            return f"invalid character '{found}' in literal {literal} (expecting '{expected}')"
    return f"invalid character '{text[position]}' looking for beginning of value"
