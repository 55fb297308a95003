"""Webhooks over HTTP and HTTPS, called from the event loop of a server."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

import httptools

from wavetank.apiserver.waiting import may_wait, wait_for
from wavetank.apiserver.webhooks.calls import Endpoint, encode_post, failed_post, timed_out, unreachable

_READ = 1 << 16
_UNVERIFIED = "tls: failed to verify certificate: x509: certificate signed by unknown authority"


class HttpWebhooks:
    """Calls webhooks by their URLs. Services are those that `services` maps to base URLs, by NAMESPACE/NAME.

    A certificate is checked with the caBundle, or with the system's authorities, for the host of the URL or the name
    of the Service. The server goes on while a call is made; a call outside of it blocks.
    """

    def __init__(self, services: Mapping[str, str]) -> None:
        self._services = services

    def reaches(self, endpoint: Endpoint) -> bool:
        """Tells whether it is a URL, or a Service that is mapped to one."""
        return not endpoint.service or endpoint.service in self._services

    def post(self, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        """Calls a webhook; CallError if that fails."""
        base = self._services.get(endpoint.service) if endpoint.service else endpoint.url
        if base is None:
            raise unreachable(endpoint)
        call = self._post(base, endpoint, body)
        return wait_for(call) if may_wait() else asyncio.run(call)

    async def _post(self, base: str, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
        try:
            async with asyncio.timeout(endpoint.timeout_s):
                return await _exchange(base, endpoint, body)
        except TimeoutError:
            raise timed_out(endpoint) from None
        except ssl.SSLCertVerificationError:
            raise failed_post(endpoint, _UNVERIFIED) from None
        except ConnectionRefusedError:
            raise failed_post(endpoint, f"dial tcp {urlsplit(base).netloc}: connect: connection refused") from None
        except (OSError, httptools.HttpParserError) as error:
            raise failed_post(endpoint, str(error)) from None


async def _exchange(base: str, endpoint: Endpoint, body: bytes) -> tuple[int, bytes]:
    place = urlsplit(base)
    secure = place.scheme == "https"
    named = ".".join([*reversed(endpoint.service.split("/")), "svc"]) if endpoint.service else place.hostname
    reader, writer = await asyncio.open_connection(
        place.hostname,
        place.port or (443 if secure else 80),
        ssl=_trusting(endpoint.ca_bundle) if secure else None,
        server_hostname=named if secure else None,
    )
    try:
        path = place.path.rstrip("/") + endpoint.path if endpoint.service else endpoint.path
        writer.write(encode_post(path, urlsplit(endpoint.url).netloc, body, "Connection: close\r\n"))
        await writer.drain()
        return await _answer(reader)
    finally:
        writer.close()


def _trusting(bundle: bytes) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if bundle:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.load_verify_locations(cadata=bundle.decode("ascii", "replace"))
    return context


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    answer = _Answer()
    parser = httptools.HttpResponseParser(answer)
    while not answer.done:
        data = await reader.read(_READ)
        if not data and not answer.done:
            if not answer.begun:
                raise OSError("EOF")
            break  # its end is that of the connection
        parser.feed_data(data)
    return parser.get_status_code(), b"".join(answer.parts)


class _Answer:
    """What has been read of an answer."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.begun = self.done = False

    def on_headers_complete(self) -> None:
        self.begun = True

    def on_body(self, body: bytes) -> None:
        self.parts.append(body)

    def on_message_complete(self) -> None:
        self.done = True
