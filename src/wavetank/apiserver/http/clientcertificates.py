"""Users that authenticate by a client certificate: its common name is the user, its organizations are the groups."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from wavetank.apiserver.requests.request import User
from wavetank.cluster.objects.resource import render_time
from wavetank.kernel.durations import Nanoseconds

_EXTENSION = "wavetank.peer"
_CREDENTIAL = "authentication.kubernetes.io/credential-id"
_UID = "1.3.6.1.4.1.57683.2"  # of the user, in the subject


def peer_extension(transport: asyncio.BaseTransport) -> dict[str, dict[object, object]]:
    """Returns the extension of an ASGI scope with the certificate of a connection's client; empty if it has none.

    The handshake has checked that the authority has signed it, for clients.
    """
    tls = transport.get_extra_info("ssl_object")
    der = None if tls is None else tls.getpeercert(binary_form=True)
    return {_EXTENSION: {"certificate": der}} if der else {}


def certified_user(scope: Mapping[str, Any], now: Nanoseconds) -> User | None:
    """Returns the user of a request's client certificate; None if there is none, or it is not valid now."""
    der = ((scope.get("extensions") or {}).get(_EXTENSION) or {}).get("certificate")
    return None if der is None else _read(der, datetime.fromisoformat(render_time(now)))


def _read(der: bytes, now: datetime) -> User | None:
    from cryptography import x509  # slow to import, and few clients have certificates
    from cryptography.hazmat.primitives import hashes
    from cryptography.x509.oid import NameOID

    certificate = x509.load_der_x509_certificate(der)

    def values(oid: x509.ObjectIdentifier) -> list[str]:
        return [str(each.value) for each in certificate.subject.get_attributes_for_oid(oid)]

    names, uids = values(NameOID.COMMON_NAME), values(x509.ObjectIdentifier(_UID))
    if not (certificate.not_valid_before_utc <= now <= certificate.not_valid_after_utc):
        return None
    if not names or not names[-1] or len(uids) > 1 or "" in uids:
        return None
    groups = (*values(NameOID.ORGANIZATION_NAME), "system:authenticated")
    fingerprint = f"X509SHA256={certificate.fingerprint(hashes.SHA256()).hex()}"
    return User(names[-1], tuple(dict.fromkeys(groups)), "".join(uids), ((_CREDENTIAL, (fingerprint,)),))
