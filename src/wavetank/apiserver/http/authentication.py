from __future__ import annotations

import base64
import binascii
import hmac
import ipaddress
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from wavetank.apiserver.errors import StatusError, bad_request, forbidden, unauthorized
from wavetank.apiserver.requests.request import User

ADMIN = User("admin", ("system:masters", "system:authenticated"), "admin")

# The user in the proxy-url of a kubeconfig; see kubeconfig.py for why there is one.
PROXY_USER = "wavetank"

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_EVERYWHERE = ("0.0.0.0", "::", "")


class Authenticator:
    """Authenticates requests by a client certificate or a bearer token, and refuses those of foreign web pages.

    `host` is the address of the server. Other names in the Host header are refused (a web page may have let its own
    name resolve to this address), and so are other Origins. Without a token every other request is accepted. A refusal
    is a StatusError.
    """

    def __init__(self, token: str | None, host: str) -> None:
        self._token = token.encode() if token else b""
        self._names = {*_LOOPBACK, host.lower()}
        self._any_address = host in _EVERYWHERE

    def admit(
        self,
        headers: Mapping[str, str],
        accounts: Callable[[str], User | None] | None = None,
        client: User | None = None,
    ) -> User:
        """Returns the user of a request.

        `accounts` finds the service account of a token, if these are accepted too. `client` is the user of the client
        certificate, which comes before any token.
        """
        self.check_site(headers)
        user = client
        if user is None and accounts is not None and "authorization" in headers:
            user = accounts(_bearer(headers))
        if user is None and not self.has_token(headers):
            raise unauthorized()
        return user or ADMIN

    def check_site(self, headers: Mapping[str, str]) -> None:
        """Refuses a request of a foreign web page."""
        self._check_host(headers.get("host"))
        if "origin" in headers and not self._is_local_program(headers):
            _check_origin(headers["origin"], headers.get("host"))
        if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
            raise _refused("a web page of another site asks")

    def _is_local_program(self, headers: Mapping[str, str]) -> bool:
        """Returns whether a request with an Origin is a program's: WebSocket clients in Go name http://localhost.

        A web page there cannot know the token.
        """
        try:
            origin = urlsplit(headers["origin"]).hostname
        except ValueError:
            return False
        return origin in _LOOPBACK and bool(self._token) and self._is_known(headers)

    def has_token(self, headers: Mapping[str, str]) -> bool:
        """Returns whether a request has the token, or none is needed."""
        return not self._token or self._is_known(headers)

    def authenticate(self, token: str) -> User | None:
        """Returns the user of a token, None if it is unknown."""
        return ADMIN if self._token and self._is_token(token) else None

    def _check_host(self, header: str | None) -> None:
        if header is None:
            raise bad_request("a request needs its Host header")
        name = _name_of(header)
        if name not in self._names and not (self._any_address and _is_address(name)):
            raise _refused(f"the Host header names {name!r:.100}, which is not served here")

    def _is_known(self, headers: Mapping[str, str]) -> bool:
        if "authorization" in headers:
            return self._is_token(_bearer(headers))
        return self._is_token(_proxy_password(headers.get("proxy-authorization", "")))

    def _is_token(self, given: str) -> bool:
        # headers are read as Latin-1, in which clients write them, or else in UTF-8
        written = (given.encode("latin-1", "replace"), given.encode("utf-8", "replace"))
        return any(hmac.compare_digest(each, self._token) for each in written)


def _bearer(headers: Mapping[str, str]) -> str:
    scheme, _, token = headers["authorization"].partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _check_origin(origin: str, host: str | None) -> None:
    try:
        site = urlsplit(origin).netloc.lower()
    except ValueError:  # such as http://[
        site = None
    if site != (host or "").lower():
        raise _refused(f"the Origin {origin!r:.100} is not this server")


def _refused(why: str) -> StatusError:
    return forbidden("", "", why)


def _name_of(header: str) -> str:
    """Returns the name in a Host header, without its port and the brackets of an IPv6 address."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.rpartition(":")[0] if name.count(":") == 1 else name


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _proxy_password(header: str) -> str:
    scheme, _, encoded = header.partition(" ")
    if scheme.lower() != "basic":
        return ""
    try:
        user, _, password = base64.b64decode(encoded, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return ""
    return password if user == PROXY_USER else ""
